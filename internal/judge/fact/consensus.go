package fact

import (
	"fmt"
	"slices"
	"unique"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/term"
)

// minUniform is how many nodes of a kind have to have a say in a fact before any of them can differ from the others.
const minUniform = 3

// factPlace is a fact of one part of nodes of one kind.
type factPlace struct{ machine, name, at string }

// Of is a fact of a node.
type Of struct{ Node, Fact string }

// consensus is what the nodes of a run say of one fact.
type consensus struct {
	// nodes that report it, and of these the voters, which have a say in what it should be.
	nodes, voters int
	// most is the value that more than half of the voters have, and holds how many nodes; empty: there is none.
	most  string
	holds int
	// values by how many nodes have them, where most of them agree. What differs everywhere, as serial numbers do, is no matter.
	values map[string]int
	// silent are those of them that have no say.
	silent map[string]int
}

// Expected is what facts must be, and what most nodes have.
type Expected struct {
	facts     []v1alpha1.FactExpectation
	fleet     *fleet.Fleet // nil: other nodes are still to come
	consensus map[factPlace]*consensus
}

// Expecting says what facts must be; the uncounted are nodes that have no say in one. Without a fleet no fact is compared yet.
func Expecting(fleet *fleet.Fleet, facts []v1alpha1.FactExpectation, uncounted ...Of) *Expected {
	f := &Expected{facts: facts, fleet: fleet, consensus: map[factPlace]*consensus{}}
	if fleet == nil {
		return f
	}
	alike := map[string]map[unique.Handle[v1alpha1.Fact]]int{} // by machine: of millions of facts most are the same
	for _, d := range fleet.Own {
		counts := alike[d.Machine]
		if counts == nil && len(d.Facts) > 0 {
			counts = map[unique.Handle[v1alpha1.Fact]]int{}
			alike[d.Machine] = counts
		}
		for _, h := range d.Facts {
			counts[h]++
		}
	}
	for machine, counts := range alike {
		for h, n := range counts {
			fact := h.Value()
			c := f.consensusAt(factPlace{machine, fact.Name, fact.At})
			c.nodes += n
			c.voters += n
			c.values[fact.Value] += n
		}
	}
	for _, v := range uncounted {
		f.silence(v)
	}
	for _, c := range f.consensus {
		for value, n := range c.values {
			if 2*(n-c.silent[value]) > c.voters {
				c.most, c.holds = value, n
			}
		}
		if c.holds == 0 {
			c.values = nil
		}
	}
	return f
}

// silence a node in all that it says of a fact.
func (f *Expected) silence(v Of) {
	d := f.fleet.OwnOf(v.Node)
	if d == nil {
		return
	}
	for _, h := range d.Facts {
		if fact := h.Value(); fact.Name == v.Fact {
			c := f.consensusAt(factPlace{d.Machine, fact.Name, fact.At})
			c.silent[fact.Value]++
			c.voters--
		}
	}
}

func (f *Expected) consensusAt(at factPlace) *consensus {
	c := f.consensus[at]
	if c == nil {
		c = &consensus{values: map[string]int{}, silent: map[string]int{}}
		f.consensus[at] = c
	}
	return c
}

// applies: enough nodes have a say in the fact, and most of them agree.
func (c *consensus) applies() bool { return c != nil && c.voters >= minUniform && c.holds > 0 }

// differs says how the value of a part differs from that of most nodes; ok is false where it does not, or where nobody can tell.
func (c *consensus) differs(fact v1alpha1.Fact) (d Deviant, ok bool) {
	if !c.applies() || fact.Value == c.most {
		return Deviant{}, false
	}
	return Deviant{Fact: fact.Name, Value: fact.Value, Most: c.most, Own: max(1, c.values[fact.Value]), Having: c.holds, Nodes: c.nodes}, true
}

// judgeUniform compares a fact with that of most nodes. In a run of too few nodes, one that was convicted by it is held to what it was
// compared with then: a repaired node must not need others to be free.
func (f *Expected) judgeUniform(j *Sheet, found []v1alpha1.Fact, node string, convicted []v1alpha1.Conviction) {
	if f.fleet == nil {
		j.Waiting = true
		return
	}
	off, t := differences{}, term.Term{Rule: term.FactUniform}
	machine := ""
	if d := f.fleet.OwnOf(node); d != nil {
		machine = d.Machine
	}
	var few *consensus
	for _, fact := range found {
		c := f.consensus[factPlace{machine, fact.Name, fact.At}]
		if !c.applies() {
			few = c
			continue
		}
		t.Parts++
		if d, ok := c.differs(fact); ok {
			off.add(fact.At, d)
		}
	}
	if t.Parts == 0 {
		j.asConvicted(found, few, convicted)
		return
	}
	for _, d := range off {
		j.object(d.Parts[0], term.FactUniform, "", fmt.Sprintf("%s (on %d of %d nodes of its kind), and %s on %d",
			factIs(j.expect.Name, d.Parts, j.uuids(d), d.Value), d.Own, d.Nodes, d.Most, d.Having))
	}
	if len(off) > 0 {
		t.Expected = off[0].Most
	}
	j.note(t, off)
}

// asConvicted holds a node to the value that most nodes had when it was convicted: at every part of the kind that differed.
func (j *Sheet) asConvicted(found []v1alpha1.Fact, few *consensus, convicted []v1alpha1.Conviction) {
	i := slices.IndexFunc(convicted, func(c v1alpha1.Conviction) bool { return c.Rule == term.FactUniform && c.Metric == j.expect.Name })
	if i < 0 {
		return
	}
	c := &convicted[i]
	t := term.Term{Rule: term.FactUniform}
	for _, fact := range found {
		if part.Kind(fact.At) != part.Kind(c.At) {
			continue
		}
		if t.Parts++; fact.Value != c.Expected {
			voters := 0
			if few != nil {
				voters = few.voters
			}
			j.object(fact.At, term.FactUniform, v1alpha1.VerdictSkipped, factNotCompared(j.expect.Name, fact.At, fact.Value, c.Expected, voters))
			return
		}
	}
	if t.Parts > 0 {
		j.note(t, nil)
	}
}

// Differences are the facts of a node that most nodes of its kind have otherwise, in the order in which the program reports them.
func (f *Expected) Differences(node string) []Difference {
	d := f.fleet.OwnOf(node)
	if d == nil {
		return nil
	}
	var off differences
	for _, h := range d.Facts {
		fact := h.Value()
		if other, ok := f.consensus[factPlace{d.Machine, fact.Name, fact.At}].differs(fact); ok {
			off.add(fact.At, other)
		}
	}
	return off
}
