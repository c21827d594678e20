package policy

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/measure/dra"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

// What the words of a script make.

func (w *world) setBenchmark(o words) {
	b := v1alpha1.Benchmark{}
	b.Name = o.plain[0]
	if i := slices.IndexFunc(w.benchmarks, func(old v1alpha1.Benchmark) bool { return old.Name == b.Name }); i >= 0 {
		b = *w.benchmarks[i].DeepCopy()
		w.benchmarks = slices.Delete(w.benchmarks, i, i+1)
	} else {
		b.Spec = v1alpha1.BenchmarkSpec{Image: "bench:1", Command: []string{b.Name}, CostSeconds: 120, Suites: []string{"quick"},
			Needs: v1alpha1.Needs{DeviceResource: "nvidia.com/gpu"}}
	}
	for name, value := range o.set {
		n, _ := strconv.Atoi(value)
		switch name {
		case "cost":
			b.Spec.CostSeconds = int32(w.duration(value).Seconds())
		case "suites":
			b.Spec.Suites = strings.Split(value, ",")
		case "image":
			b.Spec.Image = value
		case "siteImage": // in the place of an image
			b.Spec.Image, b.Spec.SiteImage = "", value
		case "min":
			b.Spec.Needs.MinDevices = ptr.To(int32(n))
		case "devices":
			b.Spec.Needs = v1alpha1.Needs{}
		case "product": // of the nodes that it is for; not: of those that it is not for
			b.Spec.Needs.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{v1alpha1.LabelGPUProduct: value}}
		case "not":
			b.Spec.Needs.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: v1alpha1.LabelGPUProduct, Operator: metav1.LabelSelectorOpNotIn, Values: []string{value}}}}
		case "parameter":
			b.Spec.Parameters = []v1alpha1.ParameterSpec{{Name: value, Type: v1alpha1.ParameterInteger, Default: "1"}}
			b.Spec.Command = []string{b.Name, "$(" + value + ")"}
		case "compared": // with other nodes, by so much
			b.Spec.Metrics = []v1alpha1.Metric{{Name: "bandwidth", Expectation: &v1alpha1.Expectation{MaxFleetDeviation: v1alpha1.Fraction(value)}}}
		case "throughput": // a metric that runs and policies may expect something else of
			b.Spec.Metrics = append(b.Spec.Metrics, v1alpha1.Metric{Name: "throughput"})
		case "group":
			b.Spec.Scope, b.Spec.Group = v1alpha1.ScopeGroup, &v1alpha1.Group{Size: intstr.FromInt32(int32(n))}
		default:
			w.t.Fatalf("a benchmark has no %s", name)
		}
	}
	b.Generation++
	w.benchmarks = append(w.benchmarks, b)
}

// setProfile says by which fabric group benchmarks reach each other on all nodes; without a word of it, nothing any more.
func (w *world) setProfile(o words) {
	p := v1alpha1.HardwareProfile{}
	p.Name, p.Generation, p.Spec.AllNodes = o.plain[0], w.now.Unix(), true
	if o.set["resource"]+o.set["interface"] != "" {
		p.Spec.Fabric = &v1alpha1.Fabric{Resource: o.set["resource"], Interface: o.set["interface"]}
	}
	w.profiles, _ = peak.ReadProfiles([]v1alpha1.HardwareProfile{p})
}

// machineOf a node as a run of a benchmark would record it, which measures these nodes together.
func (w *world) machineOf(n *worldNode, b *v1alpha1.Benchmark, together []*worldNode) v1alpha1.Machine {
	fabric := ""
	if b.Spec.Scope == v1alpha1.ScopeGroup {
		var said []*v1alpha1.Fabric
		var nodes []*corev1.Node
		for _, o := range together {
			said, nodes = append(said, w.profiles.Fabric(o.Labels)), append(nodes, o.Node)
		}
		fabric = workload.FabricName(workload.FabricOf(said, nodes))
	}
	return nodevalidation.MachineOf(n.Node, b.Spec.Needs.DeviceResource, fabric)
}

