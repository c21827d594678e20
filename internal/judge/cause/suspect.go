package cause

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// suspect is a part, or all parts of the node, with the rules that it broke in one domain.
type suspect struct {
	*record
	domain  domain
	at      string // as a person calls it; empty: the node
	place   part.Place
	alike   bool // the node is suspect, because all of its parts are slow alike
	broken  []Broken
	attempt *v1alpha1.Attempt // that measured the worst of them; never nil
	// loss is by how much it is worse than it should be, as a fraction, NaN where that is not known; allowed is how much healthy parts may be.
	loss, allowed float64
	// How the GPU fares beside the others of its node.
	clock, power, temperature beside
}

// suspects of a node. Where all GPUs fail in one domain, the node is the suspect.
func (n *record) suspects() []*suspect {
	var all []*suspect
	for b := range list.Each(n.benchmarks) {
		for f := range list.Each(b.Findings) {
			if f.Verdict != v1alpha1.VerdictFail && f.Verdict != v1alpha1.VerdictMissing {
				continue
			}
			n.failed[f.Metric+" "+f.At] = true
			s := n.suspect(b, f)
			if len(s.place.GPUs) == 1 {
				n.slow[slowGPU{s.domain, s.place.GPUs[0]}] = true
			}
			same := slices.IndexFunc(all, func(o *suspect) bool {
				return o.domain == s.domain && o.at == s.at && (s.domain != plain || o.broken[0].Metric == f.Metric)
			})
			if same < 0 {
				all = append(all, s)
			} else {
				all[same].broken = append(all[same].broken, s.broken...)
			}
		}
	}
	for _, s := range all {
		s.weigh()
	}
	for _, d := range []domain{compute, memory, hostLink, peerLink} {
		all = n.whole(all, d)
	}
	for _, s := range all {
		s.sense()
	}
	return all
}

func (n *record) suspect(b *v1alpha1.BenchmarkResult, f *v1alpha1.Finding) *suspect {
	counted := list.Count(attempt.Alike(b.Attempts), func(a v1alpha1.Attempt) bool { return a.Verdict == v1alpha1.VerdictPass })
	s := &suspect{record: n, broken: []Broken{{b.Name, f, counted}}, attempt: attempt.LastMeasured(b.Attempts), place: part.Read(f.At)}
	if s.attempt == nil {
		s.attempt = &v1alpha1.Attempt{}
	}
	m := attempt.Measurement(s.attempt, f.Metric)
	unit, kind := f.Unit, s.place.Kind
	if m != nil {
		unit = m.Unit
		if len(m.Parts) > 0 {
			kind = part.Kind(m.Parts[0].At)
		}
	}
	s.domain = domainOf(f, unit, kind)
	s.at = called(f.At)
	return s
}

// called is how a person calls a part: both directions of a pair are one, and the node has no name.
func called(at string) string {
	switch place := part.Read(at); {
	case place.Whole:
		return ""
	case len(place.GPUs) == 2:
		return fmt.Sprintf("gpu%d-gpu%d", slices.Min(place.GPUs), slices.Max(place.GPUs))
	}
	return at
}

// weigh says how much is lost, by what is typical of the metric that is worst or what healthy hardware reaches, or else by what the other
// parts of the node have.
func (s *suspect) weigh() {
	worst := s.broken[0]
	for _, b := range s.broken {
		if b.Metric == worst.Metric && s.weighBy(&b.RuleNumbers, b.Rule) {
			return
		}
	}
	s.loss = math.NaN()
	own := 0.0
	var others []float64
	for p, v := range attempt.Numbers(attempt.Measurement(s.attempt, worst.Metric)) {
		switch {
		case p == worst.At:
			own = v
		case part.Kind(p) == part.Kind(worst.At) && !s.failed[worst.Metric+" "+p]:
			others = append(others, v)
		}
	}
	if typical := stat.Median(others); own > 0 && typical > 0 {
		s.loss = apart(own, typical)
		s.allowed = apart(slices.Max(others), slices.Min(others))
	}
}

