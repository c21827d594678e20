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

	"github.com/assay-dev/assay/api/v1alpha1"
)

// slow is a cluster whose nodes take a minute to list. Its clock goes on meanwhile, and everybody renews in time.
type slow struct {
	client.WithWatch
	now time.Time
}

func (s *slow) ServerTime() (server, here time.Time, uncertain time.Duration, ok bool) {
	return s.now, s.now, 0, true
}

// dateless is a cluster whose API server does not say what time it is.
type dateless struct{ client.WithWatch }

func (dateless) ServerTime() (server, here time.Time, uncertain time.Duration, ok bool) {
	return time.Time{}, time.Time{}, 0, false
}

// A run that nobody picks up is found by this computer's clock, where there is no other.
func TestDoctorWithoutTheTimeOfTheAPIServer(t *testing.T) {
	c := ward(t, interceptor.Funcs{})
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "waits", Generation: 1, CreationTimestamp: metav1.NewTime(time.Now().Add(-time.Hour))}}
	if err := c.Create(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if out, _ := rundoctor(t, dateless{c}, "doctor"); !strings.Contains(out, "has not picked up run waits") || !strings.Contains(out, "have no Date") {
		t.Error(out)
	}
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
