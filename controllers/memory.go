package controllers

import (
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// watchLag is how long an object of our own making may be missing in the cache before it counts as gone.
	watchLag = 30 * time.Second
	// memoryLimit is how long anything is remembered.
	memoryLimit = 5 * time.Minute
)

// memory bridges the time between a write of this process and its arrival in the cache, so that no pass acts on a state
// older than its own last write. It only adds to the cache: losing it loses nothing but a repeated, harmless write.
type memory struct {
	mu      sync.Mutex
	objects map[string]remembered
	deleted map[types.UID]time.Time
	busy    map[string]busyNode
	status  map[types.UID]time.Time
	applied map[types.UID]appliedNode
	kinds   map[types.UID]kindSeen
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

func newMemory() *memory {
	return &memory{objects: map[string]remembered{}, deleted: map[types.UID]time.Time{},
		busy: map[string]busyNode{}, status: map[types.UID]time.Time{}, applied: map[types.UID]appliedNode{}, kinds: map[types.UID]kindSeen{}}
}

func memoryKey(o client.Object) string {
	return fmt.Sprintf("%T/%s/%s", o, o.GetNamespace(), o.GetName())
}

// wrote remembers an object as the API server returned it. The object must not be changed any more.
func (m *memory) wrote(o client.Object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.objects[memoryKey(o)] = remembered{o, time.Now()}
}

// removed remembers that an object of this UID was deleted and is on its way out.
func (m *memory) removed(uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.deleted[uid] = time.Now()
}

func (m *memory) isRemoved(uid types.UID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, gone := m.deleted[uid]
	return gone
}

// fresh returns what the cache holds of an object, or what was last written where that is newer.
func fresh[T client.Object](m *memory, cached T) T {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.objects[memoryKey(cached)]
	if !ok {
		return cached
	}
	mine, same := r.object.(T)
	if !same || mine.GetUID() != cached.GetUID() {
		return cached
	}
	order, err := resourceversion.CompareResourceVersion(mine.GetResourceVersion(), cached.GetResourceVersion())
	if err != nil || order <= 0 {
		delete(m.objects, memoryKey(cached))
		return cached
	}
	return mine
}

// unseen returns the remembered objects of one type that the cache does not hold yet.
func unseen[T client.Object](m *memory, match func(T) bool, seen func(T) bool) []T {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []T
	for _, r := range m.objects {
		o, ok := r.object.(T)
		if !ok || time.Since(r.at) > watchLag || !match(o) || seen(o) {
			continue
		}
		if _, gone := m.deleted[o.GetUID()]; !gone {
			out = append(out, o)
		}
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
	return ok && a.what == what && time.Since(a.at) < watchLag
}

func (m *memory) markApplied(node types.UID, what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.applied[node] = appliedNode{what, time.Now()}
}

// sweep forgets what the cache must have seen long ago.
func (m *memory) sweep() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for k, r := range m.objects {
		if time.Since(r.at) > memoryLimit {
			delete(m.objects, k)
		}
	}
	for uid, at := range m.deleted {
		if time.Since(at) > memoryLimit {
			delete(m.deleted, uid)
		}
	}
	for uid, at := range m.status {
		if time.Since(at) > memoryLimit {
			delete(m.status, uid)
		}
	}
	for uid, k := range m.kinds {
		if time.Since(k.at) > memoryLimit {
			delete(m.kinds, uid)
		}
	}
	for uid, a := range m.applied {
		if time.Since(a.at) > watchLag {
			delete(m.applied, uid)
		}
	}
}
