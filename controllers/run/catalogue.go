package run

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/quantity"
)

// pin is the catalogue that a run was, or is to be, started with.
type pin struct {
	snapshot catalogue.Snapshot
	hash     string
	// stored: its ControllerRevision exists.
	stored bool
}

// pinName of the ControllerRevision that keeps a run's catalogue. Kubernetes keeps the revisions of its own workloads in this kind,
// whose data the API server lets nobody change.
func pinName(run *v1alpha1.ValidationRun) string { return "validationrun-" + string(run.UID) }

// readCatalogue finds what the run measures and compares with: what is pinned, or, before it starts, what the cluster has now.
func (r *Reconciler) readCatalogue(ctx context.Context, run *v1alpha1.ValidationRun) (*pin, error) {
	p, err := r.pinned(ctx, run)
	if p != nil || err != nil {
		return p, err
	}
	if p, err = r.current(ctx, run); err != nil {
		return nil, err
	}
	if c := run.Status.Catalogue; c != nil && c.Hash != p.hash {
		return nil, observe.Invalid(fmt.Sprintf(revisionGone, r.Settings.Namespace, pinName(run)))
	}
	return p, nil
}

// pinned reads what the run was started with; nil where nothing is pinned.
func (r *Reconciler) pinned(ctx context.Context, run *v1alpha1.ValidationRun) (*pin, error) {
	if p := r.memoryOf(run).pin; p != nil {
		return p, nil
	}
	revision := &appsv1.ControllerRevision{}
	name := client.ObjectKey{Namespace: r.Settings.Namespace, Name: pinName(run)}
	if err := r.Live.Get(ctx, name, revision); apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("getting ControllerRevision %s: %w", name, err)
	}
	snapshot, hash, err := catalogue.Decode(revision.Data.Raw)
	switch c := run.Status.Catalogue; {
	case err != nil:
		return nil, observe.Invalid(quantity.Clip(fmt.Sprintf(revisionUnreadable, name, err), message.Longest))
	case !metav1.IsControlledBy(revision, run), c != nil && c.Hash != hash:
		return nil, observe.Invalid(fmt.Sprintf(revisionOfAnother, name))
	}
	p := &pin{snapshot: snapshot, hash: hash, stored: true}
	r.memoryOf(run).pin = p
	return p, nil
}

// current is the part of the cluster's catalogue that the run asks for, its benchmarks cheapest first. A run that is about to start is pinned to it, and is
// often created together with what it measures: the cache may have only the run.
func (r *Reconciler) current(ctx context.Context, run *v1alpha1.ValidationRun) (*pin, error) {
	from := r.Live
	if run.Spec.Suspend {
		from = r.Client
	}
	var all v1alpha1.BenchmarkList
	if err := from.List(ctx, &all); err != nil {
		return nil, fmt.Errorf("listing Benchmarks: %w", err)
	}
	var profiles v1alpha1.HardwareProfileList
	if err := from.List(ctx, &profiles); err != nil {
		return nil, fmt.Errorf("listing HardwareProfiles: %w", err)
	}
	chosen, err := catalogue.Choose(all.Items, run.Spec.Suite, run.Spec.Benchmarks, run.Spec.Overrides)
	if err != nil {
		return nil, observe.Invalid(err.Error())
	}
	slices.SortStableFunc(chosen, func(a, b v1alpha1.Benchmark) int {
		return v1alpha1.CompareOrder(&a, &b)
	})
	snapshot := catalogue.Take(chosen, profiles.Items)
	_, hash, err := snapshot.Encode()
	if err != nil {
		return nil, observe.Invalid(fmt.Sprintf(tooMuchAtOnce, err))
	}
	return &pin{snapshot: snapshot, hash: hash}, nil
}

// reference is what the run's status says of it.
func (p *pin) reference(run *v1alpha1.ValidationRun, tasks []observe.Task) *v1alpha1.PinnedCatalogue {
	configurations := map[string]string{}
	for _, t := range tasks {
		configurations[t.Name()] = t.Configuration
	}
	return p.snapshot.Reference(pinName(run), p.hash, configurations)
}

// storePin keeps what the run is started with, before the run starts. One that is there already was stored by a pass that
// went no further, and holds: the next pass reads it.
func (r *Reconciler) storePin(ctx context.Context, p *pass) error {
	if p.pin.stored {
		return nil
	}
	data, _, err := p.pin.snapshot.Encode()
	if err != nil {
		return err
	}
	revision := &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{Name: pinName(p.run), Namespace: r.Settings.Namespace, Labels: workload.Labels(p.run),
			OwnerReferences: workload.OwnedBy(p.run)},
		Data: runtime.RawExtension{Raw: data}, Revision: 1,
	}
	if err := r.Create(ctx, revision, controllers.FieldOwner); err != nil {
		return fmt.Errorf("creating ControllerRevision %s/%s, which keeps what the run measures: %w", revision.Namespace, revision.Name, err)
	}
	p.pin.stored = true
	p.memory.pin = p.pin
	return nil
}
