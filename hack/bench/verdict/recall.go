package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// cell of a table of recall.
type cell struct {
	setup
	fault string
	size  float64
}

// score is how often a fault was found.
type score struct {
	found tally            // by any rule
	rules map[string]tally // by each
	other tally            // failed, but the part named is not the one
}

func (s *score) add(o score) {
	s.found, s.other = s.found.plus(o.found), s.other.plus(o.other)
	for rule, t := range o.rules {
		s.rules[rule] = s.rules[rule].plus(t)
	}
}

func newScore() score { return score{rules: map[string]tally{}} }

// victims of one fleet: those of a fleet share its median, so that many of one fleet tell little more than a few.
const victims = 4

// recallOf puts every fault, at every size, into machines of drawn fleets, one machine at a time.
func recallOf(l *lab, s setup, faults []fault, trials int, seed uint64) map[cell]score {
	sum := map[cell]score{}
	perFleet := min(s.nodes, victims)
	var benches []*bench
	for _, f := range faults {
		if b := l.named(f.benchmark); !slices.Contains(benches, b) {
			benches = append(benches, b)
		}
	}
	for _, part := range each(max(1, trials/perFleet), func(k int) map[cell]score {
		out := map[cell]score{}
		x := newRun(l, rand.New(rand.NewPCG(seed, uint64(k))), s, benches)
		for i := range faults {
			sum := newScore()
			for victim := range perFleet {
				sum.add(x.find(&faults[i], victim))
			}
			out[cell{s, faults[i].name, faults[i].size}] = sum
		}
		return out
	}) {
		for c, o := range part {
			if _, ok := sum[c]; !ok {
				sum[c] = newScore()
			}
			total := sum[c]
			total.add(o)
			sum[c] = total
		}
	}
	return sum
}

// find measures one machine with a fault, among the healthy others.
func (x *run) find(f *fault, i int) score {
	b := x.named(f.benchmark)
	first, digests := x.machines[i].measure(x.Rand, b, f, x.number, 1), slices.Clone(x.digests[b])
	digests[i] = digest(b, x.machines[i], &first)
	s := x.settle(newFleet(b, digests, x.known[b]), b, i, first, f)
	out, rules := newScore(), s.names(f)
	out.found.count(len(rules) > 0)
	out.other.count(s.Verdict == v1alpha1.VerdictFail && len(rules) == 0)
	for rule := range rules {
		out.rules[rule] = tally{1, 0}
	}
	return out
}

// by is the recall by one rule alone.
func (s score) by(rule string) tally { return tally{s.rules[rule].yes, s.found.all} }

// describe a setup, as the title of its table.
func (s setup) String() string {
	text := fmt.Sprintf("%d nodes x %d GPUs", s.nodes, s.gpus)
	if s.nodes == 1 {
		text = fmt.Sprintf("one node of %d GPUs", s.gpus)
	}
	var more []string
	if s.past > 0 {
		more = append(more, fmt.Sprintf("%d earlier runs", s.past))
	}
	if s.profile {
		more = append(more, "profile")
	}
	if s.known > 0 {
		more = append(more, fmt.Sprintf("%d known nodes", s.known))
	}
	if len(more) > 0 {
		text += ", " + strings.Join(more, ", ")
	}
	return text
}

// recallTable prints the recall of every fault at every size.
func (p *program) recallTable(s setup) {
	scores := recallOf(p.lab, s, atSizes(faults), p.trials, uint64(77+s.nodes*s.gpus+s.past))
	fmt.Fprintf(p.out, "### %s\n\n| slow |", s)
	for _, size := range sizes {
		fmt.Fprintf(p.out, " %g%% |", 100*size)
	}
	fmt.Fprintln(p.out, " rules at 5% | another part named |\n|---|"+strings.Repeat("---|", len(sizes)+2))
	for _, f := range faults {
		fmt.Fprintf(p.out, "| %s |", f.name)
		var other tally
		for _, size := range sizes {
			got := scores[cell{s, f.name, size}]
			other = other.plus(got.other)
			fmt.Fprintf(p.out, " %s |", got.found.recall())
		}
		fmt.Fprintf(p.out, " %s | %.1f%% |\n", scores[cell{s, f.name, 0.05}].byRule(), 100*other.share())
	}
	fmt.Fprintln(p.out)
}

func (s score) byRule() string {
	var all []string
	for _, rule := range sortedKeys(s.rules) {
		all = append(all, fmt.Sprintf("%s %s", rule, s.by(rule).recall()))
	}
	return strings.Join(all, ", ")
}
