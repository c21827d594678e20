package run

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/internal/operate/assess"
)

// kinds remembers how active runs saw the kind of MPIJobs. Losing it costs those that it is missing to just now another wait.
type kinds struct {
	mu   sync.Mutex
	runs map[types.UID]assess.JobKind
}

// see remembers whether a run sees the kind now, and returns how it saw it so far.
func (k *kinds) see(run types.UID, known bool, now time.Time) assess.JobKind {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.runs == nil {
		k.runs = map[types.UID]assess.JobKind{}
	}
	kind := k.runs[run]
	kind.Known = known
	switch {
	case known:
		kind.Seen, kind.MissingSince = true, time.Time{}
	case kind.MissingSince.IsZero():
		kind.MissingSince = now
	}
	k.runs[run] = kind
	return kind
}

func (k *kinds) forget(run types.UID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.runs, run)
}
