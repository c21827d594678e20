// Package operator runs the operator: its real reconcilers, woken by their own handlers, in processes that lead, die, stall and meet. A pass stops at each of
// its calls to the API server until the simulation lets it go on, so that calls of several passes come in any order, and may fail in any way. Only one pass
// is at work at a time.
package operator

import (
	"fmt"
	"time"

	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/kube"
	"github.com/assay-dev/assay/test/campaign/sim"
)

// Leaders are the processes of the operator: one leads, or several believe that they do.
type Leaders struct {
	*sim.Simulation
	api   *kube.Server
	setup cases.Operator
	// drivers: DRA drivers publish the devices of some nodes.
	drivers bool
	// clocks jump.
	clocks    bool
	processes []*process
	// current is the pass that makes a call at this moment.
	current *actor
	ropes   ropes
	// rule says what becomes of a call.
	rule func(*kube.Call) Ruling
	// absent since when nobody leads there is a new leader at this time; away: not before this time.
	absent, away time.Time
	// Trouble was last when the operator stopped, or a call of it came to grief.
	Trouble time.Time
}

// New is the operator as a case has it set up; nobody leads yet.
func New(s *sim.Simulation, c cases.Case, api *kube.Server, rule func(*kube.Call) Ruling) *Leaders {
	l := &Leaders{Simulation: s, api: api, setup: c.Operator, drivers: c.HasSlices(), clocks: c.HasClocks(), rule: rule}
	controllers.Parallel = l.parallel
	return l
}

// Lead lets another operator begin.
func (l *Leaders) Lead() {
	name := fmt.Sprintf("operator-%d", len(l.processes)+1)
	l.startProcess(name, l.Between("clock/"+name, -1500*time.Millisecond, 1500*time.Millisecond))
	if len(list.Where(l.processes, func(p *process) bool { return p.alive })) > 2 {
		l.Figures.Faults["(three leaders at once)"]++
	}
}

// Attend makes sure that somebody leads, as Kubernetes does, which starts a process that has ended.
func (l *Leaders) Attend() {
	for _, p := range l.processes {
		p.hear() // the lease is renewed
	}
	switch {
	case l.HasLeader():
		l.absent = time.Time{}
	case l.absent.IsZero():
		l.absent = l.Now().Add(l.Between("restart", time.Second, 15*time.Second))
	case !l.Now().Before(l.absent) && !l.Now().Before(l.away):
		l.Lead()
	}
}

// Restart the operator, which is away so long.
func (l *Leaders) Restart(away time.Duration) {
	for _, p := range l.processes {
		p.kill()
	}
	l.away = l.Now().Add(away)
	l.Troubled(l.away)
}

// Troubled until then: the operator stops, or calls of it come to grief.
func (l *Leaders) Troubled(until time.Time) {
	if until.After(l.Trouble) {
		l.Trouble = until
	}
}

// Stall the leader, which does not know: another one takes over after its lease, and meets it for a while.
func (l *Leaders) Stall(stalls, overlap time.Duration) {
	if p := l.leader(); p != nil {
		l.stallProcess(p, stalls, overlap)
	}
}

func (l *Leaders) stallProcess(p *process, stalls, overlap time.Duration) {
	p.frozen = l.Now().Add(stalls)
	l.Troubled(p.frozen)
	l.After(min(stalls, 15*time.Second+l.Between("lease", 0, 5*time.Second)), func() {
		if !l.Healed {
			l.Lead()
		}
	})
	l.After(stalls+overlap, p.kill)
}

// TakeOver lets a second operator lead beside the first one, for a while.
func (l *Leaders) TakeOver(overlap time.Duration) {
	p := l.leader()
	if p == nil {
		return
	}
	l.Lead()
	l.After(overlap, p.kill)
}

// HasLeader says whether somebody leads at the moment.
func (l *Leaders) HasLeader() bool { return l.leader() != nil }

// leader that was started last; nil: there is none at the moment.
func (l *Leaders) leader() *process {
	if last := len(l.processes) - 1; last >= 0 && l.processes[last].alive {
		return l.processes[last]
	}
	for _, p := range l.processes {
		if p.alive {
			return p
		}
	}
	return nil
}

// StallCache of the leader: changes of a kind do not come in for a while.
func (l *Leaders) StallCache(kind string, d time.Duration) {
	if p := l.leader(); p != nil {
		p.stalled[kind] = l.Now().Add(d)
		l.Troubled(p.stalled[kind])
	}
}

// Heal what stands still, and let one of them lead alone.
func (l *Leaders) Heal() {
	leader := l.leader()
	for _, p := range l.processes {
		p.frozen, p.stalled = l.Now(), map[string]time.Time{}
		if p != leader {
			p.kill()
		}
	}
}

// End all processes.
func (l *Leaders) End() {
	for _, p := range l.processes {
		p.kill()
	}
	l.ropes.end()
}

// Expect changes of a kind to come in by the watches.
func (l *Leaders) Expect(kind string) {
	for _, p := range l.processes {
		p.expect(kind)
	}
}

// Pass that makes a call at this moment: of which controller, over which object; ok is false where there is none.
func (l *Leaders) Pass() (controller, object string, ok bool) {
	if l.current == nil {
		return "", "", false
	}
	return l.current.c.Name, l.current.request.Name, true
}

// LeadsAlone says whether no other process is alive than this one, and it has seen all changes of a kind.
func (l *Leaders) LeadsAlone(name, kind string) bool {
	alive := list.Where(l.processes, func(p *process) bool { return p.alive })
	return len(alive) == 1 && alive[0].name == name && alive[0].cache.Behind(kind) == 0
}
