// Package devicerules keeps the DeviceTaintRules of devices that are out of service: what nodes' marks ask for, where their ResourceSlices have these devices.
// It is all I/O of that, and knows no run and no verdict.
package devicerules

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/dra"
	"github.com/assay-dev/assay/internal/operate/devicerule"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/internal/quantity"
)

// +kubebuilder:rbac:groups=resource.k8s.io,resources=devicetaintrules,verbs=get;list;watch;create;update;delete

// Reconciler keeps the rules of one node after the other.
type Reconciler struct {
	client.Client
	// Live reads past the cache: no rule is written for what was so.
	Live client.Reader
	// Devices that are published.
	Devices *controllers.Devices
	// Recorder of events.
	Recorder events.EventRecorder
	// Policy bounds what may be done to nodes, and to devices.
	Policy taint.Policy
}

// SetupWithManager registers the controller, and the indexes by which it finds what is of a node.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	for _, i := range Indexes() {
		if err := mgr.GetFieldIndexer().IndexField(context.Background(), i.Of, i.Field, i.Values); err != nil {
			return fmt.Errorf("indexing %T by %s: %w", i.Of, i.Field, err)
		}
	}
	return r.Controller().AddTo(mgr)
}

// Reconcile brings the rules of a node to what they are to be. The cache says whether there is anything to do, which is rare, and the API server what.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	node, plan, err := r.plan(ctx, req.Name, r.Client, r.slicesOf)
	if err == nil && !plan.Idle() {
		node, plan, err = r.plan(ctx, req.Name, r.Live, r.Devices.LiveSlices)
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	for _, problem := range slices.Concat(plan.Problems, plan.Doubts) {
		r.tell(node, problem)
	}
	return reconcile.Result{}, r.write(ctx, node, plan)
}

// get a node; nil: there is none.
func (r *Reconciler) get(ctx context.Context, from client.Reader, name string) (*corev1.Node, error) {
	if name == "" {
		return nil, nil
	}
	node := &corev1.Node{}
	if err := from.Get(ctx, client.ObjectKey{Name: name}, node); client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("reading node %s: %w", name, err)
	} else if err != nil {
		return nil, nil
	}
	return node, nil
}

// reader of the slices of a node.
type reader func(ctx context.Context, node string) ([]*resourcev1.ResourceSlice, error)

func (r *Reconciler) slicesOf(ctx context.Context, node string) ([]*resourcev1.ResourceSlice, error) {
	return r.slices(ctx, slicesOfNode, node)
}

func (r *Reconciler) slices(ctx context.Context, index, value string) ([]*resourcev1.ResourceSlice, error) {
	var found resourcev1.ResourceSliceList
	if err := r.List(ctx, &found, client.MatchingFields{index: value}); err != nil {
		return nil, fmt.Errorf("listing ResourceSlices of %s: %w", value, err)
	}
	return slices.Collect(list.Each(found.Items)), nil
}

// plan what is to be done about the rules that the cache has of a node, by what the readers have of it.
func (r *Reconciler) plan(ctx context.Context, name string, from client.Reader, slicesOf reader) (*corev1.Node, *devicerule.Plan, error) {
	node, err := r.get(ctx, from, name)
	var published []*resourcev1.ResourceSlice
	if err == nil && node != nil {
		published, err = slicesOf(ctx, name)
	}
	if err != nil {
		return nil, nil, err
	}
	var found resourcev1.DeviceTaintRuleList
	if err := r.List(ctx, &found, client.MatchingFields{rulesOfNode: name}); err != nil {
		return nil, nil, fmt.Errorf("listing the DeviceTaintRules of node %s: %w", name, err)
	}
	existing := slices.Collect(list.Each(found.Items))
	if node == nil {
		return nil, devicerule.Make(nil, nil, r.Policy, existing), nil
	}
	var errs []error
	at := dra.PlacesOf(node, published, func(driver, pool string) bool {
		foreign, err := r.foreign(ctx, name, driver, pool)
		errs = append(errs, err)
		return foreign
	})
	return node, devicerule.Make(node, at, r.Policy, existing), errors.Join(errs...)
}

// foreign says whether a pool may be somebody else's than the node's that publishes it.
func (r *Reconciler) foreign(ctx context.Context, node, driver, pool string) (bool, error) {
	if named, err := r.get(ctx, r.Client, pool); err != nil || named != nil {
		return true, err
	}
	all, err := r.slices(ctx, slicesOfPool, driver+"/"+pool)
	for _, s := range all {
		if s.Spec.NodeName == nil || *s.Spec.NodeName != node {
			return true, err
		}
	}
	return false, err
}

// write what is planned. Each write is refused if somebody changed the rule since it was read; what fails is planned anew, a little later each time.
func (r *Reconciler) write(ctx context.Context, node *corev1.Node, plan *devicerule.Plan) error {
	var errs []error
	for _, rule := range plan.Create {
		errs = append(errs, r.failed(node, rule, "creating", r.create(ctx, rule)))
	}
	for _, rule := range plan.Update {
		errs = append(errs, r.failed(node, rule, "updating", r.Update(ctx, rule, controllers.FieldOwner)))
	}
	for _, rule := range plan.Delete {
		err := r.Delete(ctx, rule, client.Preconditions{UID: &rule.UID, ResourceVersion: &rule.ResourceVersion})
		errs = append(errs, r.failed(node, rule, "deleting", client.IgnoreNotFound(err)))
	}
	return errors.Join(errs...)
}

// create a rule. One that is there already, and that the cache did not show, is Assay's if it says so.
func (r *Reconciler) create(ctx context.Context, want *resourcev1.DeviceTaintRule) error {
	err := r.Create(ctx, want.DeepCopy(), controllers.FieldOwner)
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	found := &resourcev1.DeviceTaintRule{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(want), found); err != nil {
		return err
	}
	if !devicerule.Ours(found) {
		return errors.New(nameTaken)
	}
	if next := devicerule.Changed(found, want); next != nil {
		return r.Update(ctx, next, controllers.FieldOwner)
	}
	return nil
}

// failed says why a rule was not written, also on the node, unless that was only because another had been there in between.
func (r *Reconciler) failed(node *corev1.Node, rule *resourcev1.DeviceTaintRule, doing string, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf(ofDevice, doing, rule.Name, rule.Annotations[v1alpha1.AnnotationDevice], err)
	if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) && !errors.Is(err, context.Canceled) {
		r.tell(node, err.Error()+triesAgain)
	}
	return err
}

// tell on the node, if it is there.
func (r *Reconciler) tell(node *corev1.Node, problem string) {
	if node != nil {
		r.Recorder.Eventf(node, nil, corev1.EventTypeWarning, v1alpha1.ReasonDeviceRuleFailed, "Taint", "%s", quantity.Clip(problem, 1000))
	}
}
