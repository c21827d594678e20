// Package owned is what runs have in the benchmark namespace: pods, MPIJobs, and what these are started with. It reads, creates and deletes, and decides nothing.
package owned

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
)

// Objects of all runs. Most are read past the cache: a run has few of them, and what is done by what is read is done once.
type Objects struct {
	client.Client
	// Live reads past the cache.
	Live client.Reader
	// Clock, the real one but in tests.
	Clock clock.PassiveClock
	// Settings of the benchmark pods.
	Settings workload.Settings
	// HasClaims: the cluster has ResourceClaimTemplates.
	HasClaims bool
	// Recent writes of this process.
	Recent *recentwrites.Writes

	// templates of claims are there, as they were made or seen at these times.
	templates controllers.SyncMap[time.Time]
}

// listOwn lists what a run controls, past the cache: nothing else of such objects is ever needed.
func (o *Objects) listOwn(ctx context.Context, run *v1alpha1.ValidationRun, into client.ObjectList, options ...client.ListOption) error {
	options = append(options, client.InNamespace(o.Settings.Namespace), OfRun(run.UID))
	if err := o.Live.List(ctx, into, options...); err != nil {
		return fmt.Errorf("listing what belongs to run %s: %w", run.Name, err)
	}
	all, err := meta.ExtractList(into)
	own := list.Where(all, func(o runtime.Object) bool { return metav1.IsControlledBy(o.(metav1.Object), run) })
	return errors.Join(err, meta.SetList(into, own))
}

func named(name string) client.ListOption {
	return client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector(metav1.ObjectNameField, name)}
}

// OfRun: what has the label of a run.
func OfRun(run types.UID) client.ListOption {
	return client.MatchingLabels{v1alpha1.LabelRunUID: string(run)}
}
