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
		if repeated || configuration != nil && s.texts[v.configuration] != *configuration {
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
	r := reached{key: key, at: s.texts[v.at]}
	for _, m := range s.owners[v.owner].machines {
		r.machines = append(r.machines, names[m])
		r.names = append(r.names, s.machines[m].name)
	}
	return r
}

// keyOf a part is the same on both sides: its UUIDs, or else its machines and its name.
func (s *Side) keyOf(v *value, names []int) string {
	if v.identity != 0 {
		return s.texts[v.identity]
	}
	machines := s.owners[v.owner].machines
	numbers := list.Map(machines, func(m int) int { return names[m] })
	slices.Sort(numbers)
	var key []byte
	for _, n := range numbers {
		key = append(strconv.AppendInt(key, int64(n), 10), ' ')
	}
	return string(key) + s.texts[v.at]
}

// matched are parts of both sides: the same ones beside each other.
type matched struct {
	a, b []reached
	// inB is where each part of a is among those of b; -1: nowhere.
	inB   []int
	pairs int
}

func match(a, b []reached) matched {
	m := matched{a: a, b: b, inB: make([]int, len(a))}
	index := make(map[string]int, len(b))
	for i := range b {
		index[b[i].key] = i
	}
	for i := range a {
		at, ok := index[a[i].key]
		if !ok {
			at = -1
		} else {
			m.pairs++
		}
		m.inB[i] = at
	}
	return m
}

// paired says whether at least half of what either side measured was measured on both. With fewer, to leave out the others would lose more than
// pairing gains.
func (m matched) paired() bool { return 2*m.pairs >= max(len(m.a), len(m.b)) }

// unpaired parts are on one side only.
func (m matched) unpaired() (onlyA, onlyB []reached) {
	inA := make([]bool, len(m.b))
	for i, at := range m.inB {
		if at < 0 {
			onlyA = append(onlyA, m.a[i])
		} else {
			inA[at] = true
		}
	}
	for i := range m.b {
		if !inA[i] {
			onlyB = append(onlyB, m.b[i])
		}
	}
	return onlyA, onlyB
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
	for i, at := range m.inB {
		if at >= 0 {
			ratios = append(ratios, reading{m.a[i].machines, math.Log(m.b[at].value) - math.Log(m.a[i].value)})
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
	more := map[string]bool{}
	for i := range m.a {
		more[m.a[i].key] = m.a[i].value > 0
	}
	n, all := 0, positive(m.a)
	for i := range m.b {
		was, known := more[m.b[i].key]
		if m.b[i].value == 0 && (was || !known && all) {
			n++
		}
	}
	return n
}

func logs(parts []reached) []reading {
	return list.Map(parts, func(r reached) reading { return reading{r.machines, math.Log(r.value)} })
}

// list the parts: those of A with what they are in B, then those of B alone.
func (m matched) list() []Part {
	var out []Part
	for i := range m.a {
		p := Part{Nodes: m.a[i].names, At: m.a[i].at, A: &m.a[i].value}
		if at := m.inB[i]; at >= 0 {
			p.B = &m.b[at].value
			if *p.A != 0 {
				p.Percent = new(100 * (*p.B - *p.A) / math.Abs(*p.A))
			}
		}
		out = append(out, p)
	}
	_, onlyB := m.unpaired()
	for p := range list.Each(onlyB) {
		out = append(out, Part{Nodes: p.names, At: p.at, B: &p.value})
	}
	return out
}
