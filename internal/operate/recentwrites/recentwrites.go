// Package recentwrites bridges the time between a write of this process and its arrival in the cache, so that no pass acts on a state
// older than its own last write. It only adds to the cache: losing it costs a repeated, harmless write. It reads and writes nothing
// itself.
package recentwrites

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/pack"
)

const (
	// watchLag is how long an object of our own making may be missing in the cache before it counts as gone.
	watchLag = 30 * time.Second
	// Limit is how long anything is remembered.
	Limit = 5 * time.Minute
	// sweepInterval is how often what is too old is looked for.
	sweepInterval = time.Minute
)

// Writes of this process, and what it found out between two of them.
type Writes struct {
	clock   clock.PassiveClock
	mu      sync.Mutex
	swept   time.Time
	objects map[string]noted[client.Object]
	// deleted on our request, and gone.
	deleted, vanished map[types.UID]time.Time
	// busy is what a live look at a node's pods found.
	busy map[string]noted[string]
	// status: when that of a run was last written.
	status map[types.UID]time.Time
	// applied is what was last applied to a node's status.
	applied map[types.UID]noted[string]
	// launches by node, and how many are over.
	launches map[string]noted[launch]
	turn     uint64

	Results Results
	packer  *pack.Packer
	packing sync.Mutex
}

// noted at a time.
type noted[T any] struct {
	what T
	at   time.Time
}

// New remembers nothing yet.
func New(c clock.PassiveClock) *Writes {
	return &Writes{clock: c, objects: map[string]noted[client.Object]{}, deleted: map[types.UID]time.Time{}, vanished: map[types.UID]time.Time{},
		busy: map[string]noted[string]{}, status: map[types.UID]time.Time{}, applied: map[types.UID]noted[string]{}, launches: map[string]noted[launch]{},
		Results: Results{runs: map[types.UID]*runResults{}},
		packer:  pack.New()}
}

func keyOf(o client.Object) string {
	return fmt.Sprintf("%T/%s/%s", o, o.GetNamespace(), o.GetName())
}

// Wrote remembers an object as the API server returned it, unless a newer one is remembered: runs write the same nodes at the
// same time. The object must not be changed any more.
func (w *Writes) Wrote(o client.Object) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := keyOf(o)
	if r, ok := w.objects[key]; !ok || !newer(r.what, o) {
		w.objects[key] = noted[client.Object]{o, w.clock.Now()}
	}
}

// Pack a result as it is kept in memory: without managed fields, and without the room to spare that decoding leaves in lists.
func (w *Writes) Pack(v *v1alpha1.ValidationResult) *pack.Result {
	v = v.DeepCopy()
	v.SetManagedFields(nil)
	w.packing.Lock()
	defer w.packing.Unlock()
	return w.packer.Pack(v)
}

// Removed remembers that we had an object of this UID deleted: it is on its way out.
func (w *Writes) Removed(uid types.UID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deleted[uid] = w.clock.Now()
}

// Gone remembers that an object is gone: it is not one that is still to come.
func (w *Writes) Gone(uid types.UID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.vanished[uid] = w.clock.Now()
}

// IsRemoved: we had it deleted, or it is gone.
func (w *Writes) IsRemoved(uid types.UID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, removed := w.deleted[uid]
	_, gone := w.vanished[uid]
	return removed || gone
}

// newer says whether one state of an object, or of two of one name, was written after another. Versions count all
// writes of a kind, so that they order namesakes, too.
func newer(a, b client.Object) bool {
	order, err := resourceversion.CompareResourceVersion(a.GetResourceVersion(), b.GetResourceVersion())
	return err == nil && order > 0
}

// Fresh returns what the cache holds of an object, or what was last written where that is newer.
func Fresh[T client.Object](w *Writes, cached T) T {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.objects) == 0 { // as mostly, where thousands of nodes are asked for
		return cached
	}
	key := keyOf(cached)
	r, ok := w.objects[key]
	if !ok || r.what == client.Object(cached) { // one that Unseen returned says nothing of the cache
		return cached
	}
	mine, same := r.what.(T)
	_, gone := w.vanished[r.what.GetUID()]
	if !same || gone || !newer(mine, cached) {
		delete(w.objects, key)
		return cached
	}
	return mine
}

// Awaited returns the object of this type and name that was just written and has still to come into the cache; ok is false for none.
func Awaited[T client.Object](w *Writes, like T) (o T, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, ok := w.objects[keyOf(like)]
	if !ok || !w.awaited(r) {
		return o, false
	}
	o, ok = r.what.(T)
	return o, ok
}

// awaited: the cache is still to see the object.
func (w *Writes) awaited(r noted[client.Object]) bool {
	_, gone := w.vanished[r.what.GetUID()]
	return !gone && w.clock.Since(r.at) <= watchLag
}

// Unseen returns the remembered objects of one type that the cache does not hold yet. What we had deleted meanwhile is
// among them, as on its way out: its end has not been seen.
func Unseen[T client.Object](w *Writes, seen func(T) bool) []T {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []T
	for _, r := range w.objects {
		o, ok := r.what.(T)
		if !ok || !w.awaited(r) || seen(o) {
			continue
		}
		if at, deleted := w.deleted[o.GetUID()]; deleted && o.GetDeletionTimestamp() == nil {
			o = o.DeepCopyObject().(T)
			o.SetDeletionTimestamp(&metav1.Time{Time: at})
		}
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b T) int { return strings.Compare(a.GetName(), b.GetName()) })
	return out
}

// Sweep forgets, now and then, what the cache must have seen long ago, and runs that no pass looks at any more.
func (w *Writes) Sweep() {
	w.Results.sweep()
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock.Now()
	if now.Sub(w.swept) < sweepInterval {
		return
	}
	w.swept = now
	old := func(at time.Time) bool { return now.Sub(at) > Limit }
	maps.DeleteFunc(w.objects, func(_ string, o noted[client.Object]) bool { return old(o.at) })
	maps.DeleteFunc(w.busy, func(_ string, b noted[string]) bool { return old(b.at) })
	maps.DeleteFunc(w.launches, func(_ string, l noted[launch]) bool { return now.Sub(l.at) > launchesKept })
	maps.DeleteFunc(w.applied, func(_ types.UID, a noted[string]) bool { return old(a.at) })
	for _, times := range []map[types.UID]time.Time{w.deleted, w.vanished, w.status} {
		maps.DeleteFunc(times, func(_ types.UID, at time.Time) bool { return old(at) })
	}
}
