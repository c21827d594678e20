package campaign

import (
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/kube"
	"github.com/assay-dev/assay/test/campaign/sim"
)

// leaders are the processes of the operator: one leads, or several believe that they do.
type leaders struct {
	*sim.Simulation
	api   *kube.Server
	setup cases.Operator
	// drivers: DRA drivers publish the devices of some nodes.
	drivers   bool
	processes []*process
	// current is the pass that makes a call at this moment.
	current *actor
	ropes   ropes
	// rule says what becomes of a call.
	rule func(*kube.Call) ruling
	// absent since when nobody leads there is a new leader at this time; away: not before this time.
	absent, away time.Time
	// trouble was last when the operator stopped, or a call of it came to grief.
	trouble time.Time
}

func newLeaders(s *sim.Simulation, c cases.Case, api *kube.Server, rule func(*kube.Call) ruling) *leaders {
	return &leaders{Simulation: s, api: api, setup: c.Operator, drivers: c.HasSlices(), rule: rule}
}

// lead lets another operator begin.
func (l *leaders) lead() {
	name := fmt.Sprintf("operator-%d", len(l.processes)+1)
	l.startProcess(name, l.Between("clock/"+name, -1500*time.Millisecond, 1500*time.Millisecond))
}

// attend makes sure that somebody leads, as Kubernetes does, which starts a process that has ended.
func (l *leaders) attend() {
	switch {
	case l.hasLeader():
		l.absent = time.Time{}
	case l.absent.IsZero():
		l.absent = l.Now().Add(l.Between("restart", time.Second, 15*time.Second))
	case !l.Now().Before(l.absent) && !l.Now().Before(l.away):
		l.lead()
	}
}

// restart the operator, which is away so long.
func (l *leaders) restart(away time.Duration) {
	for _, p := range l.processes {
		p.kill()
	}
	l.away = l.Now().Add(away)
	l.troubled(l.away)
}

// troubled until then: the operator stops, or calls of it come to grief.
func (l *leaders) troubled(until time.Time) {
	if until.After(l.trouble) {
		l.trouble = until
	}
}

// stall the leader, which does not know: another one takes over after its lease, and meets it for a while.
func (l *leaders) stall(stalls, overlap time.Duration) {
	if p := l.leader(); p != nil {
		l.stallProcess(p, stalls, overlap)
	}
}

func (l *leaders) stallProcess(p *process, stalls, overlap time.Duration) {
	p.frozen = l.Now().Add(stalls)
	l.troubled(p.frozen)
	l.After(min(stalls, 15*time.Second+l.Between("lease", 0, 5*time.Second)), func() {
		if !l.Healed {
			l.lead()
		}
	})
	l.After(stalls+overlap, p.kill)
}

// takeOver lets a second operator lead beside the first one, for a while.
func (l *leaders) takeOver(overlap time.Duration) {
	p := l.leader()
	if p == nil {
		return
	}
	l.lead()
	l.After(overlap, p.kill)
}

func (l *leaders) hasLeader() bool { return l.leader() != nil }

// leader that was started last; nil: there is none at the moment.
func (l *leaders) leader() *process {
	i := slices.IndexFunc(l.processes, func(p *process) bool { return p.alive })
	if i < 0 {
		return nil
	}
	last := l.processes[len(l.processes)-1]
	if !last.alive {
		return l.processes[i]
	}
	return last
}

// stallCache of the leader: changes of a kind do not come in for a while.
func (l *leaders) stallCache(kind string, d time.Duration) {
	if p := l.leader(); p != nil {
		p.stalled[kind] = l.Now().Add(d)
		l.troubled(p.stalled[kind])
	}
}

// heal what stands still, and let one of them lead alone.
func (l *leaders) heal() {
	leader := l.leader()
	for _, p := range l.processes {
		p.frozen, p.stalled = l.Now(), map[string]time.Time{}
		if p != leader {
			p.kill()
		}
	}
}

// end all processes.
func (l *leaders) end() {
	for _, p := range l.processes {
		p.kill()
	}
	l.ropes.end()
}

// expect changes of a kind to come in by the watches.
func (l *leaders) expect(kind string) {
	for _, p := range l.processes {
		p.expect(kind)
	}
}

// pass that makes a call at this moment: of which controller, over which object; ok is false where there is none.
func (l *leaders) pass() (controller, object string, ok bool) {
	if l.current == nil {
		return "", "", false
	}
	return l.current.c.Name, l.current.request.Name, true
}

// leadsAlone says whether no other process is alive than this one, and it has seen all changes of a kind.
func (l *leaders) leadsAlone(name, kind string) bool {
	alive := list.Where(l.processes, func(p *process) bool { return p.alive })
	return len(alive) == 1 && alive[0].name == name && alive[0].cache.Behind(kind) == 0
}
