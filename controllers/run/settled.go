package run

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// standing of a node in a run: the versions of what is written about it, and the verdict.
type standing struct {
	node, validation, result string
	verdict                  v1alpha1.Verdict
	breaker                  bool
}

// settled remembers, for active runs, the nodes about which nothing is left to do. Losing it costs another look.
type settled struct {
	mu   sync.Mutex
	runs map[types.UID]map[string]standing
}

func (s *settled) is(run types.UID, node string, now standing) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, ok := s.runs[run][node]
	return ok && before == now
}

func (s *settled) put(run types.UID, node string, now standing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == nil {
		s.runs = map[types.UID]map[string]standing{}
	}
	if s.runs[run] == nil {
		s.runs[run] = map[string]standing{}
	}
	s.runs[run][node] = now
}

func (s *settled) forget(run types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, run)
}
