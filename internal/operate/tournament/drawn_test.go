package tournament

import (
	"embed"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/test/golden"
)

//go:embed testdata
var files embed.FS

var _ = golden.Keep(files)

// drawnScope is a run, with what is slow in it.
type drawnScope struct {
	*scope
	*rand.Rand
	slow  map[string]float64
	link  map[blame.Pair]float64
	noise float64
	apart float64 // by how much pairs across racks are slower
	nodes map[string]*Node
	mean  bool // what is measured may go wrong
}

func drawScope(r *rand.Rand) *drawnScope {
	e := v1alpha1.Expectation{MaxFleetDeviation: golden.One[v1alpha1.Fraction](r, "0.05", "0.1", "")}
	if r.IntN(2) == 0 {
		e.Min = "9"
	}
	s := &drawnScope{Rand: r, slow: map[string]float64{}, link: map[blame.Pair]float64{}, noise: golden.One(r, 0, 0.003, 0.02), mean: r.IntN(2) == 0}
	nodes, metrics := 3+r.IntN(10), []v1alpha1.Metric{bandwidth(e)}
	if r.IntN(2) == 0 {
		metrics[0].Noise = v1alpha1.Noise{Run: "0.003", Node: "0.003"}
	}
	if r.IntN(3) == 0 {
		metrics = append(metrics, latency(v1alpha1.Expectation{Max: "1.3", MaxFleetDeviation: "0.2"}))
	}
	switch r.IntN(4) {
	case 0, 1:
		s.scope = pairScope(nodes, int32(r.IntN(3)), metrics...)
		s.Benchmark.Spec.Group.Rounds = golden.One(r, nil, new(int32(5)))
	case 2:
		s.scope = setScope(nodes, int32(3+r.IntN(3)), metrics...)
	case 3:
		metrics[0].Scaling, metrics[0].Expectation.MinEfficiency = v1alpha1.ScalingStrong, "0.8"
		s.scope = setScope(nodes, 0, metrics...)
		s.Benchmark.Spec.Group.Size = intstr.FromString("All")
		s.Benchmark.Spec.Group.Sizes = golden.One(r, nil, []int32{1, 2}, []int32{2, 3})
	}
	s.Run.Spec.Confirmations = new(int32(r.IntN(3)))
	if r.IntN(2) == 0 {
		switch r.IntN(3) {
		case 0:
			s.Benchmark.Spec.Group.Within = "rack"
		case 1:
			s.Benchmark.Spec.Group.Topology, s.apart = "rack", golden.One(r, 0, 0.2)
		}
		for i, n := range s.Nodes {
			n.Object.Labels = map[string]string{"rack": fmt.Sprint("rack-", i*3/nodes)}
		}
	}
	s.nodes = newField(s.Input).nodes
	name := func() string { return s.Nodes[r.IntN(nodes)].Name }
	for range r.IntN(3) {
		s.slow[name()] = golden.One(r, 0.04, 0.04, 0.2, 0.2, 0.5)
	}
	if r.IntN(3) == 0 {
		s.link[blame.NewPair(name(), name())] = 0.3
	}
	return s
}

// reached by some nodes: as fast as the slowest of them, and of what is between them.
func (s *drawnScope) reached(names []string) float64 {
	loss := 0.0
	for i, a := range names {
		loss = max(loss, s.slow[a])
		for _, b := range names[i+1:] {
			loss = max(loss, s.link[blame.NewPair(a, b)])
			if s.nodes[a].label("rack") != s.nodes[b].label("rack") {
				loss = max(loss, s.apart)
			}
		}
	}
	return (1 - loss) * math.Exp(s.noise*s.NormFloat64())
}

// measure a group that is due.
func (s *drawnScope) measure(g *played) {
	if s.mean {
		switch s.IntN(20) {
		case 0:
			s.addAttempt(g, v1alpha1.Attempt{Round: g.Round, Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonTimedOut, Message: "killed after 10m"})
			return
		case 1:
			s.addAttempt(g, v1alpha1.Attempt{Round: g.Round, Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonDisturbed, Message: "pid 9 used gpu0"})
			return
		case 2:
			s.addAttempt(g, v1alpha1.Attempt{Round: g.Round, Verdict: v1alpha1.VerdictFail, Reason: v1alpha1.ReasonWrongData, Message: "wrong data",
				Checks: []v1alpha1.Check{{Name: "data", Message: "3 of 8 words differ"}}})
			return
		}
	}
	reached, a := s.reached(g.Names()), v1alpha1.Attempt{Round: g.Round, Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured}
	for i, m := range s.Metrics {
		v, at := 10*reached, ""
		if m.Better == v1alpha1.Lower {
			v = 1 / reached
		}
		if m.Scaling != "" {
			v, at = v*float64(len(g.Nodes)), quantity.OfNodes(len(g.Nodes))
		}
		if i == 0 || s.IntN(12) > 0 {
			a.Measurements = append(a.Measurements, v1alpha1.Measurement{Name: m.Name, Unit: m.Unit, Parts: []v1alpha1.PartValue{{At: at, Value: quantity.Decimal(v, quantity.ShownDigits)}}})
		}
	}
	if s.mean && s.IntN(12) == 0 {
		a.Facts = []v1alpha1.Fact{{Name: v1alpha1.FactTransport, Value: "NET/Socket"}}
	}
	s.addAttempt(g, a)
}

