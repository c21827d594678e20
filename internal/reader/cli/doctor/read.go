package doctor

import (
	"cmp"
	"context"
	"errors"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/config"
	"github.com/assay-dev/assay/internal/measure/dra"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/doctor"
	"github.com/assay-dev/assay/internal/reader/local"
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
		return nil, errors.New(message.Because("the API server does not answer, so nothing was checked", err.Error()))
	}
	s.time()
	s.apiServer()
	s.installed()
	s.admission()
	s.nodes()
	s.work()
	s.monitors()
	return s.Facts, ctx.Err()
}

// known are the manifests that this program has in itself.
func (s *surveyor) known() error {
	err := local.EachDocument(config.CRDs, func(data []byte) error {
		var crd apiextensionsv1.CustomResourceDefinition
		err := yaml.UnmarshalStrict(data, &crd)
		s.KnownCRDs = append(s.KnownCRDs, crd)
		return err
	})
	if err != nil {
		return err
	}
	return local.EachDocument(config.Admission, func(data []byte) error {
		var policy admissionv1.ValidatingAdmissionPolicy
		if err := yaml.Unmarshal(data, &policy); err != nil {
			return err
		}
		if policy.Kind == "ValidatingAdmissionPolicy" {
			s.KnownPolicies = append(s.KnownPolicies, policy.Name[len("assay-"):])
		}
		return nil
	})
}

// why something was not read; empty: it was.
func why(err error) string {
	switch {
	case err == nil:
		return ""
	case apierrors.IsForbidden(err):
		return "you lack the right; ask somebody who has it, such as a cluster-admin"
	case meta.IsNoMatchError(err):
		return "the cluster does not know the kind; see the check of kinds"
	default:
		return err.Error()
	}
}

// time by the API server, or, where it does not say, that of this computer.
func (s *surveyor) time() {
	if there, here, uncertain, ok := s.serverTime(); ok {
		s.There.Value, s.Here, s.Uncertain = there, here, uncertain
	} else {
		s.There.Problem = "could not compare clocks: the API server's answers have no Date"
	}
}

// serverTime is that of the last answer, if the client knows what time the API server says it is.
func (s *surveyor) serverTime() (server, here time.Time, uncertain time.Duration, ok bool) {
	if clock, is := s.c.(interface {
		ServerTime() (server, here time.Time, uncertain time.Duration, ok bool)
	}); is {
		return clock.ServerTime()
	}
	return
}

// apiServer is its version, and whether it has the kind by which it can taint new nodes.
func (s *surveyor) apiServer() {
	server, ok := s.c.(discovery.ServerVersionInterfaceWithContext)
	if !ok {
		return
	}
	is, err := server.ServerVersionWithContext(s.ctx)
	if err != nil {
		s.APIServer.Problem = why(err)
		return
	}
	s.APIServer.Value = is.GitVersion
	_, err = s.c.RESTMapper().RESTMapping(schema.GroupKind{Group: admissionv1.GroupName, Kind: "MutatingAdmissionPolicy"}, admissionv1.SchemeGroupVersion.Version)
	s.NoGates = meta.IsNoMatchError(err)
}

// now is the time of the API server's last answer, or, where it does not say, that of this computer.
func (s *surveyor) now() time.Time {
	at, _, _, _ := s.serverTime()
	return cmp.Or(at, time.Now())
}

// installed is the operator, and what it needs.
func (s *surveyor) installed() {
	s.CRDs.Problem = each(s, &apiextensionsv1.CustomResourceDefinitionList{}, func(o *apiextensionsv1.CustomResourceDefinition) { s.CRDs.Value = append(s.CRDs.Value, *o) })
	s.Deployments.Problem = each(s, &appsv1.DeploymentList{}, func(d *appsv1.Deployment) {
		if doctor.InstallationOf([]appsv1.Deployment{*d}).Deployment != nil {
			s.Deployments.Value = append(s.Deployments.Value, *d)
		}
	})
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
		s.Lease.Value = new(lease(&l, s.now()))
	}
	s.MPILeases = s.leases(client.MatchingFields{"metadata.name": doctor.MPILeaseName})
	s.OperatorRights, s.UserRights = s.rights(in)
}

// leases as they were when the first page was read: the API server answers for the others from that same moment.
func (s *surveyor) leases(which ...client.ListOption) (seen doctor.Seen[[]doctor.Lease]) {
	var at time.Time
	seen.Problem = each(s, &coordinationv1.LeaseList{}, func(l *coordinationv1.Lease) {
		if at.IsZero() {
			at = s.now()
		}
		seen.Value = append(seen.Value, lease(l, at))
	}, which...)
	return seen
}

