package quarantine

import (
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// Memory is what a process remembers of the nodes of an active run. To lose it costs another look and another try.
type Memory struct {
	// settled are the nodes about which nothing is left to do.
	settled controllers.SyncMap[settledNode]
	// refusals are the taints that the API server has refused for good.
	refusals controllers.SyncMap[refusal]
}

// settledNode is how a node stood when nothing was left to do about it, and what its row warns of.
type settledNode struct {
	standing
	note string
}

// standing of a node in a run: what it carries, the versions of what is written about it, and the verdict.
type standing struct {
	node               taint.Carried
	validation, result string
	verdict            v1alpha1.Verdict
	breaker            bool
}

// note on the row of a node, where the node stands as it did when it was settled.
func (m *Memory) note(node string, now standing) (note string, ok bool) {
	before, ok := m.settled.Get(node)
	return before.note, ok && before.standing == now
}

// refusal of a taint.
type refusal struct {
	at  time.Time
	err error
}

// refusedRecheck is how long a taint that the API server has refused for good is not tried again: each try announces it anew.
const refusedRecheck = 5 * time.Minute

// refusedLately is why a node could not be tainted a short while ago; nil: nothing refused it.
func (m *Memory) refusedLately(node string, now time.Time) error {
	if last, ok := m.refusals.Get(node); ok && now.Sub(last.at) < refusedRecheck {
		return last.err
	}
	return nil
}
