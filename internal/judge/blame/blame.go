// Package blame decides, from the measurements of pairs so far, which pairs to measure next, and which node, link or
// boundary is to blame for the slow ones. It never reads a clock, a cluster or a random number and keeps no state: the
// position follows from the measurements alone, so planning twice, or after a crash, gives the same answer.
//
// # Tournament
//
// A round is a matching: every node meets at most one other, so the pairs of a round run at once. Rounds follow the circle
// method (Kirkman 1847), and take near and far partners in turn where places are known. After the measuring rounds only
// suspects are measured, with partners that are known to be good.
//
// # Model
//
// The logarithm of a pair's value is level + boundary + node + node + residual. In reality the slowest part caps the pair:
// value = min(node, node, link), which is not additive. Three rules make the additive model right for both:
//
//   - A fast pair clears both its ends. The fit starts from the mean of the better half of a node's pairs, because under
//     a minimum faults only ever lower a value; half of a node's partners or links may be slow without harm to it. A far
//     pair clears a node only up to what the way across lets through.
//   - A node that is slow is no yardstick: its pairs are left out of the estimates of its partners. With both ends of
//     a pair good, minimum and sum are the same.
//   - A pair of two slow nodes may lie anywhere from the slower one (minimum) to both together (sum). Only what is below
//     that range counts against the link.
//
// From that start, node effects are refined by iteratively reweighted means with Tukey's biweight (Beaton and Tukey 1974,
// c = 4.685), alternating over the nodes as median polish does (Tukey 1977), at a cost linear in the pairs. Effects of nodes
// that are not slow are shrunk towards the fleet by their robust variance share (Robinson 1991, BLUP), without which two
// ends measured four times each would blur the one figure of the link between them.
//
// # Proof
//
// Noise is the spread of the measurements of healthy pairs, never below Options.NoiseFloor. Pairs that stand out from the
// others say nothing of it (the generalized test of Rosner 1983, which several outliers at once do not deceive). Of 16 nodes
// and fewer, all that are not needed otherwise repeat pairs while suspects are confirmed, so that noise is better known.
//
// What is screened as slow is only a suspect. It is blamed once it was measured again and the whole is beyond chance for
// a fleet of this size, reaches Options.MinEffect, and the second measurement alone agrees with the first. Beyond chance
// means both of the floor, which is known (normal), and of the noise seen, which is an estimate (Student's t). That is, for
// a node, which may be tainted, 0.02% for any wrong one in the fleet (Bonferroni), and its better half of pairs must be
// worth blame, too: slow links have fast neighbours. For a link, which is only named, it is 0.1% of those named (Benjamini
// and Hochberg 1995), so that many slow links do not hide each other.
package blame

import "math"

// Node is one node of the group.
type Node struct {
	Name string
	// Place is the value of the topology label (rack, leaf). Empty: unknown.
	Place string
}

// Pair is two nodes, A < B.
type Pair struct{ A, B string }

// NewPair is the pair of two nodes, in either order.
func NewPair(a, b string) Pair {
	if b < a {
		a, b = b, a
	}
	return Pair{A: a, B: b}
}

// Sample is one value of the metric.
type Sample struct {
	// From, To: the direction. Empty: both directions together.
	From, To string
	// Value is missing where it is not a positive, finite number.
	Value float64
}

// Nothing is the value of a part that reached none of a metric of which more is better: slower than all that works.
const Nothing = 1e-30

// Measurement is one pair in one round, counted from 1. Without a valid sample the pair could not be measured.
type Measurement struct {
	Pair
	Round   int
	Samples []Sample
}

// Constraint says which pairs may be drawn.
type Constraint string

// The constraints.
const (
	Anywhere Constraint = ""
	Within   Constraint = "Within" // both nodes in the same place
	Across   Constraint = "Across" // in different places
)

// Options of a tournament of one metric. The zero value is usable.
type Options struct {
	// Rounds in which everybody is measured before suspects are looked at. Default 4.
	Rounds int
	// MaxRounds after which nothing is measured. Default: 2 more than Rounds, or as many as Confirmations where those are more, and at least 6.
	MaxRounds int
	// Confirmations that a suspect needs: second measurements of a link or, of a node, with known-good partners. Default 1.
	Confirmations int
	// NoiseFloor is the least relative noise of one measurement to reckon with. Default 0.02.
	NoiseFloor float64
	// Between is by how much healthy nodes are said to differ for good, relative to their level; 0: only what is seen of it counts.
	Between float64
	// MinEffect is the least relative slowness worth blame. Default 0.05.
	MinEffect float64
	// LowerIsBetter: the metric is a time.
	LowerIsBetter bool
	// Pairs that may be drawn.
	Pairs Constraint
	// Unit of the values, for messages.
	Unit string
}

const (
	minNodes = 4 // below this many a slow node and a slow link look alike
	// minPartners a node must have been measured with before anything is said of it.
	minPartners = 2
	// alpha is the chance of blaming any wrongly among the healthy of one fleet, for each time that one looks. With several
	// looks, and noise estimated from what is left beside the suspects, some 0.1% remain.
	alpha = 0.0002
	// falseLinks is the share of chance among the blamed links, by either test. A named link has no consequences for
	// its nodes, so that a few may be wrong; of a healthy fleet it is the chance that any is named.
	falseLinks = 0.001
	// screenNodes, screenLinks: how many standard errors make a suspect. Low, as a second measurement costs little.
	screenNodes, screenLinks = 2.5, 2.0
)

func (o Options) withDefaults() Options {
	if o.Rounds <= 0 {
		o.Rounds = 4
	}
	if o.Confirmations <= 0 {
		o.Confirmations = 1
	}
	if o.MaxRounds <= 0 {
		o.MaxRounds = max(o.Rounds, 4) + max(2, o.Confirmations)
	}
	if !(o.NoiseFloor > 0 && o.NoiseFloor < 1) {
		o.NoiseFloor = 0.02
	}
	if !(o.MinEffect > 0 && o.MinEffect < 1) {
		o.MinEffect = 0.05
	}
	return o
}

// sign is -1 where more is worse.
func (o Options) sign() float64 {
	if o.LowerIsBetter {
		return -1
	}
	return 1
}

// threshold is MinEffect as a distance of logarithms.
func (o Options) threshold() float64 { return -o.sign() * math.Log1p(-o.sign()*o.MinEffect) }

// score turns a value into a logarithm of which more is better, and value turns it back.
func (o Options) score(v float64) float64     { return o.sign() * math.Log(v) }
func (o Options) value(score float64) float64 { return math.Exp(o.sign() * score) }

// relative is how far a value lies from what was expected, as a share of it: -0.11 for a bandwidth 11% below.
func (o Options) relative(score float64) float64 { return math.Expm1(o.sign() * score) }

// valid: beyond 1e±100 no quantity is real, and products could overflow.
func valid(v float64) bool { return v > 1e-100 && v < 1e100 }
