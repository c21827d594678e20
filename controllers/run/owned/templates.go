package owned

import (
	"context"
	"fmt"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// templateSeen is for how long a template is not looked for again: a run that launches a thousand pods makes it once.
const templateSeen = time.Minute

// OfferClaims makes the template that a pod about to be launched claims its devices by; nil: it claims none.
func (o *Objects) OfferClaims(ctx context.Context, run *v1alpha1.ValidationRun, c *workload.Claim) error {
	if c == nil {
		return nil
	}
	now := o.Clock.Now()
	if at, seen := o.templates.Get(c.Name()); seen && !now.Before(at) && now.Sub(at) < templateSeen {
		return nil
	}
	template := c.Template(o.Settings)
	err := o.Create(ctx, template, controllers.FieldOwner)
	if apierrors.IsAlreadyExists(err) {
		err = o.checkTemplate(ctx, run, c)
	}
	if err != nil {
		return fmt.Errorf("creating ResourceClaimTemplate %s: %w", c.Name(), err)
	}
	o.templates.Set(c.Name(), now)
	return nil
}

// checkTemplate makes sure that a template which was there already is this run's own, and as it was made.
func (o *Objects) checkTemplate(ctx context.Context, run *v1alpha1.ValidationRun, c *workload.Claim) error {
	var found resourcev1.ResourceClaimTemplateList
	if err := o.listOwn(ctx, run, &found, named(c.Name())); err != nil {
		return err
	}
	if len(found.Items) == 0 || !c.Is(&found.Items[0], o.Settings) {
		return fmt.Errorf(NameTaken, "ResourceClaimTemplate", c.Name(), o.Settings.Namespace)
	}
	return nil
}

// deleteTemplates that a run has left. Claims go with their pods.
func (o *Objects) deleteTemplates(ctx context.Context, run *v1alpha1.ValidationRun) error {
	if !o.HasClaims {
		return nil
	}
	var templates resourcev1.ResourceClaimTemplateList
	if err := o.listOwn(ctx, run, &templates); err != nil {
		return err
	}
	return controllers.Each(templates.Items, func(t resourcev1.ResourceClaimTemplate) error {
		o.templates.Keep(func(name string) bool { return name != t.Name }) // it is made again for the next pod
		if err := o.Delete(ctx, &t, client.Preconditions{UID: &t.UID}); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("deleting ResourceClaimTemplate %s: %w", t.Name, err)
		}
		return nil
	})
}
