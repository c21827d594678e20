package run

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/internal/operate/assess"
)

// memories of the passes over active runs. Losing one costs time.
type memories struct {
	mu   sync.Mutex
	runs map[types.UID]*assess.Memory
}

// of a run: a new one, where there is none.
func (m *memories) of(run types.UID) *assess.Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runs == nil {
		m.runs = map[types.UID]*assess.Memory{}
	}
	if m.runs[run] == nil {
		m.runs[run] = &assess.Memory{}
	}
	return m.runs[run]
}

func (m *memories) forget(run types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.runs, run)
}
