// Package fact judges what a node is, not how fast: versions, settings and counts, which must have a value or be as on most nodes.
package fact

import (
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// FactRules are the rules about facts: they judge what is, not how fast it is.
var FactRules = map[string]bool{term.FactEqual: true, term.FactAtLeast: true, term.FactUniform: true}

// Judge what an attempt found, by the rules about facts.
func (f *Expected) Judge(a *v1alpha1.Attempt, node string, convicted []v1alpha1.Conviction) Sheet {
	j := Sheet{attempt: a}
	for i := range f.facts {
		j.expect = &f.facts[i]
		found := list.Where(a.Facts, func(f v1alpha1.Fact) bool { return f.Name == j.expect.Name })
		if len(found) == 0 {
			j.missing()
			continue
		}
		j.equal(found)
		j.atLeast(found)
		if j.expect.Uniform {
			f.judgeUniform(&j, found, node, convicted)
		}
	}
	return j
}

// Deviant is a value that breaks a rule. Of a rule about uniformity: Own of the Nodes have it, and Having have Most.
type Deviant struct {
	Fact, Value, Most  string
	Own, Having, Nodes int
}

// Difference is a value that breaks a rule alike at some parts.
type Difference struct {
	Deviant
	Parts []string
}

type differences []Difference

func (o *differences) add(at string, d Deviant) {
	to := list.Among((*[]Difference)(o), func(p *Difference) bool { return p.Deviant == d }, Difference{Deviant: d})
	to.Parts = append(to.Parts, at)
}

// factIs says what a fact is, and where. uuids are those of the one GPU that it is about.
func factIs(fact string, parts, uuids []string, value string) string {
	where := ""
	switch {
	case len(uuids) > 0:
		where = " of " + message.PartWith(parts[0], uuids)
	case len(parts) > 0 && parts[0] != "":
		where = " of " + message.Names(parts)
	}
	return fmt.Sprintf("%s%s is %s", fact, where, value)
}

// factNotCompared is for a fact that a node was convicted by, in a run that cannot compare it. expected is what most nodes had then; nodes
// are those of the run that could tell, as they do not stand convicted of it.
func factNotCompared(fact, part, value, expected string, nodes int) string {
	why := fmt.Sprintf("to compare it anew takes %d nodes of its kind that are not convicted of it, and this run has %d", minUniform, nodes)
	if nodes >= minUniform {
		why = fmt.Sprintf("the %d nodes of its kind in this run that are not convicted of it have no value that most of them share", nodes)
	}
	return fmt.Sprintf("%s; when it was convicted, most nodes had %s; %s", factIs(fact, []string{part}, nil, value), expected, why)
}
