// Package bounds is about how far a value may be off: by a fixed bound, or by what noise explains.
package bounds

import (
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// Deviation of a value from a centre in percent of the centre's size.
func Deviation(value, center float64) (float64, bool) {
	return Ratio(100*(value-center), math.Abs(center))
}

// Ratio is a / b, unless there is none.
func Ratio(a, b float64) (float64, bool) {
	r := a / b
	if b == 0 || math.IsInf(r, 0) || math.IsNaN(r) {
		return 0, false
	}
	return r, true
}

// Epsilon is the relative error below which two numbers are equal: limits are products of decimals in binary floating
// point, and a value equal to its limit passes.
const Epsilon = 1e-9

// state says what a rule could do.
type state int

const (
	NotAsked state = iota // the expectation does not ask for this rule
	NoData                // too little data: why says what is missing
	Waiting               // the other nodes are still to come
	Bounded               // bound holds
)

// Bound that a rule draws for a value, or why it draws none.
type Bound struct {
	State state
	// Edge that the value must not be below (Higher), or not above (Lower). Equal to it passes.
	Edge float64
	Side v1alpha1.Direction
	// Center of what the value is compared with, where the bound was drawn from one.
	Center   float64
	Centered bool
	// Typical: the centre is what others reach, and not what the part itself did.
	Typical bool
	// Limit of the expectation that the bound follows from.
	Limit v1alpha1.Decimal
	// Why there is too little data, as a sentence.
	Why string
}

// Better is the direction in which a metric is better; higher where its Benchmark does not say.
func Better(m *v1alpha1.Metric) v1alpha1.Direction {
	if m.Better == v1alpha1.Lower {
		return v1alpha1.Lower
	}
	return v1alpha1.Higher
}

// Sign is -1 where more is worse.
func Sign(better v1alpha1.Direction) float64 {
	if better == v1alpha1.Lower {
		return -1
	}
	return 1
}

// JudgesNothing: what is measured is a rate, a time or an amount, none of which is below nothing. That a value meets such a bound proves as much as no
// bound at all.
func (b *Bound) JudgesNothing() bool { return b.Side == v1alpha1.Higher && b.Edge <= 0 }

// Shortfall is by how much a value breaks the bound, relative to the greater of the two; 0 where it holds. The size of
// it orders findings: it needs no unit.
func (b *Bound) Shortfall(value float64) float64 {
	diff := Sign(b.Side) * (b.Edge - value)
	size := max(math.Abs(b.Edge), math.Abs(value))
	if size == 0 || diff/size <= Epsilon {
		return 0
	}
	return diff / size
}

// InDoubt: a value is nearer to the bound than to what the bound was drawn from. Fixed bounds leave no doubt.
func (b *Bound) InDoubt(value float64) bool {
	middle := *b
	middle.Edge += (b.Center - b.Edge) / 2
	return b.Centered && middle.Shortfall(value) > 0
}

// Within is the bound at a distance from a centre, on the worse side.
func Within(m *v1alpha1.Metric, center, distance float64) float64 {
	return center - Sign(m.Better)*distance
}

// Worse of two values, where those on one side of a bound are good.
func Worse(side v1alpha1.Direction, a, b float64) float64 {
	if side == v1alpha1.Lower {
		return max(a, b)
	}
	return min(a, b)
}

// Value as one rule judged it: of one part, of several together, or the worst of all.
type Value struct {
	By    Bound
	Value float64
	Unit  string
	Parts int32 // that the rule judged
}

// Numbers of a value for the API, with the bound that it broke.
func (v *Value) Numbers() v1alpha1.RuleNumbers {
	n := v1alpha1.RuleNumbers{Value: quantity.Decimal(v.Value, quantity.Exact), Bound: quantity.Decimal(v.By.Edge, quantity.BoundDigits),
		Limit: v.By.Limit, Unit: v.Unit, Parts: v.Parts}
	if v.By.Typical {
		n.Typical = quantity.Decimal(v.By.Center, quantity.ShownDigits)
	}
	return n
}

// Reach is how far the bound is from what it was drawn from; 0: it is fixed.
func (b *Bound) Reach() float64 {
	if !b.Centered {
		return 0
	}
	return math.Abs(b.Edge - b.Center)
}
