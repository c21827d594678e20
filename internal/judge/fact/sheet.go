package fact

import (
	"cmp"
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// Sheet is what the rules about facts found about one node.
type Sheet struct {
	Findings     []v1alpha1.Finding
	Held, Broken []term.Term
	// Waiting: the fleet is not complete.
	Waiting bool

	attempt *v1alpha1.Attempt
	expect  *v1alpha1.FactExpectation
}

// missing: what must have a value and was not reported. One that is only compared with other nodes may as well be absent.
func (j *Sheet) missing() {
	if j.expect.Equal == "" && j.expect.AtLeast == "" {
		return
	}
	v := v1alpha1.VerdictMissing
	if j.expect.Verdict == v1alpha1.VerdictWarning {
		v = v1alpha1.VerdictWarning
	}
	j.object("", term.Missing, v, "the program did not report "+j.expect.Name+", which the Benchmark expects")
}

func (j *Sheet) equal(found []v1alpha1.Fact) {
	if j.expect.Equal == "" {
		return
	}
	var off differences
	for _, f := range found {
		if f.Value != j.expect.Equal {
			off.add(f.At, Deviant{Value: f.Value})
		}
	}
	for _, d := range off {
		j.object(d.Parts[0], term.FactEqual, "", factIs(j.expect.Name, d.Parts, j.uuids(d), d.Value)+", expected "+j.expect.Equal)
	}
	j.note(term.Term{Rule: term.FactEqual, RuleNumbers: v1alpha1.RuleNumbers{Parts: int32(len(found))}}, off)
}

func (j *Sheet) atLeast(found []v1alpha1.Fact) {
	least, ok := quantity.ParseDecimal(j.expect.AtLeast)
	if !ok {
		return
	}
	var off differences
	worst, numbers := math.Inf(1), true
	for _, f := range found {
		v, isNumber := quantity.ParseDecimal(f.Value)
		if !isNumber || v < least {
			off.add(f.At, Deviant{Value: f.Value})
		}
		worst, numbers = min(worst, v), numbers && isNumber
	}
	// A program may write "+5" or ".5", which the API takes for no number.
	value := quantity.Decimal(worst, quantity.Exact)
	if !numbers { // what is no number is worst
		value = ""
	}
	for _, d := range off {
		numbers := v1alpha1.RuleNumbers{Bound: j.expect.AtLeast, Limit: j.expect.AtLeast, Parts: int32(len(found))}
		said := d.Value
		if v, isNumber := quantity.ParseDecimal(d.Value); isNumber {
			numbers.Value = quantity.Decimal(v, quantity.Exact)
		} else {
			said += ", which is not a number"
		}
		j.object(d.Parts[0], term.FactAtLeast, "", factIs(j.expect.Name, d.Parts, j.uuids(d), said)+", expected at least "+string(j.expect.AtLeast))
		j.Findings[len(j.Findings)-1].RuleNumbers = numbers
	}
	j.note(term.Term{Rule: term.FactAtLeast, RuleNumbers: v1alpha1.RuleNumbers{Limit: j.expect.AtLeast, Bound: j.expect.AtLeast, Value: value, Parts: int32(len(found))}}, off)
}

// note that a rule was held, or broken by some parts. What only warns convicts nobody, and clears nobody either.
func (j *Sheet) note(t term.Term, off differences) {
	t.Metric = j.expect.Name
	switch {
	case len(off) == 0:
		t.Bound = ""
		j.Held = append(j.Held, t)
	case j.expect.Verdict != v1alpha1.VerdictWarning:
		t.At = off[0].Parts[0]
		for _, d := range off {
			t.Ats = append(t.Ats, d.Parts...)
		}
		j.Broken = append(j.Broken, t)
	}
}

// object to a fact. Without a verdict it is that of the expectation.
func (j *Sheet) object(at, rule string, v v1alpha1.Verdict, text string) {
	j.Findings = append(j.Findings, v1alpha1.Finding{Metric: j.expect.Name, At: at, Rule: rule,
		Verdict: cmp.Or(v, j.expect.Verdict, v1alpha1.VerdictFail), Message: quantity.Clip(text, message.Longest)})
}

// uuids of the GPU that differs, where it is one.
func (j *Sheet) uuids(d Difference) []string {
	if len(d.Parts) != 1 {
		return nil
	}
	return part.UUIDs(d.Parts[0], j.attempt.Devices)
}

// Of a verdict are the findings.
func (j *Sheet) Of(v v1alpha1.Verdict) []v1alpha1.Finding {
	return list.Where(j.Findings, func(f v1alpha1.Finding) bool { return f.Verdict == v })
}