// weighBy the numbers of a rule, where they tell what is typical.
func (s *suspect) weighBy(n *v1alpha1.RuleNumbers, rule string) bool {
	value, hasValue := quantity.ParseDecimal(n.Value)
	typical, known := quantity.ParseDecimal(n.Typical)
	bound, _ := quantity.ParseDecimal(n.Bound)
	if limit, ok := quantity.ParseDecimal(n.Limit); ok && !known && rule == term.FractionOfReached && limit > 0 {
		typical = bound / limit
	}
	if !hasValue || value < 0 || typical <= 0 || bound <= 0 {
		return false
	}
	s.loss, s.allowed = apart(value, typical), apart(bound, typical)
	return true
}

// apart is by how much the smaller of two numbers is below the greater, as a fraction.
func apart(a, b float64) float64 { return 1 - min(a/b, b/a) }

// whole makes the node the suspect in a domain where a rule found all of its parts slow together, or where every GPU that was measured is, or
// every pair; unless one of them is so slow that the others follow from it.
func (n *record) whole(all []*suspect, d domain) []*suspect {
	mine := list.Where(all, func(s *suspect) bool { return s.domain == d })
	parts := list.Where(mine, func(s *suspect) bool { return s.at != "" })
	isNode := func(s *suspect) bool { return s.at == "" && s.broken[0].Rule == term.NodeDeviation }
	i := slices.IndexFunc(mine, isNode)
	if i < 0 && (len(parts) < 2 || len(parts) < parts[0].likeParts()) {
		follow(mine, parts)
		return slices.DeleteFunc(all, func(s *suspect) bool { return s.broken == nil })
	}
	worst := mine[max(0, i)]
	culprit := worst.culprit()
	worst.at, worst.place = called(culprit), part.Read(culprit)
	worst.alike = worst.at == ""
	for _, s := range mine {
		if s != worst {
			worst.broken = append(worst.broken, s.broken...)
		}
	}
	return slices.DeleteFunc(all, func(s *suspect) bool { return s.domain == d && s != worst })
}

// follow tells of what follows from a slow part with that part: pairs of a slow GPU that are no slower than it, and what all parts do together.
func follow(mine, parts []*suspect) {
	for _, s := range mine {
		for _, p := range parts {
			isOfIt := len(s.place.GPUs) == 2 && len(p.place.GPUs) == 1 && slices.Contains(s.place.GPUs, p.place.GPUs[0]) && s.loss <= p.loss+p.allowed
			if s != p && s.broken != nil && (s.at == "" || isOfIt) {
				p.broken = append(p.broken, s.broken...)
				s.broken = nil
			}
		}
	}
}

// culprit is the part that lacks at least twice as much as any other of its metric; empty: there is none.
func (s *suspect) culprit() (at string) {
	most, next := 0.0, 0.0
	typical, _ := quantity.ParseDecimal(s.broken[0].Typical)
	for p, v := range attempt.Numbers(attempt.Measurement(s.attempt, s.broken[0].Metric)) {
		switch lack := apart(v, typical); {
		case lack > most:
			at, most, next = p, lack, most
		default:
			next = max(next, lack)
		}
	}
	if typical <= 0 || most < 2*next {
		return ""
	}
	return at
}

// likeParts is how many parts of its kind were measured, in pairs of both directions.
func (s *suspect) likeParts() int {
	names := map[string]bool{}
	for p := range attempt.Numbers(attempt.Measurement(s.attempt, s.broken[0].Metric)) {
		names[called(p)] = true
	}
	return len(names)
}

// leaves says whether this share is left of what it should be, as near as healthy parts are to each other.
func (s *suspect) leaves(share float64) bool { return math.Abs(1-s.loss-share) <= s.allowed*share }

// flickers says whether the samples of the part scatter by more than healthy parts may be off at all, and more than those of any other part
// do: what is worn or lost is so all the time, and what others take comes and goes.
func (s *suspect) flickers() bool {
	m := attempt.Measurement(s.attempt, s.broken[0].Metric)
	if m == nil || s.allowed == 0 {
		return false
	}
	own, most := 0.0, 0.0
	for i := range m.Parts {
		spread, _ := quantity.ParseDecimal(m.Parts[i].Spread)
		if s.at == "" || m.Parts[i].At == s.broken[0].At {
			own = max(own, spread)
		} else {
			most = max(most, spread)
		}
	}
	return own > s.allowed && own > most
}
