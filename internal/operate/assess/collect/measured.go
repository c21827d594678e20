package collect

import (
	"math"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/quantity"
)

// Measured: the program ended and left numbers, or wrong data.
func Measured(a v1alpha1.Attempt) bool {
	return a.Verdict == v1alpha1.VerdictPass || a.Verdict == v1alpha1.VerdictFail && !foundMissing(&a)
}

// Digest the node's first measured attempts.
func (s *Collected) Digest(n *CollectedNode) []*fleet.Digest {
	digests := make([]*fleet.Digest, len(s.Tasks))
	for i := range s.Tasks {
		if !s.Tasks[i].IsGroup() {
			digests[i] = s.digestOf(n, i)
		}
	}
	return digests
}

// digestOf the node's first measured attempt by a task; nil: there is none.
func (s *Collected) digestOf(n *CollectedNode, i int) *fleet.Digest {
	t, m := &s.Tasks[i], &n.Memory.Tasks[i]
	attempts := n.Attempts(t.Name())
	alike := attempt.Alike(attempts)
	first := slices.IndexFunc(alike, Measured)
	if first < 0 {
		return nil
	}
	at := slices.IndexFunc(attempts, func(a v1alpha1.Attempt) bool { return a.Number == alike[first].Number })
	if !n.Changed && m.Digest != nil && m.Digested == at {
		return m.Digest
	}
	d := fleet.DigestAttempt(t.Metrics, &n.MeasuredBy(t.Name()).Attempts[at]).On(n.host())
	d.Node = n.Name
	if !n.Changed {
		m.Digest, m.Digested = &d, at
	}
	return &d
}

// worthKeeping leaves out how the GPUs fared during metrics that nothing is expected of: it explains readings that fall short, and a
// program that measures many number formats says it of each.
func worthKeeping(telemetry []v1alpha1.Measurement, metrics []v1alpha1.Metric, measured []v1alpha1.Measurement) []v1alpha1.Measurement {
	idle := map[string]bool{}
	for i := range measured {
		name := measured[i].Name
		expected := slices.ContainsFunc(metrics, func(m v1alpha1.Metric) bool { return m.Name == name && m.Expectation != nil })
		idle[name] = !expected
	}
	return slices.DeleteFunc(telemetry, func(t v1alpha1.Measurement) bool {
		return idle[strings.TrimSuffix(strings.TrimSuffix(t.Name, "Clock"), "Power")]
	})
}

// mostWatts of a GPU: a node that tells of more is not believed.
const mostWatts = 5000

// held is what an attempt held: so many GPUs, for so long at most. A node's clock may be anything, and a run must cost no more than it can have.
type held struct {
	gpus int64
	most time.Duration
}

// cost of an attempt whose program ran so long: not while images were pulled or pods came and went, of which nothing is known.
func (h held) cost(ran time.Duration, sampled []v1alpha1.Measurement) *v1alpha1.Cost {
	seconds := min(ran, h.most).Seconds()
	if h.gpus <= 0 || seconds <= 0 {
		return nil
	}
	c := v1alpha1.Cost{GPUSeconds: int64(math.Round(float64(h.gpus) * seconds))}
	if watts := wattsOf(sampled); watts <= mostWatts*float64(h.gpus) {
		c.Joules = int64(math.Round(watts * seconds))
	}
	return c.OrNone()
}

// wattsOf all GPUs: what the program read while it used them, or else what the runner sampled beside it; 0: neither did.
func wattsOf(sampled []v1alpha1.Measurement) (sum float64) {
	for _, name := range []string{"power", "gpuPower"} {
		i := slices.IndexFunc(sampled, func(m v1alpha1.Measurement) bool { return m.Name == name && m.Unit == "W" })
		if i < 0 {
			continue
		}
		for _, p := range sampled[i].Parts {
			if v, ok := quantity.ParseDecimal(p.Value); ok {
				sum += max(0, v)
			}
		}
		return sum
	}
	return 0
}

// gpusOf a group: those that its workers hold, as far as its nodes are still there to tell.
func (s *Collected) gpusOf(g *CollectedGroup) int64 {
	var nodes []*corev1.Node
	for _, ref := range g.Nodes {
		if n := s.node(ref.Name); n.Node != nil {
			nodes = append(nodes, n.Node)
		}
	}
	return workload.GPUsOfGroup(s.Tasks[g.Task].Benchmark, nodes)
}
