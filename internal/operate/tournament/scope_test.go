package tournament

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// scope is a run of one benchmark of groups, without a cluster: what is due is measured at once.
type scope struct {
	Input
	played map[string]*played
	out    Outcome
}

// played is a group with what its result says.
type played struct {
	Group
	due    bool
	stored verdict.Decision
}

// parts are what a pair measured of the first metric, by part.
type parts map[string]float64

// pairScope has nodes that a Benchmark of pairs measures.
func pairScope(nodes int, confirmations int32, metrics ...v1alpha1.Metric) *scope {
	run := &v1alpha1.ValidationRun{Spec: v1alpha1.ValidationRunSpec{Confirmations: &confirmations, ActiveDeadlineSeconds: new(int64(3600))}}
	run.Name, run.UID = "run", "run-uid"
	b := &v1alpha1.Benchmark{Spec: v1alpha1.BenchmarkSpec{Scope: v1alpha1.ScopeGroup, Group: &v1alpha1.Group{Size: intstr.FromInt32(2)}}}
	b.Name = "pairs"
	s := &scope{Input: Input{Run: run, Benchmark: b, Metrics: metrics, Now: time.Unix(1_700_000_000, 0)}, played: map[string]*played{}}
	for i := range nodes {
		n := &Node{Name: fmt.Sprintf("n%04d", i), Object: &corev1.Node{}}
		n.Object.Name, n.Object.UID = n.Name, types.UID(n.Name)
		s.Nodes = append(s.Nodes, n)
	}
	return s
}

func bandwidth(e v1alpha1.Expectation) v1alpha1.Metric {
	return v1alpha1.Metric{Name: "bandwidth", Unit: "GB/s", Better: v1alpha1.Higher, Headline: true, Noise: v1alpha1.Noise{Run: "0.02", Part: "0.02", Node: "0.02"}, Expectation: &e}
}

func latency(e v1alpha1.Expectation) v1alpha1.Metric {
	return v1alpha1.Metric{Name: "latency", Unit: "us", Better: v1alpha1.Lower, Headline: true, Noise: v1alpha1.Noise{Run: "0.02", Part: "0.02", Node: "0.02"}, Expectation: &e}
}

// groupOf some nodes, as it is kept from pass to pass.
func (s *scope) groupOf(names []string) *played {
	return s.keep(newField(s.Input).groupOf(names))
}

func (s *scope) keep(g *Group) *played {
	if p := s.played[g.ID]; p != nil {
		return p
	}
	p := &played{Group: *g}
	p.Verdict = v1alpha1.VerdictPending
	var said []*v1alpha1.Fabric
	var nodes []*corev1.Node
	for _, n := range s.Nodes {
		if slices.Contains(g.Names(), n.Name) {
			said, nodes = append(said, n.Peaks.Fabric), append(nodes, n.Object)
		}
	}
	p.Fabric = workload.FabricOf(said, nodes)
	s.played[g.ID] = p
	return p
}

// sorted are the groups by ID.
func (s *scope) sorted() []*played {
	var out []*played
	for _, id := range slices.Sorted(maps.Keys(s.played)) {
		out = append(out, s.played[id])
	}
	return out
}

// input of the next pass.
func (s *scope) input() Input {
	in := s.Input
	for _, n := range in.Nodes {
		if n.Object != nil {
			n.Fabric = workload.FabricName(workload.FabricOf([]*v1alpha1.Fabric{n.Peaks.Fabric}, []*corev1.Node{n.Object}))
		}
	}
	for _, g := range s.sorted() {
		if len(g.Attempts) > 0 {
			in.Groups = append(in.Groups, &g.Group)
		}
	}
	return in
}

// pass judges the groups anew, as every pass does, and stores what is to be stored.
func (s *scope) pass() (written int) {
	s.out = Judge(s.input())
	changed := map[string]bool{}
	for id, g := range s.played {
		changed[id], g.due = g.Changed, false
	}
	for _, c := range s.out.Concluded {
		g := s.played[c.ID]
		changed[c.ID], g.Verdict, g.stored = true, c.Decision.Verdict, c.Decision
	}
	for id, g := range s.played {
		if g.Changed = false; changed[id] {
			written++
		}
	}
	for _, d := range s.out.Due {
		g := s.keep(&Group{ID: d.ID, Nodes: d.Nodes})
		g.due, g.Round = true, d.Round
	}
	return written
}

