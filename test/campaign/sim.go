package campaign

import (
	"container/heap"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/fnv"
	"time"

	"github.com/google/uuid"
)

// epoch is when every simulation begins.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// simulation is a clock, what is to happen by it, and the story of what has happened.
type simulation struct {
	seed uint64
	now  time.Time
	// queue of what is to happen, in order of time.
	queue agenda
	count uint64
	draws map[string]uint64

	// healed: no more faults come.
	healed     bool
	violations []Violation
	history    hash.Hash
	lines      []string
	texts      []string
	keep       bool
	figures    Figures
}

// newSimulation of a seed. With keep, its story is kept line by line.
func newSimulation(seed uint64, keep bool) *simulation {
	s := &simulation{seed: seed, now: epoch, draws: map[string]uint64{}, history: sha256.New(), keep: keep, figures: Figures{Cases: 1, Faults: map[string]int{}}}
	uuid.SetRand(&stream{s})
	return s
}

// stream of bytes that follow from the seed: quarantines get their ids from it.
type stream struct{ s *simulation }

func (s *stream) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s.s.draw("uuid") >> 16)
	}
	return len(p), nil
}

// draw a number that follows from the seed, and from how often it was asked for: what happens elsewhere does not change it.
func (s *simulation) draw(what string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%s/%d", s.seed, what, s.draws[what])
	s.draws[what]++
	x := h.Sum64() // FNV mixes the last bytes badly
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// between two durations.
func (s *simulation) between(what string, least, most time.Duration) time.Duration {
	return least + time.Duration(s.draw(what)%uint64(most-least+1))
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
func (s *simulation) Now() time.Time { return s.now }

// after a while something happens.
func (s *simulation) after(d time.Duration, do func()) { s.at(s.now.Add(d), do) }

// at a time something happens; now, if that has passed.
func (s *simulation) at(t time.Time, do func()) {
	if t.Before(s.now) {
		t = s.now
	}
	s.count++
	heap.Push(&s.queue, due{t, s.count, do})
}

// run until a time, or until a promise is broken.
func (s *simulation) run(until time.Time) {
	for len(s.queue) > 0 && !s.queue[0].at.After(until) && !s.isBroken() {
		e := heap.Pop(&s.queue).(due)
		s.now = e.at
		e.do()
	}
	if s.now.Before(until) && !s.isBroken() {
		s.now = until
	}
}

// say what happens.
func (s *simulation) say(format string, args ...any) {
	line := fmt.Sprintf("%9.3fs  %s", s.now.Sub(epoch).Seconds(), fmt.Sprintf(format, args...))
	_, _ = fmt.Fprintln(s.history, line)
	if s.keep {
		s.lines = append(s.lines, line)
	}
}

// record the text of what is written.
func (s *simulation) record(text []byte) {
	_, _ = s.history.Write(text)
	if s.keep {
		s.texts = append(s.texts, string(text))
	}
}

// broken is a promise that does not hold.
func (s *simulation) broken(promise, format string, args ...any) {
	v := Violation{promise, fmt.Sprintf(format, args...), s.now.Sub(epoch)}
	s.violations = append(s.violations, v)
	s.say("*** %s: %s", promise, v.Text)
}

// isBroken: a promise did not hold.
func (s *simulation) isBroken() bool { return len(s.violations) > 0 }

// outcome of what was simulated until now.
func (s *simulation) outcome() Outcome {
	return Outcome{s.violations, hex.EncodeToString(s.history.Sum(nil))[:16], s.lines, s.texts, s.figures}
}
