package main

import (
	"slices"

	"github.com/assay-dev/assay/hack/bench/corpus"
)

// asClaimed is the world in which healthy hardware is as it was recorded.
const asClaimed = "as recorded"

// large faults are those that no rule may let pass.
const large = 0.10

// share of how often something was so.
type share struct{ yes, all int }

func (s *share) count(yes bool) {
	s.all++
	if yes {
		s.yes++
	}
}

func (s share) of() float64 { return float64(s.yes) / float64(max(1, s.all)) }

// score of a rule.
type score struct {
	// found: faulty nodes that failed, by the share that they lost, of fleets as recorded.
	found map[float64]share
	// passed: faulty nodes of any size that lost at least large, as recorded, and were said to be fine.
	passed share
	// part: of the found, those of which a part was named that has the fault; all worlds.
	part share
	// alarms: healthy nodes that failed, as recorded and in the other worlds. Nodes beside a faulty one count.
	alarms, alarmsElsewhere share
	// worst of the other worlds.
	worst    string
	byWorld  map[string]share
	attempts int
	// seconds of a node and of its GPUs, of all nodes of all cases.
	seconds, gpuSeconds float64
	nodes               int
}

func scoreOf(cases []corpus.Case, answers []corpus.Answer) score {
	s := score{found: map[float64]share{}, byWorld: map[string]share{}}
	for i := range cases {
		s.add(&cases[i], &answers[i])
	}
	for _, world := range sorted(s.byWorld) {
		if world != asClaimed && (s.worst == "" || s.byWorld[world].of() > s.byWorld[s.worst].of()) {
			s.worst = world
		}
	}
	return s
}

func (s *score) add(c *corpus.Case, a *corpus.Answer) {
	attempts := max(a.Attempts, len(c.Nodes))
	s.attempts, s.nodes = s.attempts+attempts, s.nodes+len(c.Nodes)
	s.seconds += float64(attempts * c.CostSeconds)
	s.gpuSeconds += float64(attempts * c.CostSeconds * c.GPUs)
	fault := c.Label.Fault
	for _, n := range c.Nodes {
		failed := slices.ContainsFunc(a.Failed, func(v corpus.Verdict) bool { return v.Node == n.Name })
		if fault != nil && fault.Node == n.Name {
			s.addFaulty(c, a, failed)
			continue
		}
		world := s.byWorld[c.Label.World]
		world.count(failed)
		s.byWorld[c.Label.World] = world
		if c.Label.World == asClaimed {
			s.alarms.count(failed)
		} else {
			s.alarmsElsewhere.count(failed)
		}
	}
}

func (s *score) addFaulty(c *corpus.Case, a *corpus.Answer, failed bool) {
	fault := c.Label.Fault
	if c.Label.World == asClaimed {
		found := s.found[fault.Lost]
		found.count(failed)
		s.found[fault.Lost] = found
		if fault.Lost >= large {
			s.passed.count(!failed && !slices.Contains(a.Unjudged, fault.Node))
		}
	}
	if failed {
		s.part.count(slices.ContainsFunc(a.Failed, func(v corpus.Verdict) bool {
			return v.Node == fault.Node && slices.Contains(fault.Metrics, v.Metric) && names(v.Part, fault.Parts, c)
		}))
	}
}

// names: a verdict names one of the parts, or, where all parts of the node are slow, the node as a whole.
func names(part string, faulty []string, c *corpus.Case) bool {
	if part != "" && part != "node" {
		return slices.Contains(faulty, part)
	}
	parts := map[string]bool{}
	for _, of := range c.Nodes[0].Attempts[0] {
		for at := range of {
			parts[at] = true
		}
	}
	return len(faulty) == len(parts)
}
