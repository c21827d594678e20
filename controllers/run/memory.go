package run

import (
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers/quarantine"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// memoryOf an active run: a new one, where there is none, in place of that of a namesake. Where a run stands follows from what exists; to lose its
// memory costs another look, another try or another wait.
func (r *Reconciler) memoryOf(run *v1alpha1.ValidationRun) *memory {
	m, known := r.memories.Get(run.Name)
	if !known || m.run != run.UID {
		r.forget(run.Name)
		m = &memory{run: run.UID}
		r.memories.Set(run.Name, m)
	}
	return m
}

// forget what only an active run needs.
func (r *Reconciler) forget(run string) {
	if m, known := r.memories.Get(run); known {
		r.recent.Results.Forget(m.run)
	}
	r.memories.Keep(func(name string) bool { return name != run })
}

// memory of one run. One pass over it at a time uses this; what is shared, those do who write about its nodes.
type memory struct {
	run types.UID
	// passes: what the judging remembers.
	passes observe.Memory
	// pin is what the run was started with, once that is stored: it never changes.
	pin *pin
	// known is what the run is compared with beside its own nodes; nil: not read yet.
	known *knownFleet
	// jobKind is how the run saw the kind of MPIJobs.
	jobKind observe.JobKind
	// cut is what attempts waited for that the deadline cut short, as their pods are gone when the run is concluded.
	cut map[observe.Attempted]string
	// anew are the pods and MPIJobs that made way for others of the same attempt.
	anew observe.StartedAnew
	// short is since when nodes offer too few devices, as nothing in the cluster tells; those that offer enough again are not in it.
	short map[observe.Short]time.Time
	// unread is since when the run cannot be read; zero: it can.
	unread time.Time
	// old is a version of the run that somebody has written since, and until when nothing is done by it.
	old      string
	oldUntil time.Time
	// unseen are the nodes that the run waits for before it starts, as the cache has still to show that it selects them; nil: for none.
	unseen map[types.UID]bool
	// end of the run, which was written, and nobody knows whether the write came through; nil: none was.
	end *v1alpha1.ValidationRunStatus
	// nodes is what is remembered of them.
	nodes quarantine.Memory
}

// sawKind notes whether the run sees the kind of MPIJobs now, and returns how it saw it so far.
func (m *memory) sawKind(known bool, now time.Time) observe.JobKind {
	m.jobKind.Known = known
	switch {
	case known:
		m.jobKind.Seen, m.jobKind.MissingSince = true, time.Time{}
	case m.jobKind.MissingSince.IsZero():
		m.jobKind.MissingSince = now
	}
	return m.jobKind
}

// take up what a pass found out. Of what was cut short it keeps what was known first: what is being deleted only waits for its end. A pass may
// still read the maps that it was given.
func (m *memory) take(out *assess.Output) {
	if len(out.CutShort) > 0 {
		cut := maps.Clone(out.CutShort)
		maps.Copy(cut, m.cut)
		m.cut = cut
	}
	if len(out.StartedAnew) > 0 {
		anew := observe.StartedAnew{}
		maps.Copy(anew, m.anew)
		anew.Add(out.StartedAnew)
		m.anew = anew
	}
	m.short = out.ShortSince
}

// unreadSince is since when the run cannot be read, which it cannot now.
func (m *memory) unreadSince(now time.Time) time.Time {
	if m.unread.IsZero() || m.unread.After(now) {
		m.unread = now
	}
	return m.unread
}

// overtaken: somebody has written the run since it was seen like this, and the cache has still to show that. It may be suspended, or going on.
func (m *memory) overtaken(run *v1alpha1.ValidationRun, now time.Time) {
	m.old, m.oldUntil = run.ResourceVersion, now.Add(unreadGrace)
}

// isOld: this is not the run as it is. Where the cache stays behind, it is acted by now and then: deadlines are to be kept.
func (m *memory) isOld(run *v1alpha1.ValidationRun, now time.Time) bool {
	return m.old == run.ResourceVersion && now.Before(m.oldUntil)
}
