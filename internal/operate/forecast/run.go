package forecast

import (
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/policy"
	"github.com/assay-dev/assay/internal/operate/policy/needs"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
	"github.com/assay-dev/assay/internal/quantity"
)

// nodesOf a run, as far as they are there.
func (w *world) nodesOf(run *v1alpha1.ValidationRun) []*policy.Node {
	selector, err := run.Spec.ByLabels()
	if err != nil {
		return nil
	}
	named := map[string]bool{}
	for _, name := range run.Spec.NodeNames {
		named[name] = true
	}
	var all []*policy.Node
	for n := range list.Each(w.snapshot.Nodes) {
		if named[n.Object.Name] || len(run.Spec.NodeNames) == 0 && selector.Matches(labels.Set(n.Object.Labels)) {
			all = append(all, n)
		}
	}
	return all
}

// cost of a run: how long it takes, and for how long benchmarks have its nodes and their devices.
type cost struct {
	took, nodes time.Duration
	devices     map[string]float64 // hours, by resource
}

// costOf a run of which nothing has to be measured twice: nodes alone, as many at once as it lets, and then together.
func (w *world) costOf(run *v1alpha1.ValidationRun) cost {
	c, nodes := cost{devices: map[string]float64{}}, w.nodesOf(run)
	chosen, err := catalogue.Choose(w.in.Benchmarks, run.Spec.Suite, run.Spec.Benchmarks, run.Spec.Overrides)
	if err != nil || len(nodes) == 0 {
		return c
	}
	var alone, together time.Duration
	for b := range list.Each(chosen) {
		took, measured := catalogue.Cost(b), 0
		for _, n := range nodes {
			if needs.Exempts(b, n.Object) {
				continue
			}
			measured++
			c.nodes += took
			if devices := workload.Devices(b, n.Object); !devices.IsZero() {
				c.devices[b.Spec.Needs.DeviceResource] += took.Hours() * float64(devices.Value())
			}
		}
		switch {
		case measured == 0:
		case b.Spec.Scope == v1alpha1.ScopeGroup:
			together += took
		default:
			alone += took
		}
	}
	for resource, hours := range c.devices {
		c.devices[resource] = quantity.Round(hours, Digits)
	}
	atOnce := plan.Concurrent(run.Spec.MaxConcurrentNodes, len(nodes))
	turns := (len(nodes) + atOnce - 1) / atOnce
	c.took = alone*time.Duration(turns) + together
	return c
}

// ofGPUs is the cost as a run's status has it.
func (c *cost) ofGPUs() *v1alpha1.Cost {
	var sum float64
	for resource, hours := range c.devices {
		if workload.IsGPU(resource) {
			sum += hours * 3600
		}
	}
	return v1alpha1.Cost{GPUSeconds: int64(math.Round(sum))}.OrNone()
}

// endRuns that are over by now: every node has passed what is for it.
func (w *world) endRuns() {
	for _, run := range w.snapshot.Runs {
		if at, goes := w.ends[run.UID]; goes && !at.After(w.now) {
			delete(w.ends, run.UID)
			w.passAll(run)
			c := w.costOf(run)
			run.Status.Cost = c.ofGPUs()
			run.Status.Verdict, run.Status.CompletionTime = v1alpha1.VerdictPass, &metav1.Time{Time: w.now}
			meta.SetStatusCondition(&run.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionFinished, Status: metav1.ConditionTrue,
				Reason: v1alpha1.ReasonPassed, LastTransitionTime: metav1.Time{Time: w.now}})
		}
	}
}

func (w *world) passAll(run *v1alpha1.ValidationRun) {
	chosen, err := catalogue.Choose(w.in.Benchmarks, run.Spec.Suite, run.Spec.Benchmarks, run.Spec.Overrides)
	if err != nil {
		return
	}
	terms := validity.New(w.snapshot.Policy, w.snapshot.Benchmarks, w.snapshot.Profiles, nil, w.now)
	for _, n := range w.nodesOf(run) {
		j := nodevalidation.Judgement{Node: n.Object, Run: v1alpha1.ObjectReference{Name: run.Name, UID: run.UID}, Time: metav1.Time{Time: w.now},
			Result:     &v1alpha1.ValidationResult{Verdict: v1alpha1.VerdictPass, Node: v1alpha1.ObjectReference{Name: n.Object.Name, UID: n.Object.UID}},
			Benchmarks: map[string]nodevalidation.Benchmark{}}
		for b := range list.Each(chosen) {
			j.Result.Benchmarks = append(j.Result.Benchmarks, passed(b, n.Object, terms.Machine(n.Object, b), run.CreationTimestamp.Add(time.Second)))
			ref := run.Spec.Ref(b.Name)
			if asked, err := workload.Asked(b, ref); err == nil {
				j.Benchmarks[b.Name] = nodevalidation.Benchmark{Asked: asked, OwnParameters: len(ref.Parameters) > 0,
					OwnExpectations: len(ref.Expectations) > 0, DeviceResource: b.Spec.Needs.DeviceResource}
			}
		}
		n.Validation = nodevalidation.Next(nodevalidation.Known{Validation: n.Validation}, j).Validation
		n.Validation.ResourceVersion = w.version()
	}
}

// passed is what a benchmark finds on a node that it is for.
func passed(b *v1alpha1.Benchmark, n *corev1.Node, machine v1alpha1.Machine, at time.Time) v1alpha1.BenchmarkResult {
	if needs.Exempts(b, n) {
		return v1alpha1.BenchmarkResult{Name: b.Name, Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonNeedsNotMet}
	}
	return v1alpha1.BenchmarkResult{Name: b.Name, Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured, Attempts: []v1alpha1.Attempt{
		{Number: 1, Verdict: v1alpha1.VerdictPass, LaunchTime: &metav1.Time{Time: at}, Machine: &machine}}}
}
