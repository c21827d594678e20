package run

import (
	"maps"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/internal/operate/assess"
)

// cuts remembers what attempts waited for that a run's deadline cut short, as their pods are gone when the run is concluded. Losing it
// costs a message its first words.
type cuts struct {
	mu   sync.Mutex
	runs map[types.UID]map[assess.Attempted]string
}

// add keeps what was known first: what is being deleted only waits for its end.
func (c *cuts) add(run types.UID, short map[assess.Attempted]string) {
	if len(short) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs == nil {
		c.runs = map[types.UID]map[assess.Attempted]string{}
	}
	short = maps.Clone(short)
	maps.Copy(short, c.runs[run])
	c.runs[run] = short
}

func (c *cuts) of(run types.UID) map[assess.Attempted]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runs[run]
}

func (c *cuts) forget(run types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.runs, run)
}
