package recentwrites

import (
	"math"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// launchesKept is how long a launch is remembered, which is longer than any pass takes.
const launchesKept = time.Hour

// launch of the last pod on a node.
type launch struct {
	run types.UID
	// turn at which it was over; the greatest there is while it goes on.
	turn uint64
}

// Turn counts the launches that are over. A pass takes it before it reads pods, and so sees the pods of all of them.
func (w *Writes) Turn() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.turn
}

// Launching begins a launch of a run on a node, and done ends it. It is not begun, and done is nil, where another run has started a pod there since the turn
// at which this one's pass began, and so has not seen that pod. What would keep two such pods apart is that each asks for all devices of the node: once one comes
// back that was lost, both fit.
func (w *Writes) Launching(node string, run types.UID, since uint64) (done func(), begun bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last, known := w.launches[node]; known && last.what.run != run && last.what.turn > since {
		return nil, false
	}
	w.launches[node] = noted[launch]{launch{run, math.MaxUint64}, w.clock.Now()}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.turn++
		w.launches[node] = noted[launch]{launch{run, w.turn}, w.clock.Now()}
	}, true
}
