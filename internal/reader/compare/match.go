package compare

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/list"
)

// same names the machines of both sides: what is one machine has one number.
type same struct{ a, b []int }

// machinesOf both sides: nodes of one UID are one, and of the others those with the same devices.
func machinesOf(a, b *Side) same {
	s := same{a: make([]int, len(a.machines)), b: make([]int, len(b.machines))}
	byDevices := map[string]int{}
	for i := range a.machines {
		s.a[i] = i
		if _, there := b.byUID[a.machines[i].uid]; !there && len(a.machines[i].devices) > 0 {
			byDevices[a.machines[i].sealed()] = i
		}
	}
	for i := range b.machines {
		m := &b.machines[i]
		s.b[i] = len(a.machines) + i
		if at, ok := a.byUID[m.uid]; ok {
			s.b[i] = at
		} else if at, ok := byDevices[m.sealed()]; ok {
			s.b[i] = at
		}
	}
	return s
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
	value    float64
}

// parts of a series in one configuration (nil: in any), in the order they were found; of groups only, where there are any.
func (s *Side) parts(of *series, names []int, configuration *string, grouped bool) []reached {
	index := make(map[string]int, len(of.values))
	out, counts := make([]reached, 0, len(of.values)), make([]float64, 0, len(of.values))
	for v := range list.Each(of.values) {
		repeated := grouped && len(s.owners[v.owner].machines) == 1
		if repeated || configuration != nil && v.configuration.Value() != *configuration {
			continue
		}
		key := s.keyOf(v, names)
		at, ok := index[key]
		if !ok {
			at = len(out)
			index[key] = at
			out, counts = append(out, s.newPart(key, v, names)), append(counts, 0)
		}
		counts[at] += float64(v.attempts)
		out[at].value += (v.value - out[at].value) * float64(v.attempts) / counts[at]
	}
	return out
}

func (s *Side) newPart(key string, v *value, names []int) reached {
	of := s.owners[v.owner].machines
	return reached{key: key, at: v.at.Value(), machines: list.Map(of, func(m int) int { return names[m] }),
		names: list.Map(of, func(m int) string { return s.machines[m].name })}
}

// keyOf a part is the same on both sides: its UUIDs, or else its machines and its name.
func (s *Side) keyOf(v *value, names []int) string {
	if v.identity != v.at {
		return v.identity.Value()
	}
	machines := s.owners[v.owner].machines
	numbers := list.Map(machines, func(m int) int { return names[m] })
	slices.Sort(numbers)
	var key []byte
	for _, n := range numbers {
		key = append(strconv.AppendInt(key, int64(n), 10), ' ')
	}
	return string(key) + v.at.Value()
}

// matched are parts of both sides, and each by its key.
type matched struct {
	a, b     []reached
	inA, inB map[string]*reached
}

func match(a, b []reached) matched {
	byKey := func(all []reached) map[string]*reached {
		index := make(map[string]*reached, len(all))
		for p := range list.Each(all) {
			index[p.key] = p
		}
		return index
	}
	return matched{a, b, byKey(a), byKey(b)}
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
