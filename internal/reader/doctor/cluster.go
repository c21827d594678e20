package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
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
func apiServer(f *Facts) []Finding {
	if f.APIServer.Problem != "" {
		return one(Unknown, doctorUnread("/version", f.APIServer.Problem))
	}
	version := f.APIServer.Value
	if version == "" {
		return nil // whoever asked could not ask for it
	}
	var found []Finding
	if is, err := utilversion.ParseGeneric(version); err == nil && is.LessThan(utilversion.MustParseGeneric(oldestRun)) {
		found = one(Warn, fmt.Sprintf("the API server is %s, and Assay was never run on one older than %s, so nobody knows whether all of it "+
			"works: docs/install.md#kubernetes says what was run, and what older ones lack", version, oldestRun))
	}
	if f.NoGates {
		status := OK // nobody may want it
		if slices.ContainsFunc(f.ValidationPolicies.Value, func(p v1alpha1.ValidationPolicy) bool { return p.Spec.Gate != nil }) {
			status = Warn
		}
		found = append(found, Finding{Status: status, Message: doctorNoGates(version)})
	}
	if f.NoSlices {
		found = append(found, Finding{Status: OK, Message: fmt.Sprintf("the API server is %s, and serves no ResourceSlices (resource.k8s.io/v1), as "+
			"Kubernetes does from 1.34 on, so Assay sees only GPUs that a device plugin offers", version)})
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, fmt.Sprintf("the API server is %s, and has everything that Assay can use", version))
}

// version checks that this program and the operator are of one release.
func version(f *Facts) []Finding {
	in := f.installation()
	if in.Deployment == nil {
		return nil // said by the check of the operator
	}
	image := managerOf(in.Deployment).Image
	theirs := in.Deployment.Labels["app.kubernetes.io/version"]
	if at := strings.LastIndexByte(image, ':'); theirs == "" && at > strings.LastIndexByte(image, '/') {
		theirs = image[at+1:]
	}
	skew, known := versionSkew(f.Version, theirs)
	switch {
	case !known:
		return one(OK, doctorVersions(f.Version, cmp.Or(theirs, image))+": at least one of them is not a release, so they are not compared")
	case skew:
		return one(Warn, doctorVersions(f.Version, theirs)+": use a kubectl assay of the operator's release, or it may show less than there is")
	}
	return one(OK, doctorVersions(f.Version, theirs))
}

// hasGroups says whether a benchmark of the catalogue measures several nodes.
func (f *Facts) hasGroups() bool {
	return slices.ContainsFunc(f.Benchmarks.Value, func(b v1alpha1.Benchmark) bool { return b.Spec.Scope == v1alpha1.ScopeGroup })
}

// mpiOperator checks that there is one, and that it works. Without benchmarks of groups nobody needs it.
func mpiOperator(f *Facts) []Finding {
	if f.Benchmarks.Problem == "" && !f.hasGroups() {
		return one(OK, "not needed: no benchmark measures several nodes")
	}
	if f.CRDs.Problem != "" {
		return one(Unknown, doctorUnread("CustomResourceDefinitions", f.CRDs.Problem))
	}
	if !slices.ContainsFunc(f.CRDs.Value, func(c apiextensionsv1.CustomResourceDefinition) bool { return c.Name == mpiCRD }) {
		return one(Warn, fmt.Sprintf("%s is missing, so benchmarks of several nodes end with MPIOperatorMissing; all others work: install the MPI "+
			"Operator v0.7.0 or later (docs/install.md#the-mpi-operator)", mpiCRD))
	}
	if f.MPILeases.Problem != "" {
		return one(Unknown, doctorUnread("Leases", f.MPILeases.Problem))
	}
	for i := range f.MPILeases.Value {
		if l := &f.MPILeases.Value[i]; l.Holder != "" && !l.stale() {
			return one(OK, fmt.Sprintf("leads in namespace %s, and renewed its lease %s ago", l.Namespace, message.Duration(l.age())))
		}
	}
	return one(Fail, fmt.Sprintf("nobody renews a lease named %s, so MPIJobs wait forever: check whether the MPI Operator's pod is running, "+
		"and its log", MPILeaseName))
}

