// Package run is the controller of ValidationRuns: all Kubernetes I/O of a run, and nothing else. One pass reads everything into one
// assess.Input, has it assessed, carries out the assess.Output, and writes one patch of the run's status.
package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/controllers/quarantine"
	"github.com/assay-dev/assay/controllers/run/owned"
	"github.com/assay-dev/assay/controllers/webhook"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// RBAC of the operator: no wildcard, no secrets, no exec. Pods only in the benchmark namespace. What is read through the cache needs
// list and watch; get is for what is read live.
//
// +kubebuilder:rbac:groups=assay.dev,resources=validationruns,verbs=list;watch;patch
// +kubebuilder:rbac:groups=assay.dev,resources=validationruns/status,verbs=patch
// +kubebuilder:rbac:groups=assay.dev,resources=validationruns/finalizers,verbs=update
// +kubebuilder:rbac:groups=assay.dev,resources=benchmarks;hardwareprofiles,verbs=list;watch
// +kubebuilder:rbac:groups=assay.dev,resources=nodevalidations,verbs=list;watch
// +kubebuilder:rbac:groups=assay.dev,resources=nodehistories,verbs=get;list
// +kubebuilder:rbac:groups=assay.dev,resources=validationresults,verbs=get;list;create;update
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=pods,verbs=list
// +kubebuilder:rbac:groups="",namespace=assay-benchmarks,resources=pods,verbs=list;watch;create;delete
// +kubebuilder:rbac:groups="",namespace=assay-benchmarks,resources=events,verbs=list
// +kubebuilder:rbac:groups=apps,namespace=assay-benchmarks,resources=controllerrevisions,verbs=get;create
// +kubebuilder:rbac:groups=networking.k8s.io,namespace=assay-benchmarks,resources=networkpolicies,verbs=list;create;delete
// +kubebuilder:rbac:groups=kubeflow.org,namespace=assay-benchmarks,resources=mpijobs,verbs=list;create;delete
// +kubebuilder:rbac:groups=resource.k8s.io,resources=resourceslices,verbs=list;watch
// +kubebuilder:rbac:groups=resource.k8s.io,resources=resourceclaims,verbs=get
// +kubebuilder:rbac:groups=resource.k8s.io,namespace=assay-benchmarks,resources=resourceclaimtemplates,verbs=list;create;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
//
// Who may read the metrics is asked with the rights of config/rbac/metrics_roles.yaml.

const (
	// statusInterval is the least time between two progress patches of one run's status.
	statusInterval = time.Second
	// piecesInterval is the time between two passes that each store some of many verdicts, where something cannot be written. Backing off, as
	// after other errors, would make the verdicts of a large fleet wait for one node.
	piecesInterval = time.Second
	// seenAgain is how long a pass waits for the cache, where a node is not as it was seen.
	seenAgain = time.Second
)

// Reconciler drives ValidationRuns.
type Reconciler struct {
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
	// KnownFleet is what all nodes reached when they last passed; what is older than KnownMaxAge counts for nothing. Nil: runs are
	// compared with their own nodes only.
	KnownFleet  *controllers.KnownFleet
	KnownMaxAge time.Duration
	// Devices that DRA drivers publish; nil: nobody asks.
	Devices *controllers.Devices
	// Metrics of the operator.
	Metrics *metrics.Recorder
	// Webhook that is told of runs that ended and of taints; nil: none. It never waits.
	Webhook *webhook.Sender
	// NewLock makes what passes wait for each other by; nil: a mutex. A simulation has to know who waits.
	NewLock func() sync.Locker

	once sync.Once
	// memories of active runs.
	memories controllers.SyncMap[*memory]
	// nodes writes all that is written to nodes, and to what is known of them.
	nodes *quarantine.Keeper
	// launches is held while the MPIJobs of all runs are looked at and new ones created.
	launches sync.Locker
	// recent writes of this process.
	recent *recentwrites.Writes
	// own is what runs have in the benchmark namespace.
	own *owned.Objects
	// few are the events, of which there are never too many: it takes the place of Recorder.
	few *controllers.FewEvents
}

