package run

import (
	"errors"
	"maps"
	"net/http"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// memories of active runs, which are forgotten with them. Where a run stands follows from what exists; to lose its memory costs another look,
// another try or another wait. uids are those of the runs that exist, by name: nothing else tells whose memory to drop once a run is gone
// without its finalizer.
type memories struct {
	mu   sync.Mutex
	runs map[types.UID]*memory
	uids map[string]types.UID
}

// memory of one run. One pass over it at a time uses this; what is under mu, those do who write about its nodes side by side.
type memory struct {
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

	mu sync.Mutex
	// templates of claims are there, as they were made or seen at these times.
	templates map[string]time.Time
	// settled are the nodes about which nothing is left to do.
	settled map[string]settledNode
	// refusals are the taints that the API server has refused for good.
	refusals map[string]refusal
}

// of a run: a new one, where there is none.
func (m *memories) of(run types.UID) *memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runs[run] == nil {
		if m.runs == nil {
			m.runs = map[types.UID]*memory{}
		}
		m.runs[run] = &memory{settled: map[string]settledNode{}, refusals: map[string]refusal{}}
	}
	return m.runs[run]
}

// sawTemplate of claims a moment ago.
func (m *memory) sawTemplate(name string, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, seen := m.templates[name]
	return seen && !now.Before(at) && now.Sub(at) < templateSeen
}

func (m *memory) madeTemplate(name string, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.templates == nil {
		m.templates = map[string]time.Time{}
	}
	m.templates[name] = now
}

// dropTemplates that a run may have made: they are deleted, and made again for the next pod.
func (m *memories) dropTemplates(run types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if of := m.runs[run]; of != nil {
		of.mu.Lock()
		defer of.mu.Unlock()
		of.templates = nil
	}
}

func (m *memories) forget(run types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.runs, run)
}

// see a run, or, with an empty UID, that there is none of this name. It returns the UID of one that is gone; empty: of none.
func (m *memories) see(name string, uid types.UID) (gone types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if before := m.uids[name]; before != uid {
		gone = before
	}
	if uid == "" {
		delete(m.uids, name)
		return gone
	}
	if m.uids == nil {
		m.uids = map[string]types.UID{}
	}
	m.uids[name] = uid
	return gone
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

// note on the row of a node, where the node stands as it did when it was settled.
func (m *memory) note(node string, now standing) (note string, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before, ok := m.settled[node]
	return before.note, ok && before.standing == now
}

func (m *memory) settle(node string, now settledNode) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settled[node] = now
}

// refuse notes that the API server has refused the taint of a node.
func (m *memory) refuse(node string, at time.Time, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refusals[node] = refusal{at, err}
}

// refusedLately is why a node could not be tainted a short while ago; nil: nothing refused it.
func (m *memory) refusedLately(node string, now time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if last, ok := m.refusals[node]; ok && now.Sub(last.at) < refusedRecheck {
		return last.err
	}
	return nil
}

// refusedRecheck is how long a taint that the API server has refused for good is not tried again: each try announces it anew.
const refusedRecheck = 5 * time.Minute

// isDenied: the API server, or a webhook that it asks, has said no, and will say so again. A webhook that gives no code is passed on as 400.
func isDenied(err error) bool {
	var said apierrors.APIStatus
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsRequestEntityTooLargeError(err) ||
		errors.As(err, &said) && said.Status().Code == http.StatusBadRequest
}

// refusal of a taint.
type refusal struct {
	at  time.Time
	err error
}

// standing of a node in a run: what it carries, the versions of what is written about it, and the verdict.
type standing struct {
	node               taint.Carried
	validation, result string
	verdict            v1alpha1.Verdict
	breaker            bool
}

// settledNode is how a node stood when nothing was left to do about it, and what its row warns of.
type settledNode struct {
	standing
	note string
}