// setPolicy makes a policy, or edits one.
func (w *world) setPolicy(o words) {
	i := slices.IndexFunc(w.policies, func(p *worldPolicy) bool { return p.Name == o.plain[0] })
	if i < 0 {
		p := &v1alpha1.ValidationPolicy{}
		p.Name, p.UID, p.CreationTimestamp = o.plain[0], types.UID("policy-"+o.plain[0]), metav1.Time{Time: w.now}
		p.Spec = v1alpha1.ValidationPolicySpec{AllNodes: true, Suite: "quick", OverdueSeconds: 86400, Retry: v1alpha1.Retry{AfterSeconds: 3600},
			RevalidateOn: []v1alpha1.Change{v1alpha1.ChangeDriver, v1alpha1.ChangeDevices}}
		p.Status.ObservedGeneration = -1
		w.policies = append(w.policies, &worldPolicy{ValidationPolicy: p, seen: map[types.UID]Seen{}, looks: map[types.UID]Look{}, looked: map[string]int{}, memory: &validity.Memory{}})
		i = len(w.policies) - 1
	}
	p := w.policies[i].ValidationPolicy.DeepCopy()
	p.Generation++
	for _, name := range slices.Sorted(maps.Keys(o.set)) { // the gate before what belongs to it
		w.setSpec(&p.Spec, name, o.set[name])
	}
	w.policies[i].ValidationPolicy = p
}

func (w *world) setSpec(s *v1alpha1.ValidationPolicySpec, name, value string) {
	secs := func() int64 { return int64(w.duration(value).Seconds()) }
	switch name {
	case "suite":
		s.Suite = value
	case "override": // the expectation of a benchmark of the suite; empty: none
		s.Overrides = weaker(value)
	case "select":
		key, v, _ := strings.Cut(value, ":")
		s.AllNodes, s.Selector = false, metav1.LabelSelector{MatchLabels: map[string]string{key: v}}
	case "validFor":
		s.ValidForSeconds = ptr.To(secs())
	case "on":
		s.RevalidateOn = nil
		for _, c := range strings.Split(value, ",") {
			s.RevalidateOn = append(s.RevalidateOn, v1alpha1.Change(c))
		}
	case "schedule":
		s.Schedule = value
	case "zone":
		s.TimeZone = value
		if at, err := time.LoadLocation(value); err == nil {
			w.zone = at
		}
	case "deadline":
		s.StartingDeadlineSeconds = ptr.To(secs())
	case "overdue":
		s.OverdueSeconds = secs()
	case "gpuSeconds": // a day
		n, _ := strconv.ParseInt(value, 10, 64)
		s.GPUSecondsPerDay = &n
	case "batch":
		s.BatchSeconds = ptr.To(int32(secs()))
	case "retry":
		s.Retry.AfterSeconds = secs()
	case "limit":
		n, _ := strconv.Atoi(value)
		s.Retry.Limit = ptr.To(int32(n))
	case "failed": // the key of the taint that a failed node gets
		s.Run.OnFailure = &v1alpha1.OnFailure{Taint: &v1alpha1.Taint{Key: value, Effect: corev1.TaintEffectNoSchedule}}
	case "gate":
		s.Gate = &v1alpha1.Gate{Taint: v1alpha1.GateTaint{Key: value}, TimeoutSeconds: 3600}
	case "timeout":
		s.Gate.TimeoutSeconds = secs()
	case "onTimeout":
		s.Gate.OnTimeout = v1alpha1.OnTimeout(value)
	case "suspend":
		s.Suspend = value == "true"
	default:
		w.t.Fatalf("a policy has no %s", name)
	}
}

// addNodes that have passed the suite during some hours before now, unless passed=no.
func (w *world) addNodes(o words) {
	count, _ := strconv.Atoi(o.plain[0])
	for i := range count {
		name := "node-" + string(rune('a'+i))
		if count > 26 {
			name = fmt.Sprintf("node-%04d", i)
		}
		now := w.now
		w.now = now.Add(-2 * time.Hour)
		n := w.addNode(name)
		w.now = now
		w.setNode(n, o)
		if o.set["passed"] == "no" {
			continue
		}
		ago := time.Hour - time.Duration(i)*time.Hour/time.Duration(max(count, 2))
		run := &v1alpha1.ValidationRun{Spec: v1alpha1.ValidationRunSpec{Suite: "quick", NodeNames: []string{name}}}
		run.Name, run.UID, run.CreationTimestamp = "before", types.UID("before-"+name), metav1.Time{Time: now.Add(-ago)}
		w.record(&worldRun{ValidationRun: run, nodes: []*worldNode{n, n}}, n)
	}
}

