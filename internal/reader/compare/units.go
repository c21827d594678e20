package compare

import (
	"slices"

	"github.com/assay-dev/assay/internal/list"
)

// enoughUnits a side, and the node is what is drawn anew: parts of one node have too much in common.
const enoughUnits = 4

// reading is the logarithm of what a part reached, or of the ratio of what it reached on both sides, and on which nodes.
type reading struct {
	nodes []int
	log   float64
}

// sample is what a test is given: values that are independent of each other.
type sample struct {
	values []float64
	// nodes or groups they are of, which have nothing in common.
	nodes int
	// parts of each, on average.
	parts float64
	// shared is how many times that of one node and one part the variance of the mean is; 0 without groups, so that nodes show it.
	shared float64
}

// resolution says of what a sample has one value.
type resolution int

const (
	// byNode has one for each node, or for each group where they have no node in common.
	byNode resolution = iota
	// byMember has one for each node of the groups, which it shares with others.
	byMember
	// byPart has one for each part, or group.
	byPart
)

// finest resolution that so many readings need: nodes where there are enough of them.
func finest(readings []reading) resolution {
	switch {
	case len(together(readings)) >= enoughUnits:
		return byNode
	case inGroups(readings) && members(readings) != nil:
		return byMember
	}
	return byPart
}

// draw a sample from the readings.
func draw(readings []reading, as resolution) sample {
	clusters := together(readings)
	s := sample{nodes: len(clusters), parts: float64(len(readings)) / float64(max(1, len(clusters)))}
	if inGroups(readings) {
		// The mean of all pairs moves by twice what each node's share of it does. Of one group, however large, it has a value as one node has.
		s.shared = max(4/float64(nodesOf(readings)), 1/float64(s.nodes))
	}
	switch as {
	case byNode:
		s.values = list.Map(clusters, meanOf)
	case byMember:
		s.values = members(readings)
		s.nodes, s.parts, s.shared = len(s.values), 1, 4/float64(len(s.values))
	default:
		s.values, s.parts = list.Map(readings, func(r reading) float64 { return r.log }), 1
	}
	return s
}

func nodesOf(readings []reading) int {
	nodes := map[int]bool{}
	for _, r := range readings {
		for _, n := range r.nodes {
			nodes[n] = true
		}
	}
	return len(nodes)
}

func inGroups(readings []reading) bool {
	return slices.ContainsFunc(readings, func(r reading) bool { return len(r.nodes) > 1 })
}

// together are the readings that share nodes, whether directly or through others, in the order of their first ones.
func together(readings []reading) [][]reading {
	root := map[int]int{}
	var find func(n int) int
	find = func(n int) int {
		if up, ok := root[n]; ok && up != n {
			root[n] = find(up)
			return root[n]
		}
		return n
	}
	for _, r := range readings {
		for _, n := range r.nodes {
			root[find(n)] = find(r.nodes[0])
		}
	}
	return list.Groups(readings, func(r reading) int { return find(r.nodes[0]) })
}

// members are the jackknife's pseudo-values: how the mean of all readings would have come out by each node alone. Nil where they are too
// few, or where nothing is left without one of them.
func members(readings []reading) []float64 {
	sums, counts := map[int]float64{}, map[int]int{}
	var order []int
	total := 0.0
	for _, r := range readings {
		total += r.log
		for _, n := range r.nodes {
			if counts[n] == 0 {
				order = append(order, n)
			}
			sums[n] += r.log
			counts[n]++
		}
	}
	n := float64(len(order))
	if len(order) < enoughUnits {
		return nil
	}
	values := make([]float64, len(order))
	for i, node := range order {
		left := len(readings) - counts[node]
		if left == 0 {
			return nil
		}
		values[i] = n*total/float64(len(readings)) - (n-1)*(total-sums[node])/float64(left)
	}
	return values
}

// meanOf readings, about the first one: that of equal ones is exactly what they are.
func meanOf(readings []reading) float64 {
	sum := 0.0
	for _, r := range readings {
		sum += r.log - readings[0].log
	}
	return readings[0].log + sum/float64(len(readings))
}
