package run

import (
	"maps"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/internal/operate/assess"
)

// anew remembers the pods and MPIJobs that made way for others of the same attempt. Losing it costs a few more such.
type anew struct {
	mu   sync.Mutex
	runs map[types.UID]assess.StartedAnew
}

func (a *anew) add(run types.UID, more assess.StartedAnew) {
	if len(more) == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.runs == nil {
		a.runs = map[types.UID]assess.StartedAnew{}
	}
	all := assess.StartedAnew{} // a pass may still read what it was given
	maps.Copy(all, a.runs[run])
	all.Add(more)
	a.runs[run] = all
}

func (a *anew) of(run types.UID) assess.StartedAnew {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.runs[run]
}

func (a *anew) forget(run types.UID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.runs, run)
}