// prepare makes what the passes share.
func (r *Reconciler) prepare() {
	if r.NewLock == nil {
		r.NewLock = func() sync.Locker { return &sync.Mutex{} }
	}
	r.launches = r.NewLock()
	r.recent = recentwrites.New(r.Clock)
	r.own = r.objects()
	r.few = controllers.NewFewEvents(r.Recorder, r.Clock)
	r.Recorder = r.few
	r.nodes = &quarantine.Keeper{Client: r.Client, Live: r.Live, Recorder: r.Recorder, Clock: r.Clock, Policy: r.Policy, KnownFleet: r.KnownFleet,
		Devices: r.Devices, Metrics: r.Metrics, Webhook: r.Webhook, Recent: r.recent, Taints: r.NewLock()}
}

// objects of runs, by the clients and the clock that there are now.
func (r *Reconciler) objects() *owned.Objects {
	return &owned.Objects{Client: r.Client, Live: r.Live, Clock: r.Clock, Settings: r.Settings, HasClaims: r.Devices != nil, Recent: r.recent}
}

// Reconcile makes one pass over one run: read, assess, write, report.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	r.once.Do(r.prepare)
	if r.nodes.Moving() {
		return reconcile.Result{RequeueAfter: quarantine.MoveAgain}, nil
	}
	run := &v1alpha1.ValidationRun{}
	err := r.Get(ctx, req.NamespacedName, run)
	if apierrors.IsNotFound(err) {
		r.forget(req.Name)
	}
	if err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if r.recent.IsRemoved(run.UID) { // the cache has still to see that
		r.forget(req.Name)
		return reconcile.Result{}, nil
	}
	run = recentwrites.Fresh(r.recent, run)
	r.recent.Sweep()
	defer func() { r.few.Summarise(run, run.Finished() || !run.DeletionTimestamp.IsZero()) }()
	switch {
	case !run.DeletionTimestamp.IsZero():
		return r.finalize(ctx, run)
	case run.Finished():
		return r.cleanUp(ctx, run)
	case r.memoryOf(run).isOld(run, r.Clock.Now()):
		return reconcile.Result{RequeueAfter: seenAgain}, nil
	}
	if err := r.addFinalizer(ctx, run); err != nil {
		return r.cannotStart(ctx, run, err)
	}
	p, err := r.read(ctx, run)
	if err != nil {
		return r.invalid(ctx, run, err)
	}
	out, behind, err := r.assessLive(ctx, p)
	if err != nil {
		return r.invalid(ctx, run, err)
	}
	if behind != nil {
		return r.waitForCache(ctx, run, behind)
	}
	p.memory.unread = time.Time{}
	written := r.write(ctx, p, &out)
	if written.Err != nil && !observe.Started(run) {
		return r.cannotStart(ctx, run, written.Err)
	}
	return r.conclude(ctx, p, out.Report(written), written.Err)
}

// conclude a pass: write the status, and say when the next one is due. No run is over while there is a pod that the cache has not seen. After an error that is later and later, unless there is more to store.
func (r *Reconciler) conclude(ctx context.Context, p *pass, report assess.Report, unwritten error) (reconcile.Result, error) {
	if report.Over {
		if pods, err := r.own.WithLive(ctx, p.run, p.in.Pods); err != nil || len(pods) > len(p.in.Pods) {
			return reconcile.Result{RequeueAfter: seenAgain}, errors.Join(unwritten, err)
		}
	}
	again, err := r.report(ctx, p, report)
	switch {
	case err == nil && unwritten != nil && report.StoresMore:
		ctrl.LoggerFrom(ctx).Error(unwritten, fmt.Sprintf(triesAgain, piecesInterval))
		return reconcile.Result{RequeueAfter: piecesInterval}, nil
	case err != nil || unwritten != nil:
		return reconcile.Result{}, errors.Join(unwritten, err)
	}
	return again, nil
}
