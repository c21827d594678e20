package cli

import (
	"context"
	"errors"
	"io/fs"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/config"
	"github.com/assay-dev/assay/internal/assess"
	"github.com/assay-dev/assay/internal/doctor"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/workload"
)

// surveyor reads what the checks ask for. What cannot be read becomes a problem of that fact; only an API server that does not answer at all is
// an error.
type surveyor struct {
	*doctor.Facts
	ctx context.Context
	c   client.WithWatch
}

func readFacts(ctx context.Context, c client.WithWatch, version string) (*doctor.Facts, error) {
	s := &surveyor{&doctor.Facts{Version: version, Here: time.Now()}, ctx, c}
	if err := s.known(); err != nil {
		return nil, err
	}
	if err := c.List(ctx, &corev1.NamespaceList{}, client.Limit(1)); err != nil && !apierrors.IsForbidden(err) {
		return nil, errors.New(message.DoctorNoCluster(err))
	}
	s.time()
	s.installed()
	s.admission()
	s.nodes()
	s.work()
	s.monitors()
	return s.Facts, ctx.Err()
}

// known are the manifests that this program has in itself.
func (s *surveyor) known() error {
	err := fs.WalkDir(config.CRDs, ".", eachYAML(config.CRDs, func(data []byte) error {
		var crd apiextensionsv1.CustomResourceDefinition
		err := yaml.UnmarshalStrict(data, &crd)
		s.KnownCRDs = append(s.KnownCRDs, crd)
		return err
	}))
	if err != nil {
		return err
	}
	return fs.WalkDir(config.Admission, ".", eachYAML(config.Admission, func(data []byte) error {
		var policy admissionv1.ValidatingAdmissionPolicy
		if err := yaml.Unmarshal(data, &policy); err != nil {
			return err
		}
		if policy.Kind == "ValidatingAdmissionPolicy" {
			s.KnownPolicies = append(s.KnownPolicies, policy.Name[len("assay-"):])
		}
		return nil
	}))
}

// why something was not read; empty: it was.
func why(err error) string {
	switch {
	case err == nil:
		return ""
	case apierrors.IsForbidden(err):
		return message.DoctorForbidden()
	case meta.IsNoMatchError(err):
		return message.DoctorNoKind()
	default:
		return err.Error()
	}
}

// time by the API server.
func (s *surveyor) time() {
	clock, ok := s.c.(serverClock)
	if ok {
		s.There.Value, s.Here, s.Uncertain, ok = clock.serverTime()
	}
	if !ok {
		s.There.Problem = message.DoctorNoServerTime()
	}
}

// installed is the operator, and what it needs.
func (s *surveyor) installed() {
	s.CRDs.Problem = why(pages(s.ctx, s.c, empty[apiextensionsv1.CustomResourceDefinitionList], func(l *apiextensionsv1.CustomResourceDefinitionList) {
		s.CRDs.Value = append(s.CRDs.Value, l.Items...)
	}))
	s.Deployments.Problem = why(pages(s.ctx, s.c, empty[appsv1.DeploymentList], func(l *appsv1.DeploymentList) {
		for i := range l.Items {
			if in := doctor.InstallationOf(l.Items[i : i+1]); in.Deployment != nil {
				s.Deployments.Value = append(s.Deployments.Value, l.Items[i])
			}
		}
	}))
	in := doctor.InstallationOf(s.Deployments.Value)
	s.Namespaces = map[string]doctor.Seen[map[string]string]{}
	for _, name := range []string{in.Namespace, in.Benchmarks} {
		var ns corev1.Namespace
		err := s.c.Get(s.ctx, client.ObjectKey{Name: name}, &ns)
		seen := doctor.Seen[map[string]string]{Problem: why(client.IgnoreNotFound(err))}
		if err == nil {
			seen.Value = ns.Labels
		}
		s.Namespaces[name] = seen
	}
	var l coordinationv1.Lease
	err := s.c.Get(s.ctx, client.ObjectKey{Namespace: in.Namespace, Name: doctor.LeaseName}, &l)
	s.Lease.Problem = why(client.IgnoreNotFound(err))
	if err == nil {
		held := lease(&l)
		s.Lease.Value = &held
	}
	s.MPILeases = s.leases(client.MatchingFields{"metadata.name": doctor.MPILeaseName})
	s.OperatorRights, s.UserRights = s.rights(in)
}

