package controllers

import (
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// KnownFleet holds what every node of the cluster reached when it last passed, as numbers only: those of 5,000 nodes fit where their
// histories would not. It takes them from NodeHistories, and says which of these have to be read again.
type KnownFleet struct {
	mu     sync.Mutex
	byName map[string]knownNode
}

// knownNode is what a node reached by one state of its NodeHistory.
type knownNode struct {
	reached    []observe.Known
	uid        types.UID
	generation int64
	at         time.Time
}

// NewKnownFleet knows no node yet. Nil where nodes are compared with no others, so that nothing is kept.
func NewKnownFleet(maxAge time.Duration) *KnownFleet {
	if maxAge <= 0 {
		return nil
	}
	return &KnownFleet{byName: map[string]knownNode{}}
}

// Take what is known of a node from its NodeHistory, unless what is known is newer.
func (f *KnownFleet) Take(h *v1alpha1.NodeHistory) {
	if f == nil {
		return
	}
	reached := observe.KnownOf(h)
	f.mu.Lock()
	defer f.mu.Unlock()
	if known := f.byName[h.Name]; known.uid == h.UID && known.generation > h.Generation {
		return
	}
	f.byName[h.Name] = knownNode{reached, h.UID, h.Generation, time.Now()}
}

// Stale names the nodes whose NodeHistory has been written since it was taken, by what their NodeValidations say.
func (f *KnownFleet) Stale(cached []v1alpha1.NodeValidation) (names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for v := range list.Each(cached) {
		known, is := f.byName[v.Name], v.NodeHistory
		if is != nil && is.UID != "" && (known.uid != is.UID || known.generation < is.Generation) {
			names = append(names, v.Name)
		}
	}
	return names
}

// Of the nodes that the cache holds, what each reached that tells of healthy hardware.
func (f *KnownFleet) Of(cached []v1alpha1.NodeValidation) []observe.Known {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []observe.Known
	for v := range list.Each(cached) {
		for _, k := range f.byName[v.Name].reached {
			if k.NodeUID == v.Fingerprint.NodeUID && observe.Healthy(v, k.Benchmark) {
				all = append(all, k)
			}
		}
	}
	return all
}

// Keep the nodes that the cache holds, and those that are on their way into it. The others are forgotten.
func (f *KnownFleet) Keep(cached []v1alpha1.NodeValidation) {
	exists := make(map[string]bool, len(cached))
	for i := range cached {
		exists[cached[i].Name] = true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.byName, func(name string, n knownNode) bool { return !exists[name] && time.Since(n.at) > time.Minute })
}
