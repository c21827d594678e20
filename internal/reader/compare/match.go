package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/list"
)

// view of a side beside the other one.
type view struct {
	*Side
	// numbers of its machines: what is one machine has one number on both sides.
	numbers []int
}

// views of both sides: nodes of one UID are one machine, and of the others those with the same devices.
func views(a, b *Side) (inA, inB view) {
	inA, inB = view{a, make([]int, len(a.machines))}, view{b, make([]int, len(b.machines))}
	byDevices := map[string]int{}
	for i := range a.machines {
		inA.numbers[i] = i
		if _, there := b.byUID[a.machines[i].uid]; !there && len(a.machines[i].devices) > 0 {
			byDevices[a.machines[i].sealed()] = i
		}
	}
	for i := range b.machines {
		m := &b.machines[i]
		inB.numbers[i] = len(a.machines) + i
		if at, ok := a.byUID[m.uid]; ok {
			inB.numbers[i] = at
		} else if at, ok := byDevices[m.sealed()]; ok {
			inB.numbers[i] = at
		}
	}
	return inA, inB
}

// sealed is one text for all devices of a machine.
func (m *machine) sealed() string {
	return strings.Join(slices.Sorted(maps.Keys(m.devices)), " ")
}

// reached is what a part reached on one side: the mean of its attempts.
type reached struct {
	key      string
	machines []int
	names    []string
	at       string
	attempts float64
	value    float64
}

// parts of a metric in one configuration (nil: in any), in the order they were found, and by key; of groups only, where there are any.
func (v view) parts(key rowKey, configuration *string) (out []reached, byKey map[string]*reached) {
	all, grouped := v.seriesOf(key).values, v.benchmark(key.benchmark).grouped
	out, byKey = make([]reached, 0, len(all)), make(map[string]*reached, len(all))
	for one := range list.Each(all) {
		repeated := grouped && len(v.owners[one.owner].machines) == 1
		if repeated || configuration != nil && one.label.Value().configuration != *configuration {
			continue
		}
		part := v.part(one)
		p := byKey[part.key]
		if p == nil {
			out = append(out, part)
			p = &out[len(out)-1]
			byKey[p.key] = p
		}
		p.attempts += float64(one.attempts)
		p.value += (one.value - p.value) * float64(one.attempts) / p.attempts
	}
	return out, byKey
}

// part that a value is of. Its key is the same on both sides: its UUIDs, or else its machines and its name.
func (v view) part(of *value) reached {
	label, machines := of.label.Value(), v.owners[of.owner].machines
	p := reached{at: label.at, key: label.identity, machines: list.Map(machines, func(m int) int { return v.numbers[m] }),
		names: list.Map(machines, func(m int) string { return v.machines[m].name })}
	if label.identity == label.at {
		p.key = fmt.Sprint(slices.Sorted(slices.Values(p.machines)), p.at)
	}
	return p
}

// matched are parts of both sides, and each by its key.
type matched struct {
	a, b     []reached
	inA, inB map[string]*reached
	// unit of all values. Empty: the sides do not agree.
	unit string
	// why they cannot be compared. Empty: they can.
	why string
}

// matched parts of a metric, in the unit of A.
func (j joined) matched(key rowKey) (m matched) {
	used, why := j.configuration(key.benchmark)
	m.a, m.inA = j.a.parts(key, used)
	m.b, m.inB = j.b.parts(key, used)
	ofA, ofB := j.a.seriesOf(key), j.b.seriesOf(key)
	if unit := cmp.Or(ofA.unit, ofB.unit); convert(m.b, ofB.unit, unit) {
		m.unit = unit
	}
	m.why = cmp.Or(j.disagreement(ofA, ofB, m), why)
	return m
}

// paired says whether at least half of what either side measured was measured on both. With fewer, to leave out the others would lose more than
// pairing gains.
func (m matched) paired() bool {
	pairs := list.Count(m.a, func(p reached) bool { return m.inB[p.key] != nil })
	return 2*pairs >= max(len(m.a), len(m.b))
}

// unpaired parts are on one side only.
func (m matched) unpaired() (onlyA, onlyB []reached) {
	return list.Where(m.a, func(p reached) bool { return m.inB[p.key] == nil }), list.Where(m.b, func(p reached) bool { return m.inA[p.key] == nil })
}

func noteMachines(in map[int]bool, parts []reached) {
	for p := range list.Each(parts) {
		for _, m := range p.machines {
			in[m] = true
		}
	}
}

// trial of the parts; false where a value has no logarithm.
func (m matched) trial(n noise) (trial, bool) {
	if !positive(m.a) || !positive(m.b) {
		return trial{}, false
	}
	if !m.paired() {
		return unpairedTrial(logs(m.a), logs(m.b), n), true
	}
	var ratios []reading
	for a := range list.Each(m.a) {
		if b := m.inB[a.key]; b != nil {
			ratios = append(ratios, reading{a.machines, math.Log(b.value) - math.Log(a.value)})
		}
	}
	return pairedTrial(ratios, n), true
}

func positive(parts []reached) bool {
	return !slices.ContainsFunc(parts, func(p reached) bool { return p.value <= 0 })
}

func zero(parts []reached) bool {
	return !slices.ContainsFunc(parts, func(p reached) bool { return p.value != 0 })
}

// fallen counts the parts that are 0 in B and more in A; of parts that A lacks, where all of A is more.
func (m matched) fallen() int {
	all := positive(m.a)
	return list.Count(m.b, func(b reached) bool {
		a := m.inA[b.key]
		return b.value == 0 && (a == nil && all || a != nil && a.value > 0)
	})
}

func logs(parts []reached) []reading {
	return list.Map(parts, func(r reached) reading { return reading{r.machines, math.Log(r.value)} })
}

// list the parts: those of A with what they are in B, then those of B alone.
func (m matched) list() []Part {
	var out []Part
	for a := range list.Each(m.a) {
		p := Part{Nodes: a.names, At: a.at, A: &a.value}
		if b := m.inB[a.key]; b != nil {
			p.B = &b.value
			if a.value != 0 {
				p.Percent = new(100 * (b.value - a.value) / math.Abs(a.value))
			}
		}
		out = append(out, p)
	}
	for b := range list.Each(m.b) {
		if m.inA[b.key] == nil {
			out = append(out, Part{Nodes: b.names, At: b.at, B: &b.value})
		}
	}
	return out
}
