package run

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
)

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

// settled remembers, for active runs, the nodes about which nothing is left to do. Losing it costs another look.
type settled struct {
	mu   sync.Mutex
	runs map[types.UID]map[string]settledNode
}

// note on the row of a node, where the node stands as it did when it was settled.
func (s *settled) note(run types.UID, node string, now standing) (note string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, ok := s.runs[run][node]
	return before.note, ok && before.standing == now
}

func (s *settled) put(run types.UID, node string, now settledNode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == nil {
		s.runs = map[types.UID]map[string]settledNode{}
	}
	if s.runs[run] == nil {
		s.runs[run] = map[string]settledNode{}
	}
	s.runs[run][node] = now
}

func (s *settled) forget(run types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, run)
}
