// Package sim is what a deterministic simulation rests on: a clock, what is to happen by it, chance that follows from a seed, and the story of what has
// happened. One seed is one history.
package sim

import (
	"container/heap"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Epoch is when every simulation begins.
var Epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Simulation is a clock, what is to happen by it, and the story of what has happened.
type Simulation struct {
	seed uint64
	now  time.Time
	// queue of what is to happen, in order of time.
	queue agenda
	count uint64
	draws map[string]uint64

	// Healed: no more faults come.
	Healed bool
	// Figures of what happened until now.
	Figures    Figures
	violations []Violation
	history    hash.Hash
	lines      []string
	texts      []string
	keep       bool
}

// New is a simulation of a seed. With keep, its story is kept line by line.
func New(seed uint64, keep bool) *Simulation {
	s := &Simulation{seed: seed, now: Epoch, draws: map[string]uint64{}, history: sha256.New(), keep: keep, Figures: Figures{Cases: 1, Faults: map[string]int{}}}
	uuid.SetRand(&stream{s})
	return s
}

// stream of bytes that follow from the seed: quarantines get their ids from it.
type stream struct{ s *Simulation }

func (s *stream) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s.s.Draw("uuid") >> 16)
	}
	return len(p), nil
}

// Draw a number that follows from the seed, and from how often it was asked for: what happens elsewhere does not change it.
func (s *Simulation) Draw(what string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%s/%d", s.seed, what, s.draws[what])
	s.draws[what]++
	x := h.Sum64() // FNV mixes the last bytes badly
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// Between two durations.
func (s *Simulation) Between(what string, least, most time.Duration) time.Duration {
	return least + time.Duration(s.Draw(what)%uint64(most-least+1))
}

// due is what is to happen at a time; those of one time happen in the order in which they were asked for.
type due struct {
	at    time.Time
	order uint64
	do    func()
}

type agenda []due

func (e agenda) Len() int { return len(e) }
func (e agenda) Less(i, j int) bool {
	return e[i].at.Before(e[j].at) || e[i].at.Equal(e[j].at) && e[i].order < e[j].order
}
func (e agenda) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *agenda) Push(x any)   { *e = append(*e, x.(due)) }
func (e *agenda) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// Now is the time of the simulation.
func (s *Simulation) Now() time.Time { return s.now }

// After a while something happens.
func (s *Simulation) After(d time.Duration, do func()) { s.At(s.now.Add(d), do) }

// At a time something happens; now, if that has passed.
func (s *Simulation) At(t time.Time, do func()) {
	if t.Before(s.now) {
		t = s.now
	}
	s.count++
	heap.Push(&s.queue, due{t, s.count, do})
}

// Run until a time, or until a promise is broken.
func (s *Simulation) Run(until time.Time) {
	for len(s.queue) > 0 && !s.queue[0].at.After(until) && !s.IsBroken() {
		e := heap.Pop(&s.queue).(due)
		s.now = e.at
		e.do()
	}
	if s.now.Before(until) && !s.IsBroken() {
		s.now = until
	}
}

// Say what happens.
func (s *Simulation) Say(format string, args ...any) {
	line := fmt.Sprintf("%9.3fs  %s", s.now.Sub(Epoch).Seconds(), fmt.Sprintf(format, args...))
	_, _ = fmt.Fprintln(s.history, line)
	if s.keep {
		s.lines = append(s.lines, line)
	}
}

// Record the text of what is written.
func (s *Simulation) Record(text []byte) {
	_, _ = s.history.Write(text)
	if s.keep {
		s.texts = append(s.texts, string(text))
	}
}

// Broken is a promise that does not hold.
func (s *Simulation) Broken(promise, format string, args ...any) {
	v := Violation{promise, fmt.Sprintf(format, args...), s.now.Sub(Epoch)}
	s.violations = append(s.violations, v)
	s.Say("*** %s: %s", promise, v.Text)
}

// IsBroken: a promise did not hold.
func (s *Simulation) IsBroken() bool { return len(s.violations) > 0 }

// Outcome of what was simulated until now.
func (s *Simulation) Outcome() Outcome {
	return Outcome{s.violations, s.Figures, hex.EncodeToString(s.history.Sum(nil))[:16], s.lines, s.texts}
}

// Outcome of a case.
type Outcome struct {
	Violations []Violation
	Figures    Figures
	// Digest of its history.
	Digest string
	// Story of it and Texts of all that was written, where they were kept.
	Story, Texts []string
}

// Violation of a promise.
type Violation struct {
	Promise, Text string
	At            time.Duration
}

// Figures of a case, or of a campaign.
type Figures struct {
	Cases, Writes, OperatorWrites, Passes int
	Faults                                map[string]int
}

func (f Figures) String() string {
	return fmt.Sprintf("%d cases, %d writes checked, of which %d by operators, in %d passes", f.Cases, f.Writes, f.OperatorWrites, f.Passes)
}

// Table of how often what happened.
func (f Figures) Table() string {
	var b strings.Builder
	for _, what := range slices.Sorted(maps.Keys(f.Faults)) {
		fmt.Fprintf(&b, "%8d  %s\n", f.Faults[what], what)
	}
	return b.String()
}
