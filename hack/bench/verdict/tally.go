package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// tally of how often something was so.
type tally struct{ yes, all int }

func (t *tally) count(yes bool) {
	t.all++
	if yes {
		t.yes++
	}
}

func (t tally) plus(o tally) tally { return tally{t.yes + o.yes, t.all + o.all} }

func (t tally) share() float64 { return float64(t.yes) / float64(max(1, t.all)) }

// wilson is the 95% interval of the share (Wilson 1927).
func (t tally) wilson() (low, high float64) {
	const z = 1.96
	n, p := float64(max(1, t.all)), t.share()
	center, half := (p+z*z/(2*n))/(1+z*z/n), z/(1+z*z/n)*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, center-half), min(1, center+half)
}

// percent is a small share in percent with its interval.
func (t tally) percent() string {
	if t.all == 0 {
		return "-"
	}
	low, high := t.wilson()
	if t.yes == 0 {
		return fmt.Sprintf("0 (to %.2f)", 100*high)
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", 100*t.share(), 100*low, 100*high)
}

// recall is a share of 1.
func (t tally) recall() string {
	if t.all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", math.Floor(100*t.share())/100)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
