package run

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

// offerClaims makes the template that a pod about to be launched claims its devices by; nil: it claims none.
func (w *writer) offerClaims(ctx context.Context, c *workload.Claim) error {
	if c == nil {
		return nil
	}
	if at, seen := w.memory.templates.Get(c.Name()); seen && !w.in.Now.Before(at) && w.in.Now.Sub(at) < templateSeen {
		return nil
	}
	template := c.Template(w.Settings)
	err := w.Create(ctx, template, controllers.FieldOwner)
	if apierrors.IsAlreadyExists(err) {
		err = w.checkTemplate(ctx, c)
	}
	if err != nil {
		return fmt.Errorf("creating ResourceClaimTemplate %s: %w", c.Name(), err)
	}
	w.memory.templates.Set(c.Name(), w.in.Now)
	return nil
}

// checkTemplate makes sure that a template which was there already is this run's own, and as it was made.
func (w *writer) checkTemplate(ctx context.Context, c *workload.Claim) error {
	var found resourcev1.ResourceClaimTemplateList
	if err := w.listOwn(ctx, w.run, &found, named(c.Name())); err != nil {
		return err
	}
	if len(found.Items) == 0 || !c.Is(&found.Items[0], w.Settings) {
		return fmt.Errorf(nameTaken, "ResourceClaimTemplate", c.Name(), w.Settings.Namespace)
	}
	return nil
}

// deleteTemplates that a run has left. Claims go with their pods.
func (r *Reconciler) deleteTemplates(ctx context.Context, run *v1alpha1.ValidationRun) error {
	if r.Devices == nil {
		return nil
	}
	if m, active := r.memories.Get(run.Name); active { // they are made again for the next pod
		m.templates.Keep(func(string) bool { return false })
	}
	var templates resourcev1.ResourceClaimTemplateList
	if err := r.listOwn(ctx, run, &templates); err != nil {
		return err
	}
	return controllers.Each(templates.Items, func(t resourcev1.ResourceClaimTemplate) error {
		if err := r.Delete(ctx, &t, client.Preconditions{UID: &t.UID}); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("deleting ResourceClaimTemplate %s: %w", t.Name, err)
		}
		return nil
	})
}
