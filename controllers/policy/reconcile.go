// Package policy is the controller of ValidationPolicies: all Kubernetes I/O of a policy, and nothing else. One pass reads everything into
// one policy.Snapshot, has policy.Next decide, carries out the policy.Plan, and writes one patch of the policy's status.
package policy

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/policy"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
)

// RBAC of the operator for policies, beside what it has for runs. The admission policy assay-runs keeps it from deleting the runs of people.
//
// +kubebuilder:rbac:groups=assay.dev,resources=validationpolicies,verbs=list;watch
// +kubebuilder:rbac:groups=assay.dev,resources=validationpolicies/status,verbs=patch
// +kubebuilder:rbac:groups=assay.dev,resources=validationpolicies/finalizers,verbs=update
// +kubebuilder:rbac:groups=assay.dev,resources=validationruns,verbs=create;delete

// fieldOwner is the field manager of everything that policies apply.
const fieldOwner = "assay-policy"

// Reconciler enforces ValidationPolicies.
type Reconciler struct {
	client.Client
	// Live reads past the cache: a gate is only ever opened by what is there at that moment.
	Live client.Reader
	// Recorder of events.
	Recorder events.EventRecorder
	// Clock, the real one but in tests.
	Clock clock.PassiveClock
	// GateKeys are the keys of gates that Assay may open beside those in the domain assay.dev.
	GateKeys []string
	// Devices that DRA drivers publish; nil: nobody asks.
	Devices *controllers.Devices
	// Metrics of the operator.
	Metrics *metrics.Recorder

	once   sync.Once
	cached objects
	// memories of the passes over each policy, by its name.
	memories map[string]*memory
	// looks bounds how often nodes are looked at.
	looks *rate.Limiter
	// recent writes of this process.
	recent *recentwrites.Writes
	// few are the events, of which there are never too many: it takes the place of Recorder.
	few *controllers.FewEvents
}

// prepare makes what the passes share.
func (r *Reconciler) prepare() {
	r.recent = recentwrites.New(r.Clock)
	r.few = controllers.NewFewEvents(r.Recorder, r.Clock)
	r.Recorder = r.few
	r.memories, r.looks = map[string]*memory{}, rate.NewLimiter(looksPerSecond, policy.MaxLooks)
}

// SetupWithManager registers the controller and what wakes it up. One worker looks after all policies: two of them may have an eye on the
// same node.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) (err error) {
	if r.cached, err = newObjects(mgr); err != nil {
		return err
	}
	return r.Controller().AddTo(mgr)
}

// Controller of policies, with one worker.
func (r *Reconciler) Controller() controllers.Controller {
	r.once.Do(r.prepare)
	return controllers.Controller{Name: "validationpolicy", Reconciler: r, Concurrency: 1, Watches: append([]controllers.Watch{
		{Object: &v1alpha1.ValidationPolicy{}, Predicates: []predicate.Predicate{policyChange}},
		{Object: &v1alpha1.ValidationPolicy{}, Handler: r.allPolicies(), Predicates: []predicate.Predicate{policyChange}},
		{Object: &corev1.Node{}, Handler: r.nodeHandler(), Predicates: []predicate.Predicate{nodeChange}},
		{Object: &v1alpha1.NodeValidation{}, Handler: r.allPolicies()},
		{Object: &v1alpha1.ValidationRun{}, Handler: r.runHandler()},
	}, r.Devices.Watches(r.allPolicies())...)}
}

// Reconcile makes one pass over one policy: read, decide, act, report.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	r.once.Do(r.prepare)
	p := &v1alpha1.ValidationPolicy{}
	if err := r.Get(ctx, req.NamespacedName, p); apierrors.IsNotFound(err) {
		return reconcile.Result{}, r.forget(ctx, req.Name)
	} else if err != nil {
		return reconcile.Result{}, fmt.Errorf("getting policy %s: %w", req.Name, err)
	}
	p = recentwrites.Fresh(r.recent, p)
	r.recent.Sweep()
	defer func() { r.few.Summarise(p, false) }()
	w, err := r.read(ctx, p)
	if err != nil {
		return reconcile.Result{}, err
	}
	decided := w.decide(ctx)
	acted := w.act(ctx)
	if err := errors.Join(decided, acted, w.report(ctx)); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: w.wait()}, nil
}

// pass over one policy: what was read, what is to be done, and what came of it.
type pass struct {
	*Reconciler
	policy   *v1alpha1.ValidationPolicy
	now      time.Time
	snapshot policy.Snapshot
	plan     policy.Plan
	memory   *memory
	// again is when this pass itself wants another; zero: only when the plan does.
	again time.Time
}

// decide what is to be done. Where that depends on what only the API server can tell, it is asked; an error keeps runs from being created, and
// no gate closed.
func (w *pass) decide(ctx context.Context) error {
	w.plan = policy.Next(w.snapshot, w.now)
	return errors.Join(w.lookAround(ctx), w.checkRuns(ctx))
}

// act carries out the plan, but for the status. A request is noted before anything is started for it. Errors do not stop what comes after.
func (w *pass) act(ctx context.Context) error {
	if err := w.noteRequest(ctx); err != nil {
		return err
	}
	opened := w.openGates(ctx) // nodes that have passed wait for nothing but this
	recorded := controllers.Each(w.plan.ByHand, func(b policy.ByHand) error { return w.record(ctx, b) })
	created := w.createRuns(ctx)
	labelled := w.labelNodes(ctx)
	deleted := controllers.Each(w.plan.Delete, func(run *v1alpha1.ValidationRun) error { return w.deleteRun(ctx, run) })
	for _, e := range w.plan.Events {
		w.tell(e.Node, e.Type, e.Reason, e.Notes)
	}
	w.memory.seen = w.plan.Seen
	return errors.Join(opened, recorded, created, labelled, deleted)
}

// tell by an event of a node, or, where it is nil, of the policy.
func (w *pass) tell(node *corev1.Node, kind, reason, note string) {
	if node == nil {
		w.Recorder.Eventf(w.policy, nil, kind, reason, "Enforce", "%s", note)
		return
	}
	w.Recorder.Eventf(node, w.policy, kind, reason, "Enforce", "%s", note)
}

// deleteRun removes a finished run of the policy, and what belongs to it.
func (w *pass) deleteRun(ctx context.Context, run *v1alpha1.ValidationRun) error {
	err := w.Delete(ctx, &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: run.Name}}, client.Preconditions{UID: &run.UID})
	if client.IgnoreNotFound(err) != nil && !apierrors.IsConflict(err) {
		return fmt.Errorf("deleting run %s: %w", run.Name, err)
	}
	w.recent.Removed(run.UID)
	return nil
}

// soon asks for another pass after a while, whatever the plan says.
func (w *pass) soon(after time.Duration) {
	if at := w.now.Add(after); w.again.IsZero() || at.Before(w.again) {
		w.again = at
	}
}

// wait until the next pass; zero: until something happens.
func (w *pass) wait() time.Duration {
	at := w.plan.Again
	if at.IsZero() || !w.again.IsZero() && w.again.Before(at) {
		at = w.again
	}
	if at.IsZero() {
		return 0
	}
	return max(at.Sub(w.now), time.Second)
}
