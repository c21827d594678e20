package recentwrites

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// MarkBusy remembers what a live look at a node found; an empty message clears it.
func (w *Writes) MarkBusy(node, message string, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if message == "" {
		delete(w.busy, node)
		return
	}
	w.busy[node] = noted[string]{message, now}
}

// BusyNodes says, by name, why nodes are known to be busy, as far as the look at them is recent.
func (w *Writes) BusyNodes(now time.Time, valid time.Duration) map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[string]string{}
	for node, b := range w.busy {
		if now.Sub(b.at) < valid {
			out[node] = b.what
		}
	}
	return out
}

// Reported remembers when a run's status was last written.
func (w *Writes) Reported(uid types.UID, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status[uid] = now
}

// SinceReport is how long ago a run's status was last written; Limit where that is not known.
func (w *Writes) SinceReport(uid types.UID, now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at, ok := w.status[uid]; ok {
		return now.Sub(at)
	}
	return Limit
}

// JustApplied says whether a node was given just this a moment ago, so that the cache need not show it yet.
func (w *Writes) JustApplied(node types.UID, what string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	a, ok := w.applied[node]
	return ok && a.what == what && w.clock.Since(a.at) < watchLag
}

// MarkApplied remembers what a node was given.
func (w *Writes) MarkApplied(node types.UID, what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.applied[node] = noted[string]{what, w.clock.Now()}
}