// due counts the groups that are to be measured after another pass.
func (s *scope) due() (due int) {
	s.pass()
	for _, g := range s.played {
		if g.due {
			due++
		}
	}
	return due
}

// of a node, what is shown of it.
func (s *scope) of(n *Node) verdict.Decision { return s.out.Shown[n.Name].Decision }

// add stores an attempt of a group.
func (s *scope) add(g *played, round int32, values parts) {
	m := s.Metrics[0]
	measured := v1alpha1.Measurement{Name: m.Name, Unit: m.Unit}
	for at, v := range values {
		measured.Parts = append(measured.Parts, v1alpha1.PartValue{At: at, Value: v1alpha1.Decimal(strconv.FormatFloat(v, 'f', -1, 64))})
	}
	s.addAttempt(g, v1alpha1.Attempt{Round: round, Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured, Measurements: []v1alpha1.Measurement{measured}})
}

func (s *scope) addAttempt(g *played, a v1alpha1.Attempt) {
	a.Number = int32(len(g.Attempts)) + 1
	g.Attempts, g.Changed, g.due = append(g.Attempts, a), true, false
}

// measureDue adds an attempt to each group that is due.
func (s *scope) measureDue(value float64) {
	for _, g := range s.sorted() {
		if g.due {
			s.add(g, g.Round, parts{"": value})
		}
	}
}

// play plays the tournament to its end.
func (s *scope) play(t *testing.T, value func(a, b string) parts) {
	t.Helper()
	for range 40 {
		s.pass()
		if !slices.ContainsFunc(s.Nodes, func(n *Node) bool { return s.of(n).Verdict == v1alpha1.VerdictPending }) {
			return
		}
		for _, g := range s.sorted() {
			if g.due {
				s.add(g, g.Round, value(g.Nodes[0].Name, g.Nodes[1].Name))
			}
		}
	}
	t.Fatal("the tournament does not end")
}

// tally counts the nodes by what is shown of them.
func (s *scope) tally() map[string]int {
	out := map[string]int{}
	for _, n := range s.Nodes {
		out[string(s.of(n).Verdict)+"/"+s.of(n).Reason]++
	}
	return out
}

// longest gives the run and its nodes the longest names that there are.
func (s *scope) longest() {
	s.Run.Name = strings.Repeat("r", 224)
	for _, n := range s.Nodes {
		n.Name += strings.Repeat("x", 253-len(n.Name))
		n.Object.Name = n.Name
	}
}

// checkTexts: the rows fit the API, and every note tells the result that it is about.
func (s *scope) checkTexts(t *testing.T) {
	t.Helper()
	fits := func(what, text string, limit int) {
		if n := utf8.RuneCountInString(text); n > limit {
			t.Errorf("%s of %d characters, at most %d fit: %s", what, n, limit, text)
		}
	}
	for _, n := range s.Nodes {
		d := s.of(n)
		fits("a message", d.Message, 1024)
		for _, f := range d.Findings {
			fits("a finding", f.Message, 1024)
		}
		if len(s.out.Shown[n.Name].Attempts) != 1 || len(s.out.Shown[n.Name].Attempts[0].Notes) == 0 {
			t.Fatalf("node %s has no notes", n.Name)
		}
		for _, note := range s.out.Shown[n.Name].Attempts[0].Notes {
			fits("a note", note, 512)
			if !slices.ContainsFunc(s.sorted(), func(g *played) bool {
				return slices.Contains(g.Names(), n.Name) && strings.Contains(note, g.ID)
			}) {
				t.Errorf("the note of %s names no result of it: %s", n.Name, note)
			}
		}
	}
	for _, f := range s.out.Findings {
		fits("a finding of the run", f.Message, 1024)
	}
}