func (s *surveyor) leases(which ...client.ListOption) (seen doctor.Seen[[]doctor.Lease]) {
	seen.Problem = why(pages(s.ctx, s.c, empty[coordinationv1.LeaseList], func(l *coordinationv1.LeaseList) {
		for i := range l.Items {
			seen.Value = append(seen.Value, lease(&l.Items[i]))
		}
	}, which...))
	return seen
}

func lease(l *coordinationv1.Lease) doctor.Lease {
	out := doctor.Lease{Namespace: l.Namespace, Name: l.Name}
	if l.Spec.HolderIdentity != nil {
		out.Holder = *l.Spec.HolderIdentity
	}
	if l.Spec.RenewTime != nil {
		out.Renewed = l.Spec.RenewTime.Time
	}
	if l.Spec.LeaseDurationSeconds != nil {
		out.Duration = time.Duration(*l.Spec.LeaseDurationSeconds) * time.Second
	}
	return out
}

func (s *surveyor) admission() {
	s.Policies.Problem = why(pages(s.ctx, s.c, empty[admissionv1.ValidatingAdmissionPolicyList], func(l *admissionv1.ValidatingAdmissionPolicyList) {
		s.Policies.Value = append(s.Policies.Value, l.Items...)
	}))
	s.Bindings.Problem = why(pages(s.ctx, s.c, empty[admissionv1.ValidatingAdmissionPolicyBindingList], func(l *admissionv1.ValidatingAdmissionPolicyBindingList) {
		s.Bindings.Value = append(s.Bindings.Value, l.Items...)
	}))
}

// nodes, of each only what is asked for: there may be thousands.
func (s *surveyor) nodes() {
	s.Nodes.Problem = why(pages(s.ctx, s.c, empty[corev1.NodeList], func(l *corev1.NodeList) {
		for i := range l.Items {
			n := &l.Items[i]
			gpus := n.Status.Allocatable[workload.GPUResource]
			s.Nodes.Value = append(s.Nodes.Value, doctor.Node{Name: n.Name, Labels: n.Labels, Ready: isReady(n), GPUs: gpus.Value(), Taints: n.Spec.Taints})
		}
	}))
	s.NodeLeases = s.leases(client.InNamespace(corev1.NamespaceNodeLease))
}

func isReady(n *corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// work is what is to be measured, and is being measured.
func (s *surveyor) work() {
	s.Benchmarks.Problem = why(pages(s.ctx, s.c, empty[v1alpha1.BenchmarkList], func(l *v1alpha1.BenchmarkList) {
		s.Benchmarks.Value = append(s.Benchmarks.Value, l.Items...)
	}))
	s.Profiles.Problem = why(pages(s.ctx, s.c, empty[v1alpha1.HardwareProfileList], func(l *v1alpha1.HardwareProfileList) {
		s.Profiles.Value = append(s.Profiles.Value, l.Items...)
	}))
	s.Runs.Problem = why(pages(s.ctx, s.c, empty[v1alpha1.ValidationRunList], func(l *v1alpha1.ValidationRunList) {
		for i := range l.Items {
			if !assess.Finished(&l.Items[i]) {
				s.Runs.Value = append(s.Runs.Value, l.Items[i])
			}
		}
	}))
	s.ValidationPolicies.Problem = why(pages(s.ctx, s.c, empty[v1alpha1.ValidationPolicyList], func(l *v1alpha1.ValidationPolicyList) {
		s.ValidationPolicies.Value = append(s.ValidationPolicies.Value, l.Items...)
	}))
}

// absent: the cluster does not know the kind.
func absent(err error) bool { return meta.IsNoMatchError(err) || apierrors.IsNotFound(err) }

// empty list of a type.
func empty[T any]() *T { return new(T) }

// pages reads a list page by page and hands each to seen, which keeps what it needs.
func pages[L client.ObjectList](ctx context.Context, c client.Reader, empty func() L, seen func(L), opts ...client.ListOption) error {
	for token := ""; ; {
		page := empty()
		if err := c.List(ctx, page, append([]client.ListOption{client.Limit(pageSize), client.Continue(token)}, opts...)...); err != nil {
			return err
		}
		seen(page)
		if token = page.GetContinue(); token == "" {
			return nil
		}
	}
}