// gpuNodes are those that feature discovery found GPUs in, or that offer some.
func (f *Facts) gpuNodes() []*Node {
	return list.Those(f.Nodes.Value, func(n *Node) bool { return n.GPUs > 0 || n.Labels[LabelPresent] == "true" })
}

// devices checks that nodes that have GPUs offer them.
func devices(f *Facts) []Finding {
	if f.Nodes.Problem != "" {
		return one(Unknown, doctorUnread("nodes", f.Nodes.Problem))
	}
	all := f.gpuNodes()
	if len(all) == 0 {
		return one(OK, fmt.Sprintf("%s, none with NVIDIA GPUs by its labels, device plugin or DRA driver", message.Several(len(f.Nodes.Value), "node")))
	}
	published := named(all, func(n *Node) bool { return n.Published != nil })
	for _, n := range all {
		if n.Published != nil && n.Published.Broken != "" {
			return one(Fail, fmt.Sprintf("the scheduler allocates no GPU of node %s: %s: look into the log of the DRA driver there", n.Name, n.Published.Broken))
		}
	}
	lacking := named(all, func(n *Node) bool { return n.GPUs == 0 && n.Ready })
	if len(lacking) > 0 {
		text := fmt.Sprintf("no %s is offered by %s with GPUs: check whether the driver and the device plugin, or the DRA driver, run there: %s",
			workload.GPUResource, message.Several(len(lacking), "node"), message.Names(lacking))
		if f.SlicesProblem != "" {
			text += ". ResourceSlices of DRA drivers could not be read: " + f.SlicesProblem
		}
		return one(Fail, text)
	}
	if len(published) > 0 {
		return one(OK, fmt.Sprintf("%s with GPUs, all offering %s, %d of them by a DRA driver", message.Several(len(all), "node"), workload.GPUResource, len(published)))
	}
	return one(OK, fmt.Sprintf("%s with GPUs, all offering %s", message.Several(len(all), "node"), workload.GPUResource))
}

// gpuLabels: GPU feature discovery says what the nodes are.
func gpuLabels(f *Facts) []Finding {
	all := f.gpuNodes()
	if len(all) == 0 {
		return nil // said by the check of devices
	}
	bare := named(all, func(n *Node) bool { return n.Labels[v1alpha1.LabelGPUProduct] == "" })
	if len(bare) > 0 {
		return one(Warn, fmt.Sprintf("the label %s is missing on %s with GPUs, so no HardwareProfile matches there: install GPU feature "+
			"discovery: %s", v1alpha1.LabelGPUProduct, message.Several(len(bare), "node"), message.Names(bare)))
	}
	return one(OK, fmt.Sprintf("GPU feature discovery labels %s", message.Several(len(all), "node")))
}

// profiles checks that one matches each product.
func profiles(f *Facts) []Finding {
	if f.Profiles.Problem != "" {
		return one(Unknown, doctorUnread("HardwareProfiles", f.Profiles.Problem))
	}
	products := map[string]*Node{}
	for _, n := range f.gpuNodes() {
		if product := n.Labels[v1alpha1.LabelGPUProduct]; product != "" {
			products[product] = n
		}
	}
	var found []Finding
	for _, product := range slices.Sorted(maps.Keys(products)) {
		if !slices.ContainsFunc(f.Profiles.Value, func(p v1alpha1.HardwareProfile) bool { return isFor(&p, products[product].Labels) }) {
			found = append(found, Finding{Status: Warn, Message: fmt.Sprintf("no HardwareProfile matches GPU product %s (%s), so it is not "+
				"compared with its peaks: write one (docs/catalogue.md)", product, products[product].Name)})
		}
	}
	switch {
	case len(found) > 0:
		return found
	case len(products) == 0:
		return nil
	}
	return one(OK, fmt.Sprintf("a HardwareProfile matches each of %s", message.Several(len(products), "GPU product")))
}