// meddle with the run, or with a node.
func (s *drawnScope) meddle(out *strings.Builder) {
	n := s.Nodes[s.IntN(len(s.Nodes))]
	switch s.IntN(40) {
	case 0:
		n.Gone = &verdict.Decision{Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonNodeCordoned, Message: "the node is cordoned"}
		fmt.Fprintf(out, "  %s is cordoned\n", n.Name)
	case 1:
		n.Held, n.Waited = true, "a job of somebody else"
		fmt.Fprintf(out, "  %s is held\n", n.Name)
	case 2:
		s.Interrupted = !s.Interrupted
		fmt.Fprintf(out, "  interrupted: %v\n", s.Interrupted)
	case 3:
		n.Object, n.Recreated = n.Object.DeepCopy(), true
		n.Object.UID += "-new"
		fmt.Fprintf(out, "  %s is another machine\n", n.Name)
	}
}

func (s *drawnScope) play(out *strings.Builder) {
	concluded := map[string]string{}
	for pass := range 30 {
		if s.mean {
			s.meddle(out)
		}
		if s.Now = s.Now.Add(10 * time.Minute); pass == 24 {
			s.Overdue = true
		}
		s.pass()
		for _, c := range s.out.Concluded {
			said := fmt.Sprintf("%s: %s %s: %s\n", message.Nodes(s.played[c.ID].Names()), c.Decision.Verdict, c.Decision.Reason, golden.Figures(c.Decision.Message))
			if concluded[c.ID] != said {
				out.WriteString(said)
			}
			concluded[c.ID] = said
		}
		for _, n := range s.Nodes {
			if d := s.of(n); d.Verdict != v1alpha1.VerdictPending && n.Stored == nil && s.IntN(2) == 0 {
				n.Stored = &v1alpha1.BenchmarkResult{Name: s.Benchmark.Name, Verdict: d.Verdict, Reason: d.Reason, Message: d.Message, Headline: d.Headline, Curves: d.Curves,
					Findings: d.Findings, Attempts: s.out.Shown[n.Name].Attempts}
			}
		}
		due := 0
		for _, g := range s.sorted() {
			if !g.due {
				continue
			}
			i := slices.IndexFunc(s.out.Due, func(d Due) bool { return d.ID == g.ID })
			fmt.Fprintf(out, "  due in round %d: %s %s\n", g.Round, message.Nodes(g.Names()), s.out.Due[i].Reason)
			if due++; !s.Overdue && s.IntN(10) > 0 {
				s.measure(g)
			}
		}
		if !s.out.Recheck.IsZero() {
			fmt.Fprintf(out, "  again in %s\n", s.out.Recheck.Sub(s.Now))
		}
		if due == 0 && !s.Interrupted && !slices.ContainsFunc(s.Nodes, func(n *Node) bool { return s.of(n).Verdict == v1alpha1.VerdictPending }) {
			return
		}
	}
}

// TestDrawnGroups: what is measured in runs of groups, and what is said of groups and nodes.
func TestDrawnGroups(t *testing.T) {
	golden.Sums(t, "groups", 480, func(r *rand.Rand) string {
		s, out := drawScope(r), &strings.Builder{}
		fmt.Fprintf(out, "%d nodes in groups of %s within %q by %q, sizes %v, confirmations %d; slow %v, links %v, noise %v\n", len(s.Nodes), s.Benchmark.Spec.Group.Size.String(),
			s.Benchmark.Spec.Group.Within, s.Benchmark.Spec.Group.Topology, s.Benchmark.Spec.Group.Sizes, *s.Run.Spec.Confirmations, s.slow, s.link, s.noise)
		s.play(out)
		for _, n := range s.Nodes {
			shown := s.out.Shown[n.Name]
			fmt.Fprintf(out, "%s %s %s: %s; %s %s, %d held\n", n.Name, shown.Verdict, shown.Reason, golden.Figures(shown.Message), golden.Told(shown.Headline), golden.Told(shown.Curves), len(shown.Terms.Held))
			for _, f := range shown.Findings {
				fmt.Fprintf(out, "  %s\n", golden.Told(f))
			}
			for _, b := range shown.Terms.Broken {
				fmt.Fprintf(out, "  broke %s of %s: %s, bound %s\n", b.Rule, b.Metric, b.Value, b.Bound)
			}
			for _, a := range shown.Attempts {
				fmt.Fprintf(out, "  %s of %d measurements, %d notes\n", a.Verdict, len(a.Measurements), len(a.Notes))
			}
		}
		for _, f := range s.out.Findings {
			fmt.Fprintf(out, "found %s\n", golden.Told(f))
		}
		return out.String()
	})
}
