package runs

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/clitest"
)

// awayFor so long an API server answers nothing after the first read; then the run is over.
func awayFor(t *testing.T, outage time.Duration) client.WithWatch {
	t.Helper()
	var began time.Time
	return clitest.Cluster(t, interceptor.Funcs{
		Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
			return nil, clitest.ErrRefused
		},
		Get: func(_ context.Context, _ client.WithWatch, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
			from := clitest.InProgress(t, 1)
			switch {
			case began.IsZero():
				began = time.Now()
			case time.Since(began) < outage:
				return clitest.ErrRefused
			default:
				from = clitest.Finished(t)
			}
			from.DeepCopyInto(o.(*v1alpha1.ValidationRun))
			return nil
		},
	})
}

// A control plane that is upgraded answers nothing for a minute or two. The run goes on meanwhile, and so does who waits for it.
func TestWatchOutlastsAnAPIServerThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, err := runruns(t, awayFor(t, 2*time.Minute), "watch", "rack-7")
		const note = "the API server does not answer, and is asked again for up to 5m: connection refused\n"
		if code(err) != 1 || strings.Count(out, note) != 1 {
			t.Errorf("got %v, want exit code 1; output, which should say once that the server is away:\n%s", err, out)
		}
	})
}

func TestWatchGivesUpAnAPIServerThatStaysAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := runruns(t, awayFor(t, time.Hour), "watch", "rack-7")
		clitest.Fails(t, err, "watching run rack-7: the API server has not answered for 5m, but the run goes on, and kubectl assay watch rack-7 shows it again: connection refused")
	})
}
