package doctor

import (
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/config"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/doctor"
	"github.com/assay-dev/assay/internal/reader/local"
)

// rights of the operator, as its roles of this release say, and of the user, who wants to look and to start runs.
func (s *surveyor) rights(in doctor.Installation) (operator, user doctor.Seen[[]doctor.Right]) {
	account := "system:serviceaccounts"
	for _, a := range operatorRights(in) {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{ResourceAttributes: &a,
			User: "system:serviceaccount:" + in.Namespace + ":" + in.ServiceAccount, Groups: []string{account, account + ":" + in.Namespace, "system:authenticated"}}}
		s.ask(&operator, &a, review, &review.Status)
	}
	for _, a := range userRights() {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &a}}
		s.ask(&user, &a, review, &review.Status)
	}
	return operator, user
}

// ask the API server for a right, unless it refused to tell another.
func (s *surveyor) ask(seen *doctor.Seen[[]doctor.Right], a *authorizationv1.ResourceAttributes, review client.Object, is *authorizationv1.SubjectAccessReviewStatus) {
	if seen.Problem == "" {
		seen.Problem = why(s.c.Create(s.ctx, review))
		resource := message.With(message.With(a.Resource, "/", a.Subresource), ".", a.Group)
		seen.Value = append(seen.Value, doctor.Right{Verb: a.Verb, Resource: resource, Namespace: a.Namespace, Allowed: is.Allowed})
	}
}

func userRights() (all []authorizationv1.ResourceAttributes) {
	for _, resource := range []string{"benchmarks", "hardwareprofiles", "nodehistories", "nodevalidations", "validationpolicies", "validationresults", "validationruns"} {
		all = append(all, authorizationv1.ResourceAttributes{Group: v1alpha1.GroupVersion.Group, Resource: resource, Verb: "list"})
	}
	return append(all, authorizationv1.ResourceAttributes{Resource: "nodes", Verb: "list"},
		authorizationv1.ResourceAttributes{Group: v1alpha1.GroupVersion.Group, Resource: "validationruns", Verb: "create"})
}

// operatorRights are those of its roles, in the namespaces of this installation.
func operatorRights(in doctor.Installation) (all []authorizationv1.ResourceAttributes) {
	_ = local.EachDocument(config.Role, func(data []byte) error {
		var role rbacv1.Role // a ClusterRole has the same rules
		if err := yaml.Unmarshal(data, &role); err != nil {
			return err
		}
		namespace := in.Benchmarks
		switch {
		case role.Kind == "ClusterRole":
			namespace = ""
		case role.Name == "assay-leader-election":
			namespace = in.Namespace
		}
		for _, r := range role.Rules {
			for _, group := range r.APIGroups {
				for _, resource := range r.Resources {
					name, sub, _ := strings.Cut(resource, "/")
					for _, verb := range r.Verbs {
						all = append(all, authorizationv1.ResourceAttributes{Namespace: namespace, Group: group, Resource: name, Subresource: sub, Verb: verb})
					}
				}
			}
		}
		return nil
	})
	return all
}
