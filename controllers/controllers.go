// Package controllers holds all Kubernetes I/O of the operator. One pass over a run is: observe (all reads), harvest and
// judge (pure), plan.Next (pure), act (all writes, each safe to repeat), and one patch of the run's status.
package controllers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/metrics"
	"github.com/assay-dev/assay/internal/workload"
)

// RBAC of the operator: no wildcard, no secrets, no exec. Pods only in the benchmark namespace.
//
// +kubebuilder:rbac:groups=assay.dev,resources=validationruns,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=assay.dev,resources=validationruns/status,verbs=patch
// +kubebuilder:rbac:groups=assay.dev,resources=validationruns/finalizers,verbs=update
// +kubebuilder:rbac:groups=assay.dev,resources=benchmarks;hardwareprofiles,verbs=get;list;watch
// +kubebuilder:rbac:groups=assay.dev,resources=validationresults;nodevalidations,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get;list;watch;update
// +kubebuilder:rbac:groups="",resources=nodes/status,verbs=patch
// +kubebuilder:rbac:groups="",resources=pods,verbs=list
// +kubebuilder:rbac:groups="",namespace=assay-benchmarks,resources=pods,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=kubeflow.org,namespace=assay-benchmarks,resources=mpijobs,verbs=list;create;delete
// +kubebuilder:rbac:groups=networking.k8s.io,namespace=assay-benchmarks,resources=networkpolicies,verbs=list;create;delete
// +kubebuilder:rbac:groups="",namespace=assay-benchmarks,resources=events,verbs=list
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
//
// With --metrics-secure, to ask who wants to read them:
//
// +kubebuilder:rbac:groups=authentication.k8s.io,resources=tokenreviews,verbs=create
// +kubebuilder:rbac:groups=authorization.k8s.io,resources=subjectaccessreviews,verbs=create

const (
	// fieldOwner is the field manager of everything that Assay applies.
	fieldOwner = "assay"
	// statusInterval is the least time between two progress patches of one run's status.
	statusInterval = time.Second
	// batchDelay collects changes of many pods into one pass.
	batchDelay = 100 * time.Millisecond
	// cleanupGrace is how long a run that is over waits for its last pods; after that it is Finished and says so.
	cleanupGrace = 2 * time.Minute
	// jobCheck is when a new MPIJob is looked at, whether it has pods by then or not.
	jobCheck = 4 * time.Second
	// maxJobsBehind is how many MPIJobs of one run may exist of which the MPI Operator has made no pod yet. By default it takes
	// about one a second (--kube-api-qps): more would only wait there, and hold their nodes meanwhile.
	maxJobsBehind = 50
	// writers work in parallel on the writes of one pass.
	writers = 32
)

// RunReconciler drives ValidationRuns.
type RunReconciler struct {
	client.Client
	// Live reads past the cache: a taint is only ever written onto what the node carries at that moment.
	Live client.Reader
	// Recorder of events.
	Recorder events.EventRecorder
	// Clock, the real one but in tests.
	Clock clock.PassiveClock
	// Settings of the benchmark pods.
	Settings workload.Settings
	// Metrics of the operator.
	Metrics *metrics.Recorder

	once sync.Once
	// taints is held while the budget is counted and a taint written.
	taints sync.Mutex
	// launches is held while the MPIJobs of all runs are looked at and new ones created.
	launches sync.Mutex
	memory   *memory
}

// SetupWithManager registers the controller, its caches' indexes and what wakes it up.
func (r *RunReconciler) SetupWithManager(ctx context.Context, mgr ctrl.Manager, concurrency int) error {
	r.once.Do(func() { r.memory = newMemory() })
	if err := addIndexes(ctx, mgr.GetFieldIndexer()); err != nil {
		return fmt.Errorf("adding cache indexes: %w", err)
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("validationrun").
		For(&v1alpha1.ValidationRun{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrency}).
		Watches(&corev1.Pod{}, r.podHandler()).
		Watches(&corev1.Node{}, r.activeRuns(), nodeChanges()).
		Watches(&v1alpha1.Benchmark{}, r.activeRuns(), specChanges()).
		Watches(&v1alpha1.HardwareProfile{}, r.activeRuns(), specChanges()).
		Watches(&v1alpha1.ValidationResult{}, quiet()).
		Watches(&v1alpha1.NodeValidation{}, quiet()).
		Complete(r)
}

// Reconcile makes one pass over one run.
func (r *RunReconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	r.once.Do(func() { r.memory = newMemory() })
	run := &v1alpha1.ValidationRun{}
	if err := r.Get(ctx, req.NamespacedName, run); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	run = fresh(r.memory, run)
	switch {
	case !run.DeletionTimestamp.IsZero():
		return r.finalize(ctx, run)
	case finished(run):
		return r.retire(ctx, run)
	}
	if err := r.addFinalizer(ctx, run); err != nil {
		return reconcile.Result{}, err
	}
	s, err := r.observe(ctx, run)
	if err != nil {
		return r.invalid(ctx, run, err)
	}
	s.harvest()
	s.judge()
	s.refuse()
	s.next()
	acted := r.act(ctx, s)
	again, err := r.report(ctx, s, acted == nil)
	if err := errors.Join(acted, err); err != nil {
		return reconcile.Result{}, err
	}
	return again, nil
}
