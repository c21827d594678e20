package controllers

import (
	"fmt"
	"maps"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const (
	// watchLag is how long an object of our own making may be missing in the cache before it counts as gone.
	watchLag = 30 * time.Second
	// memoryLimit is how long anything is remembered.
	memoryLimit = 5 * time.Minute
	// sweepInterval is how often what is too old is looked for.
	sweepInterval = time.Minute
)

// memory bridges the time between a write of this process and its arrival in the cache, so that no pass acts on a state
// older than its own last write. It only adds to the cache: losing it loses nothing but a repeated, harmless write.
type memory struct {
	clock   clock.PassiveClock
	mu      sync.Mutex
	swept   time.Time
	objects map[string]remembered
	// deleted on our request, and gone, as the cache has seen.
	deleted, vanished map[types.UID]time.Time
	busy              map[string]busyNode
	status            map[types.UID]time.Time
	applied           map[types.UID]appliedNode
	kinds             map[types.UID]kindSeen

	results     results
	validations validations
	interned    *interner
}

// appliedNode is what was last applied to a node's status.
type appliedNode struct {
	what string
	at   time.Time
}

type remembered struct {
	object client.Object
	at     time.Time
}

// busyNode is what a live look at a node's pods found.
type busyNode struct {
	message string
	at      time.Time
}

func newMemory(c clock.PassiveClock) *memory {
	return &memory{clock: c, objects: map[string]remembered{}, deleted: map[types.UID]time.Time{}, vanished: map[types.UID]time.Time{},
		busy: map[string]busyNode{}, status: map[types.UID]time.Time{}, applied: map[types.UID]appliedNode{}, kinds: map[types.UID]kindSeen{},
		results:     results{runs: map[types.UID]*runResults{}},
		validations: validations{byName: map[string]*knownValidation{}, runs: map[types.UID]*nodesOfRun{}},
		interned:    newInterner()}
}

func memoryKey(o client.Object) string {
	return fmt.Sprintf("%T/%s/%s", o, o.GetNamespace(), o.GetName())
}

// wrote remembers an object as the API server returned it, unless a newer one is remembered: runs write the same nodes at the
// same time. The object must not be changed any more.
func (m *memory) wrote(o client.Object) {
	if v, ok := o.(*v1alpha1.NodeValidation); ok {
		m.validations.add(m.interned.validation(v), false)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := memoryKey(o)
	if r, ok := m.objects[key]; ok && newer(r.object, o) {
		return
	}
	m.objects[key] = remembered{o, m.clock.Now()}
}

// removed remembers that we had an object of this UID deleted: it is on its way out.
func (m *memory) removed(uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.deleted[uid] = m.clock.Now()
}

// gone remembers that the cache has seen the end of an object: it is not one that is still to come.
func (m *memory) gone(uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.vanished[uid] = m.clock.Now()
}

func (m *memory) isRemoved(uid types.UID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, removed := m.deleted[uid]
	_, gone := m.vanished[uid]
	return removed || gone
}

// newer says whether one state of an object, or of two of one name, was written after another. Versions count all
// writes of a kind, so that they order namesakes, too.
func newer(a, b client.Object) bool {
	order, err := resourceversion.CompareResourceVersion(a.GetResourceVersion(), b.GetResourceVersion())
	return err == nil && order > 0
}

// fresh returns what the cache holds of an object, or what was last written where that is newer.
func fresh[T client.Object](m *memory, cached T) T {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := memoryKey(cached)
	r, ok := m.objects[key]
	if !ok || r.object == client.Object(cached) { // one that unseen returned says nothing of the cache
		return cached
	}
	mine, same := r.object.(T)
	_, gone := m.vanished[r.object.GetUID()]
	if !same || gone || !newer(mine, cached) {
		delete(m.objects, key)
		return cached
	}
	return mine
}

// awaited: the cache is still to see the object.
func (m *memory) awaited(r remembered) bool {
	_, gone := m.vanished[r.object.GetUID()]
	return !gone && m.clock.Since(r.at) <= watchLag
}

// unseen returns the remembered objects of one type that the cache does not hold yet. What we had deleted meanwhile is
// among them, as on its way out: its end has not been seen.
func unseen[T client.Object](m *memory, match func(T) bool, seen func(T) bool) []T {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []T
	for _, r := range m.objects {
		o, ok := r.object.(T)
		if !ok || !m.awaited(r) || !match(o) || seen(o) {
			continue
		}
		if at, deleted := m.deleted[o.GetUID()]; deleted && o.GetDeletionTimestamp() == nil {
			o = o.DeepCopyObject().(T)
			o.SetDeletionTimestamp(&metav1.Time{Time: at})
		}
		out = append(out, o)
	}
	return out
}

// markBusy remembers what a live look at a node found; an empty message clears it.
func (m *memory) markBusy(node, message string, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if message == "" {
		delete(m.busy, node)
		return
	}
	m.busy[node] = busyNode{message, now}
}

// busyMessage is why a node is known to be busy, for as long as that look is recent.
func (m *memory) busyMessage(node string, now time.Time, valid time.Duration) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b, ok := m.busy[node]; ok && now.Sub(b.at) < valid {
		return b.message
	}
	return ""
}

// reported remembers when a run's status was last written; sinceReport is how long ago that was.
func (m *memory) reported(uid types.UID, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status[uid] = now
}

func (m *memory) sinceReport(uid types.UID, now time.Time) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at, ok := m.status[uid]; ok {
		return now.Sub(at)
	}
	return memoryLimit
}

// justApplied says whether a node was given just this a moment ago, so that the cache need not show it yet; markApplied
// remembers it.
func (m *memory) justApplied(node types.UID, what string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, ok := m.applied[node]
	return ok && a.what == what && m.clock.Since(a.at) < watchLag
}

func (m *memory) markApplied(node types.UID, what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.applied[node] = appliedNode{what, m.clock.Now()}
}

// forget what only an active run needs.
func (m *memory) forget(run types.UID) {
	m.results.forget(run)
	m.validations.forget(run)
}

// sweep forgets, now and then, what the cache must have seen long ago, and runs that no pass looks at any more.
func (m *memory) sweep() {
	m.results.sweep()
	m.validations.sweep()
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock.Now()
	if now.Sub(m.swept) < sweepInterval {
		return
	}
	m.swept = now
	old := func(at time.Time) bool { return now.Sub(at) > memoryLimit }
	maps.DeleteFunc(m.objects, func(_ string, r remembered) bool { return old(r.at) })
	maps.DeleteFunc(m.busy, func(_ string, b busyNode) bool { return old(b.at) })
	maps.DeleteFunc(m.applied, func(_ types.UID, a appliedNode) bool { return old(a.at) })
	maps.DeleteFunc(m.kinds, func(_ types.UID, k kindSeen) bool { return old(k.at) })
	for _, times := range []map[types.UID]time.Time{m.deleted, m.vanished, m.status} {
		maps.DeleteFunc(times, func(_ types.UID, at time.Time) bool { return old(at) })
	}
}
