package doctor

import (
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/docs"
	"github.com/assay-dev/assay/internal/measure/dra"
	"github.com/assay-dev/assay/internal/operate/devicerule"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func crdNamed(name string) apiextensionsv1.CustomResourceDefinition {
	c := apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: name}}
	c.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1alpha1", Served: true, Storage: true,
		Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}}}}
	c.Status.StoredVersions = []string{"v1alpha1"}
	c.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue}}
	return c
}

func deployment() appsv1.Deployment {
	d := appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "gpu-ops", Name: "prod-assay-manager", Labels: map[string]string{"app.kubernetes.io/version": "v0.2.1"}}}
	d.Spec.Replicas, d.Status.AvailableReplicas = new(int32(1)), 1
	d.Spec.Template.Labels = map[string]string{"app": "assay"}
	d.Spec.Template.Spec.ServiceAccountName = "prod-assay-manager"
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "manager", Image: "registry:5000/assay/manager",
		Args: []string{"--benchmark-namespace=bench", "--runner-image=registry/runner:1"}}}
	return d
}

// sound facts: of an installation by the chart, under other names than the manifests'.
func sound() *Facts {
	held := Lease{Namespace: "gpu-ops", Name: LeaseName, Holder: "pod-1", Renewed: now.Add(-3 * time.Second), Duration: 15 * time.Second, Read: now}
	f := &Facts{Version: "v0.2.0", KnownCRDs: []apiextensionsv1.CustomResourceDefinition{crdNamed("runs"), crdNamed("results")}, KnownPolicies: []string{"nodes", "pins"},
		Here: now, There: Seen[time.Time]{Value: now}, APIServer: Seen[string]{Value: "v1.37.2"}}
	f.CRDs.Value = []apiextensionsv1.CustomResourceDefinition{crdNamed("runs"), crdNamed("results"), crdNamed(mpiCRD)}
	f.Deployments.Value = []appsv1.Deployment{{ObjectMeta: metav1.ObjectMeta{Name: "another"}}, deployment()}
	f.Lease.Value = &held
	f.MPILeases.Value = []Lease{{Namespace: "mpi", Name: MPILeaseName, Holder: "pod-2", Renewed: now, Duration: 15 * time.Second, Read: now}}
	f.Namespaces = map[string]Seen[map[string]string]{"gpu-ops": {Value: map[string]string{securityLabel: "restricted"}}, "bench": {Value: map[string]string{securityLabel: "privileged"}}}
	for _, name := range []string{"prod-assay-nodes", "prod-assay-pins"} {
		f.Policies.Value = append(f.Policies.Value, admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}})
		f.Bindings.Value = append(f.Bindings.Value, admissionv1.ValidatingAdmissionPolicyBinding{
			Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}}})
	}
	f.OperatorRights.Value = []Right{{Verb: "create", Resource: "pods", Namespace: "bench", Allowed: true}, {Verb: "delete", Resource: "pods", Namespace: "bench", Allowed: true}}
	f.UserRights.Value = []Right{{Verb: "list", Resource: "nodes", Allowed: true}}
	f.Nodes.Value = []Node{
		{Name: "cp", Ready: true, Taints: []corev1.Taint{{Key: "node-role.kubernetes.io/control-plane", Effect: corev1.TaintEffectNoSchedule}}},
		{Name: "gpu-1", Ready: true, GPUs: 8, Labels: map[string]string{LabelPresent: "true", "nvidia.com/gpu.product": "NVIDIA-H200"},
			Taints: []corev1.Taint{{Key: "nvidia.com/gpu", Effect: corev1.TaintEffectNoSchedule}}}}
	f.NodeLeases.Value = []Lease{{Name: "cp", Renewed: now, Read: now}, {Name: "gpu-1", Renewed: now.Add(-9 * time.Second), Read: now}}
	f.Benchmarks.Value = []v1alpha1.Benchmark{{Spec: v1alpha1.BenchmarkSpec{Scope: v1alpha1.ScopeGroup}}}
	f.Profiles.Value = []v1alpha1.HardwareProfile{{Spec: v1alpha1.HardwareProfileSpec{Selector: metav1.LabelSelector{MatchLabels: map[string]string{"nvidia.com/gpu.product": "NVIDIA-H200"}}}}}
	f.HasMonitors = true
	monitor := Monitor{ObjectMeta: metav1.ObjectMeta{Namespace: "monitoring", Name: "assay"}}
	monitor.Spec.Selector.MatchLabels = map[string]string{"scrape": "yes"}
	monitor.Spec.NamespaceSelector.Any = true
	f.Monitors.Value = []Monitor{monitor}
	f.Services.Value = []corev1.Service{{ObjectMeta: metav1.ObjectMeta{Name: "metrics", Labels: map[string]string{"scrape": "yes"}}, Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "assay"}}}}
	f.Pulls = []Pull{{Image: "a", Node: "gpu-1", Took: time.Second}}
	return f
}

