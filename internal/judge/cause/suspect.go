package cause

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/fact"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// domain is what a metric depends on most.
type domain string

const (
	compute    domain = "compute"    // of GPUs: their clock
	memory     domain = "memory"     // of GPUs
	hostLink   domain = "hostLink"   // from the host to its GPUs
	peerLink   domain = "peerLink"   // between GPUs
	processor  domain = "processor"  // CPUs
	hostMemory domain = "hostMemory" // of CPUs
	network    domain = "network"    // between nodes
	plain      domain = "plain"      // a fact, a check, a count: the finding itself says what it is
	several    domain = "several"    // all of these: a collective, an application
)

// domainOf a finding about a metric with this unit and such parts.
func domainOf(f *v1alpha1.Finding, unit, kind string) domain {
	name := strings.ToLower(f.Metric)
	ofGPUs := strings.HasPrefix(kind, "gpu")
	_, isRate := quantity.Factor(unit, "B/s")
	_, computes := quantity.Factor(unit, "FLOP/s")
	switch {
	case fact.FactRules[f.Rule] || f.Rule == term.DataCheck || f.Rule == term.Devices || f.Rule == term.Missing:
		return plain
	case f.Rule == term.Blame:
		return network
	case strings.Contains(name, "hosttodevice") || strings.Contains(name, "devicetohost") || ofGPUs && strings.HasPrefix(name, "bothways"):
		return hostLink
	case strings.HasPrefix(kind, "gpu->") || strings.HasPrefix(kind, "gpu<->") || name == "reachablepeers" || name == "bisectionbandwidth":
		return peerLink
	case strings.HasPrefix(name, "hbm"):
		return memory
	case computes && ofGPUs:
		return compute
	case computes && f.Rule != term.Efficiency:
		return processor
	case isRate && slices.Contains([]string{"triad", "copy", "scale", "add", "triadBest"}, f.Metric):
		return hostMemory
	}
	return several
}

// suspect is a part, or all parts of the node, with the rules that it broke in one domain.
type suspect struct {
	*record
	domain  domain
	at      string // as a person calls it; empty: the node
	place   part.Place
	broken  []Broken
	attempt *v1alpha1.Attempt // that measured the worst of them; never nil
	// loss is by how much it is worse than it should be, as a fraction; allowed is how much healthy parts may be. NaN: not known.
	loss, allowed float64
}

