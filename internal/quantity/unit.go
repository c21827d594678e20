package quantity

import (
	"cmp"
	"slices"
	"strings"
)

// prefix of the SI, or a binary one, with its factor.
type prefix struct {
	symbol string
	factor float64
}

var (
	decimalPrefixes = []prefix{
		{"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}, {"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"P", 1e15}, {"E", 1e18},
	}
	binaryPrefixes = []prefix{{"", 1}, {"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}, {"Ti", 1 << 40}, {"Pi", 1 << 50}}
)

// base is a unit that takes prefixes.
type base struct {
	name string
	// least and most are the factors of the prefixes that people read, of most units from 1 on: nobody reads kiloseconds, or takes mB for less than a byte.
	least, most float64
	// binary prefixes may stand before it, too.
	binary bool
	// noun says whether a unit is a word: a prefix stands apart from it, as in "3.4 M messages/s".
	noun bool
}

// bases of the units that are measured. Bits and bytes differ by more than a prefix, so they stay apart. A unit that is not here
// is written as it is, because what looks like a noun may begin with a prefix.
var bases = []base{
	{name: "FLOP/s"}, {name: "FLOP"}, {name: "OP/s"}, {name: "B/s", binary: true}, {name: "B", binary: true}, {name: "b/s"}, {name: "IOPS"}, {name: "Hz"},
	{name: "s", least: 1e-9, most: 1}, {name: "W", least: 1e-3}, {name: "J", least: 1e-9},
	{name: "messages/s", noun: true}, {name: "options/s", noun: true}, {name: "atom-steps/s", noun: true}, {name: "tokens/s", noun: true},
	{name: "images/s", noun: true}, {name: "samples/s", noun: true}, {name: "updates/s", noun: true},
}

// unit is a unit taken apart.
type unit struct {
	name   string
	prefix prefix
	base   *base // nil: it takes no prefixes
	binary bool
}

// split takes "GB/s" apart into 1e9 and "B/s".
func split(name string) unit {
	for i := range bases {
		b := &bases[i]
		symbol, found := strings.CutSuffix(name, b.name)
		if !found {
			continue
		}
		if b.noun {
			symbol = strings.TrimSuffix(symbol, " ")
		}
		if symbol == "K" {
			symbol = "k"
		}
		if p, ok := find(decimalPrefixes, symbol); ok {
			return unit{name: name, prefix: p, base: b}
		}
		if p, ok := find(binaryPrefixes, symbol); ok && b.binary {
			return unit{name: name, prefix: p, base: b, binary: true}
		}
	}
	return unit{name: name, prefix: prefix{factor: 1}}
}

func find(all []prefix, symbol string) (prefix, bool) {
	i := slices.IndexFunc(all, func(p prefix) bool { return p.symbol == symbol })
	if i < 0 {
		return prefix{}, false
	}
	return all[i], true
}

// readable is the unit in which size has one to three digits before the point, as far as people use its prefix.
func (u unit) readable(size float64) unit {
	if u.base == nil || size == 0 {
		return u
	}
	candidates := decimalPrefixes
	if u.binary {
		candidates = binaryPrefixes
	}
	best := prefix{}
	for _, p := range candidates {
		usable := p.factor >= cmp.Or(u.base.least, 1) && p.factor <= cmp.Or(u.base.most, 1e18)
		if usable && (best.factor == 0 || Round(size*u.prefix.factor/p.factor, usualDigits) >= 1) {
			best = p
		}
	}
	gap := ""
	if u.base.noun && best.symbol != "" {
		gap = " "
	}
	return unit{name: best.symbol + gap + u.base.name, prefix: best, base: u.base, binary: u.binary}
}

// Factor converts values of one unit into another of the same dimension; ok is false where there is no such factor.
func Factor(from, to string) (factor float64, ok bool) {
	if from == to {
		return 1, true
	}
	f, t := split(from), split(to)
	if f.base == nil || f.base != t.base {
		return 0, false
	}
	return f.prefix.factor / t.prefix.factor, true
}

// IsTime says whether a unit measures time, which is never 0.
func IsTime(name string) bool {
	u := split(name)
	return u.base != nil && u.base.name == "s"
}