func TestASoundInstallation(t *testing.T) {
	all := Examine(sound())
	for _, f := range all {
		if f.Status != OK {
			t.Errorf("%+v", f)
		}
	}
	if len(all) != len(checks) || Worst(all) != OK {
		t.Errorf("%d findings of %d checks, worst %s", len(all), len(checks), Worst(all))
	}
}

// An image that is the site's to provide is told, and is nothing wrong: not every site has these programs.
func TestImagesToProvide(t *testing.T) {
	f := sound()
	f.Benchmarks.Value = append(f.Benchmarks.Value,
		v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "namd"}, Spec: v1alpha1.BenchmarkSpec{SiteImage: "NAMD"}},
		v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "wrf"}, Spec: v1alpha1.BenchmarkSpec{SiteImage: "WRF", Image: "registry.example/wrf:1"}})
	all := Examine(f)
	if Worst(all) != OK {
		t.Errorf("worst is %s", Worst(all))
	}
	i := slices.IndexFunc(all, func(g Finding) bool { return strings.Contains(g.Message, "ImageNotProvided") })
	if i < 0 || all[i].Check != "catalogue" || !strings.HasSuffix(all[i].Message, ": namd") {
		t.Errorf("%+v", all)
	}
}

// Each breakage is found by its check, and by no other.
func TestEachBreakage(t *testing.T) {
	const forbidden = "you may not"
	out := func(edit func(*Rules)) func(*Facts) {
		return func(f *Facts) {
			r := Rules{Node: "gpu-1", Standing: devicerule.Standing{Devices: []string{"GPU-3"}, Plan: &devicerule.Plan{}}}
			edit(&r)
			f.Rules.Value = []Rules{r}
		}
	}
	rules := []*resourcev1.DeviceTaintRule{{ObjectMeta: metav1.ObjectMeta{Name: "assay-gpu-3", Annotations: map[string]string{v1alpha1.AnnotationDevice: "GPU-3"}}}}
	device := &v1alpha1.OnFailure{Taint: &v1alpha1.Taint{Scope: v1alpha1.TaintScopeDevice}}
	for name, c := range map[string]struct {
		breaks  func(f *Facts)
		check   string
		status  Status
		message string
	}{
		"an old API server": {func(f *Facts) { f.APIServer.Value = "v1.34.9-eks-1" }, "api-server", Warn, "v1.34.9-eks-1, and Assay was never run on one older than 1.35"},
		"no gates, but a policy that has one": {func(f *Facts) {
			f.NoGates, f.ValidationPolicies.Value = true, []v1alpha1.ValidationPolicy{{Spec: v1alpha1.ValidationPolicySpec{Gate: &v1alpha1.Gate{}}}}
		}, "api-server", Warn, "has no MutatingAdmissionPolicy"},
		"no gates, which nobody misses": {func(f *Facts) { f.NoGates, f.APIServer.Value = true, "v1.35.4" }, "api-server", OK, "v1.35.4, and has no MutatingAdmissionPolicy"},
		"version unread":                {func(f *Facts) { f.APIServer.Problem = forbidden }, "api-server", Unknown, "you may not"},
		"a kind is missing":             {func(f *Facts) { f.CRDs.Value = f.CRDs.Value[1:] }, "kinds", Fail, "1 of 2 CustomResourceDefinitions are missing"},
		"not served":                    {func(f *Facts) { f.CRDs.Value[0].Spec.Versions[0].Served = false }, "kinds", Fail, "runs does not serve version v1alpha1"},
		"not established":               {func(f *Facts) { f.CRDs.Value[0].Status.Conditions = nil }, "kinds", Fail, "runs is not established"},
		"another schema":                {func(f *Facts) { f.CRDs.Value[0].Spec.Versions[0].Schema.OpenAPIV3Schema.Type = "x" }, "kinds", Warn, "differs"},
		"stored in an old one":          {func(f *Facts) { f.CRDs.Value[0].Status.StoredVersions = []string{"v1alpha1", "v0"} }, "kinds", Warn, "stored as v1alpha1, v0"},
		"kinds unread":                  {func(f *Facts) { f.CRDs.Problem = forbidden }, "kinds", Unknown, "you may not"},
		"scaled to zero":                {func(f *Facts) { f.Deployments.Value[1].Spec.Replicas = new(int32(0)) }, "operator", Fail, "kubectl -n gpu-ops scale deployment prod-assay-manager"},
		"not available":                 {func(f *Facts) { f.Deployments.Value[1].Status.AvailableReplicas = 0 }, "operator", Fail, "no available replica"},
		"another release":               {func(f *Facts) { f.Version = "v0.3.0" }, "version", Warn, "kubectl assay is v0.3.0, the operator v0.2.1"},
		"nobody leads":                  {func(f *Facts) { f.Lease.Value.Holder = "" }, "leader", Fail, "nobody holds the lease gpu-ops/manager.assay.dev"},
		"the leader is gone":            {func(f *Facts) { f.Lease.Value.Renewed = now.Add(-time.Minute) }, "leader", Fail, "renewed it 1m ago"},
		"lease unread":                  {func(f *Facts) { f.Lease.Problem = forbidden }, "leader", Unknown, "Lease manager.assay.dev"},
		"the operator may not":          {func(f *Facts) { f.OperatorRights.Value[1].Allowed = false }, "operator-rights", Fail, "may not delete pods in namespace bench"},
		"you may not":                   {func(f *Facts) { f.UserRights.Value[0].Allowed = false }, "user-rights", Warn, "you may not list nodes"},
		"no benchmark namespace":        {func(f *Facts) { delete(f.Namespaces, "bench") }, "namespaces", Fail, "there is no namespace bench"},
		"restricted benchmarks":         {func(f *Facts) { f.Namespaces["bench"].Value[securityLabel] = "baseline" }, "namespaces", Fail, "kubectl label namespace bench"},
		"privileged operator":           {func(f *Facts) { f.Namespaces["gpu-ops"].Value[securityLabel] = "" }, "namespaces", Warn, "=(not set)"},
		"a policy is missing":           {func(f *Facts) { f.Policies.Value = f.Policies.Value[1:] }, "admission", Fail, ": prod-assay-nodes"},
		"a binding only warns":          {func(f *Facts) { f.Bindings.Value[1].Spec.ValidationActions[0] = admissionv1.Warn }, "admission", Fail, "no binding makes them deny"},
		"no MPI Operator":               {func(f *Facts) { f.MPILeases.Value = nil }, "mpi-operator", Fail, "nobody renews"},
		"MPI Operator gone":             {func(f *Facts) { f.MPILeases.Value[0].Renewed = now.Add(-time.Hour) }, "mpi-operator", Fail, "nobody renews"},
		"no MPIJobs":                    {func(f *Facts) { f.CRDs.Value = f.CRDs.Value[:2] }, "mpi-operator", Warn, "MPIOperatorMissing"},
		"no device plugin":              {func(f *Facts) { f.Nodes.Value[1].GPUs = 0 }, "devices", Fail, "gpu-1"},
		"ResourceSlices unread":         {func(f *Facts) { f.Nodes.Value[1].GPUs, f.SlicesProblem = 0, forbidden }, "devices", Fail, "gpu-1. ResourceSlices of DRA drivers could not be read: you may not"},
		"a pool that is not whole":      {func(f *Facts) { f.Nodes.Value[1].Published = &dra.Offer{Broken: "pool x has 1 of 2"} }, "devices", Fail, "no GPU of node gpu-1: pool x has 1 of 2"},
		"a DRA driver":                  {func(f *Facts) { f.Nodes.Value[1].Published = &dra.Offer{} }, "devices", OK, "1 node with GPUs, all offering nvidia.com/gpu, 1 of them by a DRA driver"},
		"no ResourceSlices":             {func(f *Facts) { f.NoSlices = true }, "api-server", OK, "serves no ResourceSlices"},
		"no feature discovery":          {func(f *Facts) { delete(f.Nodes.Value[1].Labels, "nvidia.com/gpu.product"); f.Profiles.Value = nil }, "labels", Warn, "gpu-1"},
		"no profile":                    {func(f *Facts) { f.Profiles.Value = nil }, "profiles", Warn, "NVIDIA-H200 (gpu-1)"},
		"evicting taint":                {func(f *Facts) { f.Nodes.Value[1].Taints[0].Effect = corev1.TaintEffectNoExecute }, "taints", Warn, "nvidia.com/gpu:NoExecute"},
		"a device out of service":       {out(func(*Rules) {}), "out-of-service", OK, "1 device out of service on 1 node, with their DeviceTaintRules"},
		"its rule is missing":           {out(func(r *Rules) { r.Plan.Create = rules }), "out-of-service", Fail, "1 device out of service on node gpu-1 without a DeviceTaintRule (GPU-3), so pods may get what is convicted"},
		"its rule says another thing":   {out(func(r *Rules) { r.Plan.Update = rules }), "out-of-service", Fail, "without the DeviceTaintRule as it should be (GPU-3)"},
		"a rule too many":               {out(func(r *Rules) { r.Plan.Delete = rules }), "out-of-service", Warn, "1 DeviceTaintRule on node gpu-1 for devices that are not out of service (assay-gpu-3), so these get no work"},
		"no rule can be made":           {out(func(r *Rules) { r.Plan.Problems = []string{"its UUID is there twice"} }), "out-of-service", Fail, "node gpu-1: its UUID is there twice"},
		"it is not published":           {out(func(r *Rules) { r.Unpublished = r.Devices }), "out-of-service", Warn, "in none of its ResourceSlices (GPU-3): if replaced, measure the node again (kubectl assay run --again gpu-1), or else"},
		"a device plugin beside":        {out(func(r *Rules) { r.Plugin = true }), "out-of-service", Fail, "a device plugin hands out the devices of node gpu-1, too"},
		"rules are not served":          {func(f *Facts) { out(func(*Rules) {})(f); f.NoRules = true }, "out-of-service", Fail, "v1.37.2, and serves no DeviceTaintRules (resource.k8s.io/v1), as Kubernetes does from 1.37 on, so nothing keeps work from the devices out of service of 1 node"},
		"rules that a policy and a run would need": {func(f *Facts) {
			f.NoRules = true
			f.ValidationPolicies.Value = []v1alpha1.ValidationPolicy{{ObjectMeta: metav1.ObjectMeta{Name: "h200"}, Spec: v1alpha1.ValidationPolicySpec{Run: v1alpha1.RunTemplate{OnFailure: device}}}}
			f.Runs.Value = []v1alpha1.ValidationRun{{ObjectMeta: metav1.ObjectMeta{Name: "rack-7"}, Spec: v1alpha1.ValidationRunSpec{OnFailure: device}}}
		}, "out-of-service", Warn, "a node is tainted as a whole although these ask for scope Device: policy h200, run rack-7"},
		"rules that nobody needs":                 {func(f *Facts) { f.NoRules = true }, "out-of-service", OK, "no single device"},
		"rules unread":                            {func(f *Facts) { out(func(*Rules) {})(f); f.Rules.Problem = forbidden }, "out-of-service", Unknown, "could not read DeviceTaintRules: you may not"},
		"slices unread":                           {func(f *Facts) { out(func(*Rules) {})(f); f.SlicesProblem = forbidden }, "out-of-service", Unknown, "could not read ResourceSlices: you may not"},
		"rules unread, and no mark asks for some": {func(f *Facts) { f.Rules.Problem = forbidden }, "out-of-service", OK, "no single device is out of service"},
		"image does not come":                     {func(f *Facts) { f.Pulls[0].Problem = "ErrImagePull" }, "images", Fail, "image a could not be pulled on node gpu-1: ErrImagePull"},
		"not scraped":                             {func(f *Facts) { f.Services.Value[0].Labels = nil }, "metrics", Warn, "no ServiceMonitor selects"},
		"monitor of others":                       {func(f *Facts) { f.Monitors.Value[0].Spec.NamespaceSelector.Any = false }, "metrics", Warn, "no ServiceMonitor selects"},
		"this clock is ahead":                     {func(f *Facts) { f.Here = now.Add(time.Minute) }, "clock", Warn, "1m ahead of"},
		"this clock is behind":                    {func(f *Facts) { f.Here = now.Add(-time.Minute) }, "clock", Warn, "1m behind"},
		"a node's clock is ahead":                 {func(f *Facts) { f.NodeLeases.Value[1].Renewed = now.Add(time.Minute) }, "node-clocks", Warn, "ahead of the API server's"},
		"a node's lease is old":                   {func(f *Facts) { f.NodeLeases.Value[1].Renewed = now.Add(-time.Minute) }, "node-clocks", Warn, "older than 30s"},
		"no catalogue":                            {func(f *Facts) { f.Benchmarks.Value = nil }, "catalogue", Fail, "there is no Benchmark"},
		"a run nobody sees": {func(f *Facts) {
			f.Runs.Value = []v1alpha1.ValidationRun{{ObjectMeta: metav1.ObjectMeta{Name: "r", Generation: 1, CreationTimestamp: metav1.NewTime(now.Add(-time.Hour))}}}
		}, "runs", Fail, "has not picked up run r"},
		"a run is stalled": {func(f *Facts) {
			f.Runs.Value = []v1alpha1.ValidationRun{{ObjectMeta: metav1.ObjectMeta{Name: "r"}}}
			f.Runs.Value[0].Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionStalled, Status: metav1.ConditionTrue, Message: "no such suite"}}
		}, "runs", Fail, "run r is stalled: no such suite"},
		"a policy is not enforced": {func(f *Facts) {
			f.ValidationPolicies.Value = []v1alpha1.ValidationPolicy{{ObjectMeta: metav1.ObjectMeta{Name: "p"}}}
			f.ValidationPolicies.Value[0].Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Message: "bad schedule"}}
		}, "policies", Fail, "policy p is not enforced: bad schedule"},
	} {
		t.Run(name, func(t *testing.T) {
			f := sound()
			c.breaks(f)
			found := false
			for _, is := range Examine(f) {
				switch {
				case is.Check == c.check:
					found = found || is.Status == c.status && strings.Contains(is.Message, c.message)
				case is.Status == Fail:
					t.Errorf("also found: %+v", is)
				}
			}
			if !found {
				t.Errorf("not found: %s %s %q in %+v", c.check, c.status, c.message, Examine(f))
			}
		})
	}
}