// suspects of a node. Where all GPUs fail in one domain, the node is the suspect.
func (n *record) suspects() []*suspect {
	var all []*suspect
	for i := range n.benchmarks {
		b := &n.benchmarks[i]
		for j := range b.Findings {
			f := &b.Findings[j]
			if f.Verdict != v1alpha1.VerdictFail && f.Verdict != v1alpha1.VerdictMissing {
				continue
			}
			n.failed[f.Metric+" "+f.At] = true
			s := n.suspect(b, f)
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
		if n.slow[s.domain] == nil {
			n.slow[s.domain] = map[int32]bool{}
		}
		if len(s.place.GPUs) == 1 {
			n.slow[s.domain][s.place.GPUs[0]] = true
		}
	}
	for _, d := range []domain{compute, memory, hostLink, peerLink} {
		all = n.whole(all, d)
	}
	for _, s := range all {
		s.weigh()
	}
	return all
}

func (n *record) suspect(b *v1alpha1.BenchmarkResult, f *v1alpha1.Finding) *suspect {
	s := &suspect{record: n, broken: []Broken{{b.Name, f}}, attempt: attempt.LastMeasured(b.Attempts), place: part.Read(f.At), at: f.At}
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
	switch {
	case s.place.Whole:
		s.at = ""
	case len(s.place.GPUs) == 2: // both directions of a pair are one
		a, b := s.place.GPUs[0], s.place.GPUs[1]
		s.at = fmt.Sprintf("gpu%d-gpu%d", min(a, b), max(a, b))
	}
	return s
}

// weigh says how much is lost, by what is typical of the metric that is worst, or what healthy hardware reaches, or else by what the other
// parts of the node have.
func (s *suspect) weigh() {
	s.loss, s.allowed = math.NaN(), math.NaN()
	worst := s.broken[0]
	for _, b := range s.broken {
		value, isKnown := quantity.ParseDecimal(b.Value)
		typical, hasTypical := quantity.ParseDecimal(b.Typical)
		bound, hasBound := quantity.ParseDecimal(b.Bound)
		if limit, ok := quantity.ParseDecimal(b.Limit); ok && !hasTypical && b.Rule == term.FractionOfReached && limit > 0 {
			typical, hasTypical = bound/limit, true
		}
		if b.Metric == worst.Metric && isKnown && hasTypical && hasBound && value > 0 && typical > 0 && bound > 0 {
			s.loss, s.allowed = 1-min(value/typical, typical/value), 1-min(bound/typical, typical/bound)
			return
		}
	}
	own := 0.0
	var others []float64
	for p, v := range valuesOf(attempt.Measurement(s.attempt, worst.Metric)) {
		switch {
		case p == worst.At:
			own = v
		case part.Kind(p) == part.Kind(worst.At) && !s.failed[worst.Metric+" "+p]:
			others = append(others, v)
		}
	}
	if typical := stat.Median(others); own > 0 && typical > 0 {
		s.loss = 1 - min(own/typical, typical/own)
		s.allowed = (slices.Max(others) - slices.Min(others)) / typical
	}
}

// whole makes the node the suspect where it is one in this domain already, or where every GPU that was measured is, or every pair.
func (n *record) whole(all []*suspect, d domain) []*suspect {
	of := func(s *suspect) bool { return s.domain == d }
	first := slices.IndexFunc(all, of)
	if first < 0 {
		return all
	}
	node := slices.IndexFunc(all, func(s *suspect) bool { return of(s) && s.at == "" })
	parts, measured := 0, all[first].likeParts()
	for _, s := range all {
		if of(s) && s.at != "" {
			parts++
		}
	}
	if node < 0 && (parts < 2 || parts < measured) {
		return all
	}
	w := *all[cmp.Or(node+1, first+1)-1]
	w.at, w.place, w.broken = "", part.Place{Whole: true}, nil
	for _, s := range all {
		if of(s) {
			w.broken = append(w.broken, s.broken...)
		}
	}
	if node >= 0 { // what is said of the node comes first
		slices.SortStableFunc(w.broken, func(a, b Broken) int { return cmp.Compare(len(a.At), len(b.At)) })
	}
	all[first] = &w
	return slices.DeleteFunc(all, func(s *suspect) bool { return of(s) && s != &w })
}

// likeParts is how many parts of its kind were measured, in pairs of both directions.
func (s *suspect) likeParts() int {
	names := map[string]bool{}
	for p := range valuesOf(attempt.Measurement(s.attempt, s.broken[0].Metric)) {
		place := part.Read(p)
		if len(place.GPUs) == 2 {
			names[fmt.Sprint(min(place.GPUs[0], place.GPUs[1]), max(place.GPUs[0], place.GPUs[1]))] = true
		} else {
			names[p] = true
		}
	}
	return len(names)
}

// leaves says whether what is left is this share of what it should be, as near as healthy parts are to each other.
func (s *suspect) leaves(share float64) bool {
	return math.Abs(1-s.loss-share) <= s.margin()*share
}

// margin is what is allowed, or nothing where that is not known.
func (s *suspect) margin() float64 {
	if math.IsNaN(s.allowed) {
		return 0
	}
	return s.allowed
}

// flickers says whether the samples of the part scatter by more than healthy parts may be off at all, and more than those of any other part
// do: what is worn or lost is so all the time, and what others take comes and goes.
func (s *suspect) flickers() bool {
	m := attempt.Measurement(s.attempt, s.broken[0].Metric)
	if m == nil || s.margin() == 0 {
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