func isFor(p *v1alpha1.HardwareProfile, of map[string]string) bool {
	selector, err := p.Spec.ByLabels()
	return err == nil && selector.Matches(labels.Set(of))
}

// taints that keep benchmark pods from nodes. Control planes are meant to be left alone.
func taints(f *Facts) []Finding {
	if f.Nodes.Problem != "" {
		return nil // said by the check of devices
	}
	byTaint := map[string][]string{}
	for n := range list.Each(f.Nodes.Value) {
		if t := workload.KeptBy(&corev1.Node{Spec: corev1.NodeSpec{Taints: n.Taints}}, nil, nil); t != nil && !strings.HasPrefix(t.Key, "node-role.kubernetes.io/") {
			byTaint[t.ToString()] = append(byTaint[t.ToString()], n.Name)
		}
	}
	var found []Finding
	for _, t := range slices.Sorted(maps.Keys(byTaint)) {
		found = append(found, Finding{Status: Warn, Message: doctorTainted(byTaint[t], t)})
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, fmt.Sprintf("no taint keeps benchmark pods from any of %s, control planes aside", message.Several(len(f.Nodes.Value), "node")))
}

// images came to the nodes, where that was tried.
func images(f *Facts) []Finding {
	if f.Pulls == nil {
		return nil
	}
	var found []Finding
	slowest := time.Duration(0)
	for _, p := range f.Pulls {
		slowest = max(slowest, p.Took)
		if p.Problem != "" {
			found = append(found,
				Finding{Status: Fail, Message: message.Because(fmt.Sprintf("image %s could not be pulled on node %s", p.Image, p.Node), p.Problem)})
		}
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, fmt.Sprintf("%s pulled, the slowest in %s", message.Several(len(f.Pulls), "image"), message.Duration(slowest)))
}

// metrics checks that a ServiceMonitor selects the operator, where the cluster knows such.
func metrics(f *Facts) []Finding {
	switch {
	case f.Monitors.Problem != "":
		return one(Unknown, doctorUnread("ServiceMonitors", f.Monitors.Problem))
	case !f.HasMonitors:
		return one(OK, "this cluster knows no ServiceMonitors: have Prometheus scrape the operator in another way (docs/monitoring.md#scrape)")
	case f.Services.Problem != "":
		return one(Unknown, doctorUnread("Services", f.Services.Problem))
	}
	if unknown := f.unlocated(); unknown != nil {
		return unknown
	}
	in := f.installation()
	for _, m := range f.Monitors.Value {
		if !m.AnyNamespace && !slices.Contains(m.Namespaces, in.Namespace) {
			continue
		}
		for i := range f.Services.Value {
			if s := &f.Services.Value[i]; selectsManager(s, in) && m.Matches(s.Labels) {
				return one(OK, fmt.Sprintf("ServiceMonitor %s/%s selects the Service %s", m.Namespace, m.Name, s.Name))
			}
		}
	}
	return one(Warn, fmt.Sprintf("no ServiceMonitor selects a Service of the operator in namespace %s, so no alert fires: apply "+
		"config/prometheus, or set metrics.serviceMonitor in the chart", in.Namespace))
}

// selectsManager says whether a service is the operator's.
func selectsManager(s *corev1.Service, in Installation) bool {
	return in.Deployment != nil && len(s.Spec.Selector) > 0 && labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(in.Deployment.Spec.Template.Labels))
}

// named are the names of the nodes that something holds for.
func named(nodes []*Node, is func(*Node) bool) (names []string) {
	for _, n := range nodes {
		if is(n) {
			names = append(names, n.Name)
		}
	}
	return names
}
