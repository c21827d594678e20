package doctor

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilversion "k8s.io/apimachinery/pkg/util/version"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
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

// gpuNodes are those that feature discovery found GPUs in, or that offer some.
func (f *Facts) gpuNodes() []*Node {
	return list.Those(f.Nodes.Value, func(n *Node) bool { return n.GPUs > 0 || n.Labels[LabelPresent] == "true" })
}

// devices checks that nodes that have GPUs offer them.
func devices(f *Facts) findings {
	all := f.gpuNodes()
	if len(all) == 0 {
		return one(OK, "%s, none with NVIDIA GPUs by its labels, device plugin or DRA driver", message.Several(len(f.Nodes.Value), "node"))
	}
	for _, n := range all {
		if n.Published != nil && n.Published.Broken != "" {
			return one(Fail, "the scheduler allocates no GPU of node %s: %s: look into the log of the DRA driver there", n.Name, n.Published.Broken)
		}
	}
	lacking := named(all, func(n *Node) bool { return n.GPUs == 0 && n.Ready })
	if len(lacking) > 0 {
		return one(Fail, "no %s is offered by %s with GPUs: check whether the driver and the device plugin, or the DRA driver, run there: %s%s",
			workload.GPUResource, message.Several(len(lacking), "node"), message.Names(lacking),
			message.With("", ". ResourceSlices of DRA drivers could not be read: ", f.SlicesProblem))
	}
	if published := list.Count(all, func(n *Node) bool { return n.Published != nil }); published > 0 {
		return one(OK, "%s with GPUs, all offering %s, %d of them by a DRA driver", message.Several(len(all), "node"), workload.GPUResource, published)
	}
	return one(OK, "%s with GPUs, all offering %s", message.Several(len(all), "node"), workload.GPUResource)
}

// gpuLabels: GPU feature discovery says what the nodes are.
func gpuLabels(f *Facts) findings {
	all := f.gpuNodes()
	if len(all) == 0 {
		return nil // said by the check of devices
	}
	bare := named(all, func(n *Node) bool { return n.Labels[v1alpha1.LabelGPUProduct] == "" })
	var found findings
	found.about(bare, Warn, "the label %s is missing on %s with GPUs, so no HardwareProfile matches there: install GPU feature "+
		"discovery: %s", v1alpha1.LabelGPUProduct, message.Several(len(bare), "node"))
	return found.or("GPU feature discovery labels %s", message.Several(len(all), "node"))
}

// profiles checks that one matches each product.
func profiles(f *Facts) findings {
	products := map[string]*Node{}
	for _, n := range f.gpuNodes() {
		if product := n.Labels[v1alpha1.LabelGPUProduct]; product != "" {
			products[product] = n
		}
	}
	var found findings
	for _, product := range slices.Sorted(maps.Keys(products)) {
		if !slices.ContainsFunc(f.Profiles.Value, func(p v1alpha1.HardwareProfile) bool {
			selector, err := p.Spec.ByLabels()
			return err == nil && selector.Matches(labels.Set(products[product].Labels))
		}) {
			found.add(Warn, "no HardwareProfile matches GPU product %s (%s), so it is not "+
				"compared with its peaks: write one (docs/catalogue.md)", product, products[product].Name)
		}
	}
	if len(products) == 0 {
		return nil
	}
	return found.or("a HardwareProfile matches each of %s", message.Several(len(products), "GPU product"))
}

// taints that keep benchmark pods from nodes. Control planes are meant to be left alone.
func taints(f *Facts) findings {
	byTaint := map[string][]string{}
	for n := range list.Each(f.Nodes.Value) {
		if t := workload.KeptBy(&corev1.Node{Spec: corev1.NodeSpec{Taints: n.Taints}}, nil, nil); t != nil && !strings.HasPrefix(t.Key, "node-role.kubernetes.io/") {
			byTaint[t.ToString()] = append(byTaint[t.ToString()], n.Name)
		}
	}
	var found findings
	for _, t := range slices.Sorted(maps.Keys(byTaint)) {
		found.add(Warn, "the taint %s keeps benchmark pods from %s, so a run skips them: %s", t, message.Several(len(byTaint[t]), "node"), message.Names(byTaint[t]))
	}
	return found.or("no taint keeps benchmark pods from any of %s, control planes aside", message.Several(len(f.Nodes.Value), "node"))
}

// images came to the nodes, where that was tried.
func images(f *Facts) findings {
	if f.Pulls == nil {
		return nil
	}
	var found findings
	slowest := time.Duration(0)
	for _, p := range f.Pulls {
		slowest = max(slowest, p.Took)
		if p.Problem != "" {
			found.add(Fail, "image %s could not be pulled on node %s: %s", p.Image, p.Node, p.Problem)
		}
	}
	return found.or("%s pulled, the slowest in %s", message.Several(len(f.Pulls), "image"), message.Duration(slowest))
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
