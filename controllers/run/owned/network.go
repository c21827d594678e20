package owned

import (
	"context"
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// OpenNetwork creates the NetworkPolicy of an MPIJob that is about to be created: all others keep its pods from each other.
func (o *Objects) OpenNetwork(ctx context.Context, run *v1alpha1.ValidationRun, job string) error {
	policy := workload.JobPolicy(run, job, o.Settings)
	err := o.Create(ctx, policy, controllers.FieldOwner)
	if !apierrors.IsAlreadyExists(err) {
		if err != nil {
			return fmt.Errorf("creating NetworkPolicy %s: %w", job, err)
		}
		return nil
	}
	// That of a launch that broke off between policy and MPIJob, mostly.
	var found networkingv1.NetworkPolicyList
	if err := o.listOwn(ctx, run, &found, named(job)); err != nil {
		return err
	}
	if len(found.Items) == 0 {
		return fmt.Errorf(NameTaken, "NetworkPolicy", job, o.Settings.Namespace)
	}
	return nil
}

// CloseNetwork deletes the NetworkPolicy of an MPIJob that is deleted.
func (o *Objects) CloseNetwork(ctx context.Context, job string, options ...client.DeleteOption) error {
	policy := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: job, Namespace: o.Settings.Namespace}}
	if err := o.Delete(ctx, policy, options...); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting NetworkPolicy %s: %w", job, err)
	}
	return nil
}

// deletePolicies of a run, also those of launches that broke off before there was an MPIJob.
func (o *Objects) deletePolicies(ctx context.Context, run *v1alpha1.ValidationRun) error {
	var policies networkingv1.NetworkPolicyList
	if err := o.listOwn(ctx, run, &policies); err != nil {
		return err
	}
	return controllers.Each(policies.Items, func(p networkingv1.NetworkPolicy) error {
		return o.CloseNetwork(ctx, p.Name, client.Preconditions{UID: &p.UID})
	})
}
