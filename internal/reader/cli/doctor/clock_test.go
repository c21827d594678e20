package doctor

import (
	"context"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// slow is a cluster whose nodes take a minute to list. Its clock goes on meanwhile, and everybody renews in time.
type slow struct {
	client.WithWatch
	now time.Time
}

func (s *slow) ServerTime() (server, here time.Time, uncertain time.Duration, ok bool) {
	return s.now, s.now, 0, true
}

// Clocks are right, however long it takes to read what comes before the leases. A node that is ahead is found all the same.
func TestDoctorOfALargeClusterReadsTheClocksRight(t *testing.T) {
	for name, c := range map[string]struct {
		ahead time.Duration
		want  string
	}{
		"agree": {0, "the leases of 1 node agree"},
		"ahead": {20 * time.Second, "ahead of the API server's"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &slow{now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)}
			s.WithWatch = ward(t, interceptor.Funcs{List: func(ctx context.Context, to client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
				if _, is := list.(*corev1.NodeList); is {
					s.now = s.now.Add(time.Minute)
				}
				err := to.List(ctx, list, opts...)
				if leases, is := list.(*coordinationv1.LeaseList); is {
					for i := range leases.Items {
						leases.Items[i].Spec.RenewTime = &metav1.MicroTime{Time: s.now.Add(c.ahead)}
					}
				}
				return err
			}})
			out, _ := rundoctor(t, s, "doctor")
			if !strings.Contains(out, c.want) || c.ahead == 0 && strings.Contains(out, "ahead of") {
				t.Errorf("want %q in:\n%s", c.want, out)
			}
		})
	}
}
