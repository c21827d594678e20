package campaign

import (
	"fmt"
	"time"
)

// lead lets another operator begin.
func (w *world) lead() {
	name := fmt.Sprintf("operator-%d", len(w.processes)+1)
	w.startProcess(name, w.between("clock/"+name, -1500*time.Millisecond, 1500*time.Millisecond))
}

// attend makes sure that somebody leads, as Kubernetes does, which starts a process that has ended.
func (w *world) attend() {
	if !w.ended {
		w.after(2*time.Second, w.attend)
	}
	w.checkDeadlines()
	w.watchRules()
	for _, p := range w.processes {
		if p.alive {
			w.absent = time.Time{}
			return
		}
	}
	switch {
	case w.absent.IsZero():
		w.absent = w.now.Add(w.between("restart", time.Second, 15*time.Second))
	case !w.now.Before(w.absent) && !w.now.Before(w.away):
		w.lead()
	}
}

// restart the operator, which is away so long.
func (w *world) restart(away time.Duration) {
	for _, p := range w.processes {
		p.kill()
	}
	w.away = w.now.Add(away)
	w.troubled(w.away)
}

// troubled until then: the operator stops, or calls of it come to grief.
func (w *world) troubled(until time.Time) {
	if until.After(w.trouble) {
		w.trouble = until
	}
}

// stall the leader, which does not know: another one takes over after its lease, and meets it for a while.
func (w *world) stall(stalls, overlap time.Duration) {
	if p := w.leader(); p != nil {
		w.stallProcess(p, stalls, overlap)
	}
}

func (w *world) stallProcess(p *process, stalls, overlap time.Duration) {
	p.frozen = w.now.Add(stalls)
	w.troubled(p.frozen)
	w.after(min(stalls, 15*time.Second+w.between("lease", 0, 5*time.Second)), func() {
		if !w.healed {
			w.lead()
		}
	})
	w.after(stalls+overlap, p.kill)
}

// takeOver lets a second operator lead beside the first one, for a while.
func (w *world) takeOver(overlap time.Duration) {
	p := w.leader()
	if p == nil {
		return
	}
	w.lead()
	w.after(overlap, p.kill)
}
