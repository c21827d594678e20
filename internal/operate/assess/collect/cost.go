package collect

import (
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/quantity"
)

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