// The documentation says when the oldest Kubernetes was run that doctor does not warn about.
func TestTheOldestKubernetesWasRun(t *testing.T) {
	text, err := docs.Pages.ReadFile("install.md")
	if want := "\n| " + oldestRun + "."; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("the table of docs/install.md has no row %q: %v", want, err)
	}
}

// Without Deployments nobody knows where the operator is: that nothing is found where the manifests put it says nothing.
func TestAnOperatorThatCannotBeFoundIsNotBroken(t *testing.T) {
	f := sound()
	f.Deployments = Seen[[]appsv1.Deployment]{Problem: "you may not"}
	f.Lease.Value, f.Namespaces, f.OperatorRights.Value[0].Allowed, f.Services.Value = nil, nil, false, nil
	unknown := 0
	for _, is := range Examine(f) {
		if is.Status == Unknown {
			unknown++
		} else if is.Status != OK {
			t.Errorf("%+v", is)
		}
	}
	if unknown != 6 { // the operator, its leader, its rights, its namespaces, its policies and its metrics
		t.Errorf("%d checks say that they cannot look, want 6: %+v", unknown, Examine(f))
	}
}

// Where there is nothing at all, one line says so, and none about what follows from it.
func TestNothingIsInstalled(t *testing.T) {
	f := &Facts{KnownCRDs: sound().KnownCRDs, Here: now, There: Seen[time.Time]{Value: now}}
	for _, is := range Examine(f) {
		if strings.HasPrefix(is.Check, "operator-") || is.Check == "leader" || is.Check == "version" {
			t.Errorf("said without an operator: %+v", is)
		}
	}
}

func TestWorst(t *testing.T) {
	for want, all := range map[Status][]Finding{
		Fail:    {{Status: Warn}, {Status: Unknown}, {Status: Fail}, {Status: OK}},
		Unknown: {{Status: Warn}, {Status: Unknown}, {Status: OK}},
		Warn:    {{Status: OK}, {Status: Warn}},
		OK:      {{Status: OK}},
	} {
		if got := Worst(all); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
