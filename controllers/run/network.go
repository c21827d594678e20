package run

import (
	"context"
	"fmt"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// openNetwork creates the NetworkPolicy of an MPIJob that is about to be created: all others keep its pods from each other.
func (r *Reconciler) openNetwork(ctx context.Context, run *v1alpha1.ValidationRun, job string) error {
	policy := workload.JobPolicy(run, job, r.Settings)
	err := r.Create(ctx, policy, controllers.FieldOwner)
	if !apierrors.IsAlreadyExists(err) {
		if err != nil {
			return fmt.Errorf("creating NetworkPolicy %s: %w", job, err)
		}
		return nil
	}
	// That of a launch that broke off between policy and MPIJob, mostly.
	found, err := r.listPolicies(ctx, run, client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector(metav1.ObjectNameField, job)})
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf(nameTaken, "NetworkPolicy", job, r.Settings.Namespace)
	}
	return nil
}

// closeNetwork deletes the NetworkPolicy of an MPIJob that is deleted.
func (r *Reconciler) closeNetwork(ctx context.Context, job string, options ...client.DeleteOption) error {
	policy := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: job, Namespace: r.Settings.Namespace}}
	if err := r.Delete(ctx, policy, options...); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting NetworkPolicy %s: %w", job, err)
	}
	return nil
}

// listPolicies returns the NetworkPolicies of a run. They are read past the cache: nothing else of them is ever needed.
func (r *Reconciler) listPolicies(ctx context.Context, run *v1alpha1.ValidationRun, options ...client.ListOption) ([]networkingv1.NetworkPolicy, error) {
	var list networkingv1.NetworkPolicyList
	options = append(options, client.InNamespace(r.Settings.Namespace), ofRun(run.UID))
	if err := r.Live.List(ctx, &list, options...); err != nil {
		return nil, fmt.Errorf("listing the NetworkPolicies of run %s: %w", run.Name, err)
	}
	return slices.DeleteFunc(list.Items, func(p networkingv1.NetworkPolicy) bool { return !metav1.IsControlledBy(&p, run) }), nil
}

// deletePolicies deletes what policies a run has left, also those of launches that broke off before there was an MPIJob.
func (r *Reconciler) deletePolicies(ctx context.Context, run *v1alpha1.ValidationRun) error {
	policies, err := r.listPolicies(ctx, run)
	if err != nil {
		return err
	}
	return controllers.Each(policies, func(p networkingv1.NetworkPolicy) error {
		return r.closeNetwork(ctx, p.Name, client.Preconditions{UID: &p.UID})
	})
}
