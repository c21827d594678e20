package blame

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// Trial is one collective over some of the members. Without a trial of all of them there is nothing to split.
type Trial struct {
	Members []string
	Slow    bool
	// Failed: it could not be measured.
	Failed bool
}

// Split is what to measure next, or what was found.
type Split struct {
	// Next sets to measure; sets that share no member may run at once. None: what was found is all.
	Next     [][]string
	Findings []Finding
}

// Bisect finds what makes a collective slow whose pairs are all fine. A slow set is split in halves, across the boundary of
// places nearest to its middle. A slow half is split on; where both halves are fast alone, the two are slow only together,
// and each side is narrowed while the other stays. It needs about two sets for every halving.
func Bisect(members []Node, trials []Trial) Split {
	b := bisection{trials: map[string]Trial{}}
	for _, t := range trials {
		b.trials[setKey(t.Members)] = t
	}
	order := slices.SortedStableFunc(slices.Values(members), func(x, y Node) int { return strings.Compare(x.Place, y.Place) })
	if b.known(order) && b.of(order).Slow {
		b.split(order)
	}
	return b.Split
}

type bisection struct {
	Split
	trials map[string]Trial
}

func setKey(names []string) string {
	return strings.Join(slices.Sorted(slices.Values(names)), "\x00")
}

func namesOf(nodes []Node) []string {
	return list.Map(nodes, func(n Node) string { return n.Name })
}

// known: each set was measured, or is too small for a collective and so counts as fast. The others are to be measured.
func (b *bisection) known(sets ...[]Node) bool {
	before := len(b.Next)
	for _, set := range sets {
		if len(set) > 1 && b.of(set).Members == nil {
			b.Next = append(b.Next, namesOf(set))
		}
	}
	return len(b.Next) == before
}

func (b *bisection) of(set []Node) Trial { return b.trials[setKey(namesOf(set))] }

// split goes on with a set that is slow.
func (b *bisection) split(set []Node) {
	if len(set) <= 2 {
		b.found(set, nil)
		return
	}
	cut := middle(set)
	left, right := set[:cut], set[cut:]
	if !b.known(left, right) {
		return
	}
	switch {
	case b.of(left).Slow || b.of(right).Slow:
		for _, half := range [][]Node{left, right} {
			if b.of(half).Slow {
				b.split(half)
			}
		}
	case b.of(left).Failed || b.of(right).Failed:
		b.found(set, nil)
	default:
		b.narrow(left, right)
	}
}

// narrow finds what of two fast sides is slow together.
func (b *bisection) narrow(left, right []Node) {
	for _, sides := range [][2][]Node{{left, right}, {right, left}} {
		side, rest := sides[0], sides[1]
		if len(side) < 2 || onePlace(side) && onePlace(rest) && side[0].Place != rest[0].Place {
			continue // a boundary between two places is named as such
		}
		cut := middle(side)
		if !b.known(slices.Concat(side[:cut], rest), slices.Concat(side[cut:], rest)) {
			return
		}
		for _, half := range [][]Node{side[:cut], side[cut:]} {
			if b.of(slices.Concat(half, rest)).Slow {
				b.narrow(half, rest)
				return
			}
		}
	}
	b.found(left, right)
}

func onePlace(nodes []Node) bool {
	return nodes[0].Place != "" && !slices.ContainsFunc(nodes, func(n Node) bool { return n.Place != nodes[0].Place })
}

// middle is the change of place nearest to the middle, or the middle.
func middle(set []Node) int {
	half := len(set) / 2
	for d := range half {
		for _, cut := range []int{half - d, half + d} {
			if cut > 0 && cut < len(set) && set[cut-1].Place != set[cut].Place {
				return cut
			}
		}
	}
	return half
}

// found names the boundary of two sides in one place each, or the set.
func (b *bisection) found(left, right []Node) {
	f := Finding{Kind: KindSet, Names: namesOf(slices.Concat(left, right))}
	slices.Sort(f.Names)
	f.Message = message.Names(f.Names) +
		" are slow only together in a collective, while their pairs are fine: look at what they share, and at the collective's algorithm and routes"
	if len(right) > 0 && onePlace(left) && onePlace(right) && left[0].Place != right[0].Place {
		f.Kind, f.Names = KindBoundary, []string{min(left[0].Place, right[0].Place), max(left[0].Place, right[0].Place)}
		f.Message = fmt.Sprintf("collectives across %s and %s are slow; inside each they are fast, and so are pairs: check the capacity of the "+
			"links between the two, not the nodes", f.Names[0], f.Names[1])
	}
	b.Findings = append(b.Findings, f)
}
