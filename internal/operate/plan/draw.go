package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/assay-dev/assay/internal/list"
)

// Member is a node as a group benchmark sees it.
type Member struct {
	Name string
	// Within and Across are the values of the labels that the Benchmark's group names; empty where the node lacks one.
	Within, Across string
}

// Draw forms the groups of a benchmark whose groups are not pairs: all nodes with the same value of Within in one group
// (size 0), or groups of size nodes. Nodes left over from full groups form one more, together with nodes that are in another
// group already. left says, by node, why it is in none. The same members give the same groups.
func Draw(members []Member, size int, within, across string) (groups [][]string, left map[string]string) {
	left = map[string]string{}
	places := map[string][]Member{}
	for _, m := range members {
		switch {
		case within != "" && m.Within == "":
			left[m.Name] = fmt.Sprintf("the node lacks the label %s, which group.within names", within)
		case across != "" && m.Across == "":
			left[m.Name] = fmt.Sprintf("the node lacks the label %s, which group.across names", across)
		default:
			places[m.Within] = append(places[m.Within], m)
		}
	}
	for _, place := range slices.Sorted(maps.Keys(places)) {
		in := spread(places[place])
		least := max(2, size)
		if len(in) < least {
			with := ""
			if within != "" {
				with = fmt.Sprintf(" with %s=%s", within, place)
			}
			for _, m := range in {
				left[m.Name] = fmt.Sprintf("a group needs %d nodes%s, and only %d can be measured", least, with, len(in))
			}
			continue
		}
		groups = append(groups, chunks(list.Map(in, func(m Member) string { return m.Name }), size)...)
	}
	return groups, left
}

// spread orders members so that neighbours differ in Across as far as they can: each value's members are laid out over the
// whole length.
func spread(members []Member) []Member {
	members = slices.Clone(members)
	slices.SortFunc(members, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
	count, seen := map[string]int{}, map[string]int{}
	for _, m := range members {
		count[m.Across]++
	}
	at := make(map[string]float64, len(members))
	for _, m := range members {
		at[m.Name] = (float64(seen[m.Across]) + 0.5) / float64(count[m.Across])
		seen[m.Across]++
	}
	slices.SortStableFunc(members, func(a, b Member) int {
		return cmp.Or(cmp.Compare(at[a.Name], at[b.Name]), cmp.Compare(a.Across, b.Across))
	})
	return members
}

// chunks of size; the last one is filled up from the front. Size 0: one chunk.
func chunks(all []string, size int) [][]string {
	size = cmp.Or(size, len(all))
	var out [][]string
	for chunk := range slices.Chunk(all, size) {
		out = append(out, slices.Sorted(slices.Values(slices.Concat(chunk, all[:size-len(chunk)]))))
	}
	return out
}