func (w *world) setNode(n *worldNode, o words) {
	for name, value := range o.set {
		number, _ := strconv.Atoi(value)
		switch name {
		case "passed", "made", "by":
		case "gate":
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: value, Value: "pending", Effect: corev1.TaintEffectNoSchedule})
		case "taint":
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: value, Effect: corev1.TaintEffectNoSchedule})
		case "evicts":
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: value, Effect: corev1.TaintEffectNoExecute})
		case "untaint":
			n.Spec.Taints = slices.DeleteFunc(slices.Clone(n.Spec.Taints), func(t corev1.Taint) bool { return t.Key == value })
		case "devices":
			n.setDevices(int64(number))
		case "offers":
			n.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": *newQuantity(int64(number))}
		case "offersRDMA":
			n.Status.Allocatable["rdma/hca"] = *newQuantity(int64(number))
		case "claimed": // of a DRA driver
			n.Node = dra.Show(n.Node, dra.Offer{Class: "gpu.nvidia.com", Resource: "nvidia.com/gpu", Has: int64(number), Offers: int64(number)}, true)
		case "has":
			n.Status.Capacity = corev1.ResourceList{"nvidia.com/gpu": *newQuantity(int64(number))}
		case "driver":
			n.Labels[labelDriverTest] = value
		case "kernel":
			n.Status.NodeInfo.KernelVersion = value
		case "ready":
			n.setReady(value == "true", w.now)
		case "cordoned":
			n.Spec.Unschedulable = value == "true"
		case "busy":
			n.busy = value
		case "idle":
			n.busy = ""
		case "label":
			key, v, _ := strings.Cut(value, ":")
			n.Labels[key] = v
		default:
			w.t.Fatalf("a node has no %s", name)
		}
	}
}

// rollout of a driver: one node after the other.
func (w *world) rollout(o words) {
	for i, n := range w.nodes {
		w.at(w.now.Add(time.Duration(i)*w.duration(o.set["each"])), "", func() { n.Labels[labelDriverTest] = o.set["driver"] })
	}
}

// weaker asks of some benchmarks less than they do themselves.
func weaker(names string) (refs []v1alpha1.BenchmarkRef) {
	for _, name := range strings.Split(names, ",") {
		if name != "" {
			refs = append(refs, v1alpha1.BenchmarkRef{Name: name,
				Expectations: []v1alpha1.ExpectationOverride{{Metric: "throughput", Expectation: v1alpha1.Expectation{Min: "1"}}}})
		}
	}
	return refs
}

// byHand starts somebody's own run.
func (w *world) byHand(o words) {
	run := &v1alpha1.ValidationRun{}
	run.Name = o.plain[0]
	run.Spec = v1alpha1.ValidationRunSpec{NodeNames: strings.Split(o.set["nodes"], ","), Suite: o.set["suite"], Suspend: o.set["suspend"] == "true"}
	run.Spec.Benchmarks, run.Spec.Overrides = weaker(o.set["weaker"]), weaker(o.set["override"])
	for _, name := range strings.Split(o.set["huge"], ",") {
		if name != "" {
			run.Spec.Benchmarks = append(run.Spec.Benchmarks, v1alpha1.BenchmarkRef{Name: name,
				Parameters: []v1alpha1.ParameterValue{{Name: "bytes", Value: "1000000000000000"}}})
		}
	}
	for _, name := range strings.Split(o.set["with"], ",") {
		if name != "" {
			run.Spec.Benchmarks = append(run.Spec.Benchmarks, v1alpha1.BenchmarkRef{Name: name})
		}
	}
	w.start(run)
}
