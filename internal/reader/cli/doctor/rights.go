package doctor

import (
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
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
		if err := s.c.Create(s.ctx, review); err != nil {
			operator.Problem = why(err)
			break
		}
		operator.Value = append(operator.Value, right(&a, review.Status.Allowed))
	}
	for _, a := range userRights() {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &a}}
		if err := s.c.Create(s.ctx, review); err != nil {
			user.Problem = why(err)
			break
		}
		user.Value = append(user.Value, right(&a, review.Status.Allowed))
	}
	return operator, user
}

func right(a *authorizationv1.ResourceAttributes, allowed bool) doctor.Right {
	resource := a.Resource
	resource = message.With(resource, "/", a.Subresource)
	resource = message.With(resource, ".", a.Group)
	return doctor.Right{Verb: a.Verb, Resource: resource, Namespace: a.Namespace, Allowed: allowed}
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
	add := func(namespace string, rules []rbacv1.PolicyRule) {
		for _, r := range rules {
			for _, group := range r.APIGroups {
				for _, resource := range r.Resources {
					name, sub, _ := strings.Cut(resource, "/")
					for _, verb := range r.Verbs {
						all = append(all, authorizationv1.ResourceAttributes{Namespace: namespace, Group: group, Resource: name, Subresource: sub, Verb: verb})
					}
				}
			}
		}
	}
	_ = local.EachDocument(config.Role, func(data []byte) error {
		var role rbacv1.Role // a ClusterRole has the same rules
		if err := yaml.Unmarshal(data, &role); err != nil {
			return err
		}
		switch {
		case role.Kind == "ClusterRole":
			add("", role.Rules)
		case role.Kind == "Role" && role.Name == "assay-leader-election":
			add(in.Namespace, role.Rules)
		case role.Kind == "Role":
			add(in.Benchmarks, role.Rules)
		}
		return nil
	})
	return all
}
