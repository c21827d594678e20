package run

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/internal/operate/assess"
)

// short remembers since when nodes of a run offer too few devices, as nothing in the cluster tells. Losing it makes the run wait as long once more.
type short struct {
	mu   sync.Mutex
	runs map[types.UID]map[assess.Short]time.Time
}

// keep what the last pass over a run found; nodes that offer enough again are forgotten.
func (s *short) keep(run types.UID, since map[assess.Short]time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(since) == 0 {
		delete(s.runs, run)
		return
	}
	if s.runs == nil {
		s.runs = map[types.UID]map[assess.Short]time.Time{}
	}
	s.runs[run] = since
}

func (s *short) of(run types.UID) map[assess.Short]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[run]
}
