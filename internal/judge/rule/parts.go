package rule

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// subjects are the parts of a metric that can be judged. What cannot is reported as missing where something is expected
// of it, which makes the metric less than whole, and noted where it is only recorded.
func (r *Set) subjects(j *Sheet, m *v1alpha1.Metric, a *v1alpha1.Attempt, hw part.Hardware, facts Given) (parts []subject, whole bool) {
	whole = true
	absent := func(at, why string) {
		v := v1alpha1.VerdictSkipped
		if expect.Expects(m) {
			v, whole = v1alpha1.VerdictMissing, false
		}
		j.object(m.Name, at, term.Missing, v, why)
	}
	got := attempt.Measurement(a, m.Name)
	if got == nil || len(got.Parts) == 0 {
		if why, excused := nothingToMeasure(m, a, facts.Peaks); excused && expect.Expects(m) {
			j.object(m.Name, "", term.Missing, v1alpha1.VerdictSkipped, m.Name+" was not measured: "+why)
		} else if expect.Expects(m) {
			absent("", message.Because("the program did not report "+m.Name+", which the Benchmark expects", why))
		}
		return nil, whole
	}
	factor, ok := quantity.Factor(got.Unit, m.Unit)
	if !ok {
		absent("", fmt.Sprintf("%s is reported in %q, but the Benchmark has it in %q: correct one of them", m.Name, got.Unit, m.Unit))
		return nil, whole
	}
	limits := term.Limits(m.Expectation)
	parts = make([]subject, 0, len(got.Parts))
	past := facts.Past.Of(m, a, len(got.Parts))
	for i := range got.Parts {
		at := got.Parts[i].At
		v, ok := quantity.ParseDecimal(got.Parts[i].Value)
		if !ok {
			absent(at, fmt.Sprintf("%s of %s is %q, which is not a number that can be judged", m.Name, message.PartName(at),
				quantity.Clip(string(got.Parts[i].Value), 40)))
			continue
		}
		s := subject{metric: m, limits: limits, at: at, place: r.place(at), attempt: a, value: v * factor, certainty: j.certainty, past: past.Part(at)}
		if n := len(parts); n > 0 && parts[n-1].place.Kind == s.place.Kind {
			s.peak, s.noPeak = parts[n-1].peak, parts[n-1].noPeak
		} else {
			s.peak, s.noPeak = facts.Peaks.Find(m, s.place.Kind)
		}
		s.hardware = hw.Of(s.place)
		parts = append(parts, s)
	}
	if r.fleet != nil && expect.Compared(m) {
		r.compare(m, parts, fleet.Pool{Devices: hw.All, Configuration: a.Configuration}, facts.Node, j.certainty)
	}
	j.excuse(parts, facts.Peaks.Accepted(r.benchmark, m.Name, a.LaunchTime))
	return parts, whole
}

// compare finds what the parts of a metric are compared with: of those that are measured as shared says.
func (r *Set) compare(m *v1alpha1.Metric, parts []subject, shared fleet.Pool, node string, e bounds.Certainty) {
	shared.Metric, shared.Unit = m.Name, m.Unit
	if d := r.fleet.OwnOf(node); d != nil {
		shared.Host = d.Host
	}
	all := list.Groups(slices.Collect(list.Each(parts)), func(s *subject) [2]string { return [2]string{s.place.Likeness, s.hardware} })
	for _, alike := range all {
		first := alike[0]
		shared.Likeness, shared.Hardware = first.place.Likeness, first.hardware
		values := list.Map(alike, func(s *subject) attempt.PartValue { return attempt.PartValue{At: s.at, Value: s.value} })
		peers := r.fleet.NewPeers(m, shared, first.place.Kind, values, node)
		peers.Explain(len(all), e)
		for _, s := range alike {
			s.peers = peers
		}
	}
}

// sizesOfMessages are no parts of a node: one stands for the metric, the one that the Benchmark names, or else the largest; of a time the
// smallest, which long messages say little of.
func sizesOfMessages(m *v1alpha1.Metric, parts []subject) {
	lead, bytes := -1, 0.0
	for i := range parts {
		n, ok := quantity.BytesOf(parts[i].at)
		if !ok {
			continue
		}
		parts[i].aside = true
		named := lead >= 0 && parts[lead].at == m.HeadlineAt
		if lead < 0 || parts[i].at == m.HeadlineAt || !named && (n > bytes) == (bounds.Better(m) == v1alpha1.Higher) {
			lead, bytes = i, n
		}
	}
	if lead >= 0 {
		parts[lead].aside = false
	}
}

// headlinePart is the part that stands for the node: the one that the Benchmark names, else the node as a whole where that was measured, else
// the worst part; of several sizes the greatest.
func headlinePart(m *v1alpha1.Metric, parts []subject) *subject {
	if named := list.First(parts, func(s *subject) bool { return s.at == m.HeadlineAt && m.HeadlineAt != "" }); named != nil {
		return named
	}
	return slices.MinFunc(slices.Collect(list.Each(parts)), func(a, b *subject) int {
		worse := cmp.Compare(a.sign()*a.value, b.sign()*b.value)
		if a.curve != nil && a.curve == b.curve {
			worse = cmp.Compare(b.size, a.size)
		}
		return cmp.Or(list.Before(b.aside, a.aside), list.Before(a.place.Whole, b.place.Whole), worse)
	})
}