func lease(l *coordinationv1.Lease, at time.Time) doctor.Lease {
	return doctor.Lease{Namespace: l.Namespace, Name: l.Name, Read: at, Holder: ptr.Deref(l.Spec.HolderIdentity, ""),
		Renewed: ptr.Deref(l.Spec.RenewTime, metav1.MicroTime{}).Time, Duration: time.Duration(ptr.Deref(l.Spec.LeaseDurationSeconds, 0)) * time.Second}
}

func (s *surveyor) admission() {
	s.Policies.Problem = each(s, &admissionv1.ValidatingAdmissionPolicyList{}, func(o *admissionv1.ValidatingAdmissionPolicy) { s.Policies.Value = append(s.Policies.Value, *o) })
	s.Bindings.Problem = each(s, &admissionv1.ValidatingAdmissionPolicyBindingList{}, func(o *admissionv1.ValidatingAdmissionPolicyBinding) { s.Bindings.Value = append(s.Bindings.Value, *o) })
}

// nodes, of each only what is asked for: there may be thousands.
func (s *surveyor) nodes() {
	published, absent, err := cluster.Slices(s.ctx, s.c)
	s.NoSlices, s.SlicesProblem = absent, why(err)
	byNode, all := dra.ByNode(published), map[string]*corev1.Node{}
	s.Nodes.Problem = each(s, &corev1.NodeList{}, func(n *corev1.Node) {
		n = dra.ShowBy(n, byNode[n.Name])
		all[n.Name] = n
		if n.Annotations[v1alpha1.AnnotationQuarantine] == "" { // as nearly always
			all[n.Name] = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, UID: n.UID}}
		}
		gpus := n.Status.Allocatable[workload.GPUResource]
		ready, _ := workload.Readiness(n)
		s.Nodes.Value = append(s.Nodes.Value, doctor.Node{Name: n.Name, Labels: n.Labels, Ready: ready, GPUs: gpus.Value(), Published: dra.Shown(n), Taints: n.Spec.Taints})
	})
	s.deviceRules(published, all)
	s.NodeLeases = s.leases(client.InNamespace(corev1.NamespaceNodeLease))
}

// work is what is to be measured, and is being measured.
func (s *surveyor) work() {
	s.Benchmarks.Problem = each(s, &v1alpha1.BenchmarkList{}, func(o *v1alpha1.Benchmark) { s.Benchmarks.Value = append(s.Benchmarks.Value, *o) })
	s.Profiles.Problem = each(s, &v1alpha1.HardwareProfileList{}, func(o *v1alpha1.HardwareProfile) { s.Profiles.Value = append(s.Profiles.Value, *o) })
	s.Runs.Problem = each(s, &v1alpha1.ValidationRunList{}, func(r *v1alpha1.ValidationRun) {
		if !r.Finished() {
			s.Runs.Value = append(s.Runs.Value, *r)
		}
	})
	s.ValidationPolicies.Problem = each(s, &v1alpha1.ValidationPolicyList{}, func(o *v1alpha1.ValidationPolicy) {
		s.ValidationPolicies.Value = append(s.ValidationPolicies.Value, *o)
	})
}

// monitors are the ServiceMonitors, if the cluster knows any, and the services that they may select. One that cannot be read selects none.
func (s *surveyor) monitors() {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: "monitoring.coreos.com", Version: "v1", Kind: "ServiceMonitorList"})
	err := cluster.Each(s.ctx, s.c, list, func(u *unstructured.Unstructured) error {
		var m doctor.Monitor
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &m); err == nil {
			s.Monitors.Value = append(s.Monitors.Value, m)
		}
		return nil
	})
	if s.HasMonitors = !cluster.Absent(err); !s.HasMonitors {
		return
	}
	s.Monitors.Problem = why(err)
	s.Services.Problem = each(s, &corev1.ServiceList{}, func(o *corev1.Service) { s.Services.Value = append(s.Services.Value, *o) },
		client.InNamespace(doctor.InstallationOf(s.Deployments.Value).Namespace))
}

// each object of a kind, or what of it is asked for; it returns why they cannot be read.
func each[T any, O cluster.Object[T]](s *surveyor, list client.ObjectList, visit func(O), which ...client.ListOption) string {
	return why(cluster.Each(s.ctx, s.c, list, func(o O) error {
		visit(o)
		return nil
	}, which...))
}
