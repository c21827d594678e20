package verdict

import (
	"cmp"
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// RuleFactUniform is the rule that compares facts with those of other nodes.
const RuleFactUniform = "FactUniform"

// The other rules about facts.
const (
	ruleFactEqual   = "FactEqual"
	ruleFactAtLeast = "FactAtLeast"
)

// factRules are the rules about facts: they judge what is, not how fast it is.
var factRules = map[string]bool{ruleFactEqual: true, ruleFactAtLeast: true, RuleFactUniform: true}

// ObjectsToFact says whether a finding is about a fact that is not as it should be. Of findings that warn, those of a run are about nothing
// else.
func ObjectsToFact(f *v1alpha1.Finding) bool {
	return f.Verdict == v1alpha1.VerdictWarning || f.Verdict == v1alpha1.VerdictFail && factRules[f.Rule]
}

// factJudgement is what the rules about facts found about one node.
type factJudgement struct {
	findings     []v1alpha1.Finding
	held, broken []Term
	// waiting: the fleet is not complete.
	waiting bool

	attempt *v1alpha1.Attempt
	expect  *v1alpha1.FactExpectation
}

// judgeFacts applies the rules about facts to what an attempt found. nil: it measured nothing.
func (f *Fleet) judgeFacts(a *v1alpha1.Attempt, facts NodeFacts) factJudgement {
	j := factJudgement{attempt: a}
	if a == nil {
		return j
	}
	for i := range f.facts {
		j.expect = &f.facts[i]
		found := factsNamed(a, j.expect.Name)
		if len(found) == 0 {
			j.missing()
			continue
		}
		j.equal(found)
		j.atLeast(found)
		if j.expect.Uniform {
			f.judgeUniform(&j, found, facts)
		}
	}
	return j
}

func factsNamed(a *v1alpha1.Attempt, name string) []v1alpha1.Fact {
	var found []v1alpha1.Fact
	for _, f := range a.Facts {
		if f.Name == name {
			found = append(found, f)
		}
	}
	return found
}

// missing: what must have a value and was not reported. One that is only compared with other nodes may as well be absent.
func (j *factJudgement) missing() {
	if j.expect.Equal == "" && j.expect.AtLeast == "" {
		return
	}
	v := v1alpha1.VerdictMissing
	if j.expect.Verdict == v1alpha1.VerdictWarning {
		v = v1alpha1.VerdictWarning
	}
	j.object("", ruleMissing, v, message.FactNotReported(j.expect.Name))
}

func (j *factJudgement) equal(found []v1alpha1.Fact) {
	if j.expect.Equal == "" {
		return
	}
	off := offParts{}
	for _, f := range found {
		if f.Value != j.expect.Equal {
			off.add(f.At, deviant{value: f.Value})
		}
	}
	for _, d := range off {
		j.object(d.parts[0], ruleFactEqual, "", message.FactDiffers(j.expect.Name, d.parts, j.uuids(d), d.value, j.expect.Equal))
	}
	j.note(Term{Rule: ruleFactEqual, Parts: int32(len(found))}, off)
}

func (j *factJudgement) atLeast(found []v1alpha1.Fact) {
	least, ok := quantity.ParseDecimal(j.expect.AtLeast)
	if !ok {
		return
	}
	off := offParts{}
	worst, numbers := math.Inf(1), true
	for _, f := range found {
		v, isNumber := quantity.ParseDecimal(f.Value)
		if !isNumber || v < least {
			off.add(f.At, deviant{value: f.Value})
		}
		worst, numbers = min(worst, v), numbers && isNumber
	}
	// A program may write "+5" or ".5", which the API takes for no number.
	value := quantity.Decimal(worst, quantity.Exact)
	if !numbers { // what is no number is worst
		value = ""
	}
	for _, d := range off {
		_, isNumber := quantity.ParseDecimal(d.value)
		j.object(d.parts[0], ruleFactAtLeast, "", message.FactBelow(j.expect.Name, d.parts, j.uuids(d), d.value, string(j.expect.AtLeast), isNumber))
	}
	j.note(Term{Rule: ruleFactAtLeast, Limit: j.expect.AtLeast, Bound: j.expect.AtLeast, Value: value, Parts: int32(len(found))}, off)
}

// note that a rule was held, or broken by some parts. What only warns convicts nobody, and clears nobody either.
func (j *factJudgement) note(t Term, off offParts) {
	t.Metric = j.expect.Name
	switch {
	case len(off) == 0:
		t.Bound = ""
		j.held = append(j.held, t)
	case j.expect.Verdict != v1alpha1.VerdictWarning:
		t.At = off[0].parts[0]
		j.broken = append(j.broken, t)
	}
}

// object to a fact. Without a verdict it is that of the expectation.
func (j *factJudgement) object(at, rule string, v v1alpha1.Verdict, text string) {
	j.findings = append(j.findings, v1alpha1.Finding{Metric: j.expect.Name, At: at, Rule: rule,
		Verdict: cmp.Or(v, j.expect.Verdict, v1alpha1.VerdictFail), Message: quantity.Clip(text, message.Longest)})
}

// uuids of the GPU that differs, where it is one.
func (j *factJudgement) uuids(d deviant) []string {
	if len(d.parts) != 1 {
		return nil
	}
	return UUIDs(d.parts[0], j.attempt.Devices)
}

// of a verdict are the findings.
func (j *factJudgement) of(v v1alpha1.Verdict) []v1alpha1.Finding {
	var all []v1alpha1.Finding
	for _, f := range j.findings {
		if f.Verdict == v {
			all = append(all, f)
		}
	}
	return all
}

// deviant is a value that breaks a rule, with the parts that have it. Of a rule about uniformity: so many of the nodes have it, and most
// have another one.
type deviant struct {
	value string
	parts []string

	most                  string
	having, others, among int
}

// offParts are the parts that break a rule, those alike together.
type offParts []deviant

func (o *offParts) add(at string, d deviant) {
	for i := range *o {
		if known := &(*o)[i]; known.value == d.value && known.most == d.most && known.having == d.having && known.others == d.others && known.among == d.among {
			known.parts = append(known.parts, at)
			return
		}
	}
	d.parts = []string{at}
	*o = append(*o, d)
}

// lastMeasured is the newest attempt that was measured; nil: there is none.
func lastMeasured(attempts []v1alpha1.Attempt) *v1alpha1.Attempt {
	for i := range slices.Backward(attempts) {
		if wasMeasured(&attempts[i]) {
			return &attempts[i]
		}
	}
	return nil
}
