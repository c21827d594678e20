package doctor

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilversion "k8s.io/apimachinery/pkg/util/version"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

const (
	// LabelPresent is where GPU feature discovery says that a node has GPUs.
	LabelPresent = "nvidia.com/gpu.present"
	mpiCRD       = "mpijobs.kubeflow.org"
)

// oldestRun is the oldest Kubernetes that Assay was run on, as the table in docs/install.md#kubernetes has it.
const oldestRun = "1.35"

// apiServer: Assay was run on its version, and nothing lacks what it does not have.
func apiServer(f *Facts) findings {
	version := f.APIServer.Value
	if version == "" {
		return nil // whoever asked could not ask for it
	}
	var found findings
	if is, err := utilversion.ParseGeneric(version); err == nil && is.LessThan(utilversion.MustParseGeneric(oldestRun)) {
		found = one(Warn, "the API server is %s, and Assay was never run on one older than %s, so nobody knows whether all of it "+
			"works: docs/install.md#kubernetes says what was run, and what older ones lack", version, oldestRun)
	}
	if f.NoGates {
		status := OK // nobody may want it
		if slices.ContainsFunc(f.ValidationPolicies.Value, func(p v1alpha1.ValidationPolicy) bool { return p.Spec.Gate != nil }) {
			status = Warn
		}
		found.add(status, "the API server is %s, and has no MutatingAdmissionPolicy, as Kubernetes has from 1.36 on, so it cannot taint new nodes as "+
			"they are created (config/admission/gate; chart: gate.admissionPolicy); everything else works: for a gate, let kubelets or the autoscaler "+
			"taint new nodes (docs/gate.md)", version)
	}
	if f.NoSlices {
		found.add(OK, "the API server is %s, and serves no ResourceSlices (resource.k8s.io/v1), as "+
			"Kubernetes does from 1.34 on, so Assay sees only GPUs that a device plugin offers", version)
	}
	return found.or("the API server is %s, and has everything that Assay can use", version)
}

// version checks that this program and the operator are of one release.
func version(f *Facts) findings {
	in := f.installation()
	if in.Deployment == nil {
		return nil // said by the check of the operator
	}
	image := managerOf(in.Deployment).Image
	theirs := in.Deployment.Labels["app.kubernetes.io/version"]
	if at := strings.LastIndexByte(image, ':'); theirs == "" && at > strings.LastIndexByte(image, '/') {
		theirs = image[at+1:]
	}
	const both = "kubectl assay is %s, the operator %s"
	mine, errMine := utilversion.ParseSemantic(f.Version)
	other, errOther := utilversion.ParseSemantic(theirs)
	switch {
	case errMine != nil || errOther != nil:
		return one(OK, both+": at least one of them is not a release, so they are not compared", f.Version, cmp.Or(theirs, image))
	case mine.Major() != other.Major() || mine.Minor() != other.Minor():
		return one(Warn, both+": use a kubectl assay of the operator's release, or it may show less than there is", f.Version, theirs)
	}
	return one(OK, both, f.Version, theirs)
}

// mpiOperator checks that there is one, and that it works. Without benchmarks of groups nobody needs it.
func mpiOperator(f *Facts) findings {
	ofGroups := func(b v1alpha1.Benchmark) bool { return b.Spec.Scope == v1alpha1.ScopeGroup }
	if f.Benchmarks.Problem == "" && !slices.ContainsFunc(f.Benchmarks.Value, ofGroups) {
		return one(OK, "not needed: no benchmark measures several nodes")
	}
	if f.CRDs.Problem != "" {
		return unread("CustomResourceDefinitions", f.CRDs.Problem)
	}
	if !slices.ContainsFunc(f.CRDs.Value, func(c apiextensionsv1.CustomResourceDefinition) bool { return c.Name == mpiCRD }) {
		return one(Warn, "%s is missing, so benchmarks of several nodes end with MPIOperatorMissing; all others work: install the MPI "+
			"Operator v0.7.0 or later (docs/install.md#the-mpi-operator)", mpiCRD)
	}
	if f.MPILeases.Problem != "" {
		return unread("Leases", f.MPILeases.Problem)
	}
	for l := range list.Each(f.MPILeases.Value) {
		if l.Holder != "" && !l.stale() {
			return one(OK, "leads in namespace %s, and renewed its lease %s ago", l.Namespace, message.Duration(l.age()))
		}
	}
	return one(Fail, "nobody renews a lease named %s, so MPIJobs wait forever: check whether the MPI Operator's pod is running, "+
		"and its log", MPILeaseName)
}

// metrics checks that a ServiceMonitor selects the operator, where the cluster knows such.
func metrics(f *Facts) findings {
	switch {
	case !f.HasMonitors:
		return one(OK, "this cluster knows no ServiceMonitors: have Prometheus scrape the operator in another way (docs/monitoring.md#scrape)")
	case f.Services.Problem != "":
		return unread("Services", f.Services.Problem)
	}
	return located(monitored)(f)
}

func monitored(f *Facts) findings {
	in := f.installation()
	for m := range list.Each(f.Monitors.Value) {
		of := m.Spec.NamespaceSelector
		if len(of.MatchNames) == 0 {
			of.MatchNames = []string{m.Namespace}
		}
		selector, err := metav1.LabelSelectorAsSelector(&m.Spec.Selector)
		if err != nil || !of.Any && !slices.Contains(of.MatchNames, in.Namespace) {
			continue
		}
		for s := range list.Each(f.Services.Value) {
			if selectsManager(s, in) && selector.Matches(labels.Set(s.Labels)) {
				return one(OK, "ServiceMonitor %s/%s selects the Service %s", m.Namespace, m.Name, s.Name)
			}
		}
	}
	return one(Warn, "no ServiceMonitor selects a Service of the operator in namespace %s, so no alert fires: apply "+
		"config/prometheus, or set metrics.serviceMonitor in the chart", in.Namespace)
}

// selectsManager says whether a service is the operator's.
func selectsManager(s *corev1.Service, in Installation) bool {
	return in.Deployment != nil && len(s.Spec.Selector) > 0 && labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(in.Deployment.Spec.Template.Labels))
}

// named are the names of the nodes that something holds for.
func named(nodes []*Node, is func(*Node) bool) []string {
	return list.Map(list.Where(nodes, is), func(n *Node) string { return n.Name })
}
