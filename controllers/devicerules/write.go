package devicerules

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/devicerule"
	"github.com/assay-dev/assay/internal/quantity"
)

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
