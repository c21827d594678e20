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
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/metrics"
	"github.com/assay-dev/assay/internal/taint"
	"github.com/assay-dev/assay/internal/workload"
)

// RBAC of the operator: no wildcard, no secrets, no exec. Pods only in the benchmark namespace. What is read through the cache needs
// list and watch; get is for what is read live.
//
// +kubebuilder:rbac:groups=assay.dev,resources=validationruns,verbs=list;watch;patch
// +kubebuilder:rbac:groups=assay.dev,resources=validationruns/status,verbs=patch
// +kubebuilder:rbac:groups=assay.dev,resources=validationruns/finalizers,verbs=update
// +kubebuilder:rbac:groups=assay.dev,resources=benchmarks;hardwareprofiles,verbs=list;watch
// +kubebuilder:rbac:groups=assay.dev,resources=nodevalidations,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups=assay.dev,resources=validationresults,verbs=get;list;create;update
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get;list;watch;update
// +kubebuilder:rbac:groups="",resources=nodes/status,verbs=patch
// +kubebuilder:rbac:groups="",resources=pods,verbs=list
// +kubebuilder:rbac:groups="",namespace=assay-benchmarks,resources=pods,verbs=list;watch;create;delete
// +kubebuilder:rbac:groups="",namespace=assay-benchmarks,resources=events,verbs=list
// +kubebuilder:rbac:groups=apps,namespace=assay-benchmarks,resources=controllerrevisions,verbs=get;create
// +kubebuilder:rbac:groups=networking.k8s.io,namespace=assay-benchmarks,resources=networkpolicies,verbs=list;create;delete
// +kubebuilder:rbac:groups=kubeflow.org,namespace=assay-benchmarks,resources=mpijobs,verbs=list;create;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
//
// Who may read the metrics is asked with the rights of config/rbac/metrics_roles.yaml.

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
	// Policy bounds what runs may do to nodes.
	Policy taint.Policy
	// Metrics of the operator.
	Metrics *metrics.Recorder

	once sync.Once
	// pins of active runs, and nodes about which they have nothing left to do.
	pins    pins
	settled settled
	// taints is held while the budgets are counted and a taint written or lifted.
	taints sync.Mutex
	// launches is held while the MPIJobs of all runs are looked at and new ones created.
	launches sync.Mutex
	memory   *memory
	// told are the events, of which there are never too many: it takes the place of Recorder.
	told *fewEvents
}

// prepare makes what the passes share.
func (r *RunReconciler) prepare() {
	r.memory = newMemory(r.Clock)
	r.told = newFewEvents(r.Recorder, r.Clock)
	r.Recorder = r.told
}

// SetupWithManager registers the controller, its caches' indexes and what wakes it up.
func (r *RunReconciler) SetupWithManager(mgr ctrl.Manager, concurrency int) error {
	r.once.Do(r.prepare)
	if err := mgr.Add(manager.RunnableFunc(r.sweep)); err != nil {
		return fmt.Errorf("adding the sweep of what is remembered: %w", err)
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("validationrun").
		For(&v1alpha1.ValidationRun{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrency, RateLimiter: backoff()}).
		Watches(&corev1.Pod{}, r.podHandler()).
		Watches(&corev1.Node{}, r.activeRuns(), nodeChanges()).
		Watches(&v1alpha1.Benchmark{}, r.activeRuns(), specChanges()).
		Watches(&v1alpha1.HardwareProfile{}, r.activeRuns(), specChanges()).
		Watches(&v1alpha1.NodeValidation{}, quiet()).
		Complete(r)
}

// backoff of a run of which a pass failed: a deadline that has passed meanwhile is noticed within a minute.
func backoff() workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](50*time.Millisecond, time.Minute)
}

// Reconcile makes one pass over one run.
func (r *RunReconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	r.once.Do(r.prepare)
	run := &v1alpha1.ValidationRun{}
	if err := r.Get(ctx, req.NamespacedName, run); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	run = fresh(r.memory, run)
	r.memory.sweep()
	defer func() { r.told.summarise(run, finished(run) || !run.DeletionTimestamp.IsZero()) }()
	switch {
	case !run.DeletionTimestamp.IsZero():
		return r.finalize(ctx, run)
	case finished(run):
		return r.retire(ctx, run)
	}
	if err := r.addFinalizer(ctx, run); err != nil {
		return r.cannotStart(ctx, run, err)
	}
	s, err := r.observe(ctx, run)
	if err != nil {
		return r.invalid(ctx, run, err)
	}
	s.harvest()
	s.judge()
	s.refuse()
	s.next()
	s.failed = r.act(ctx, s)
	if s.failed != nil && !started(run) {
		return r.cannotStart(ctx, run, s.failed)
	}
	again, err := r.report(ctx, s)
	if err := errors.Join(s.failed, err); err != nil {
		return reconcile.Result{}, err
	}
	return again, nil
}
