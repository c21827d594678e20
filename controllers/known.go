package controllers

import (
	"maps"
	"sync"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess"
)

// KnownFleet holds what every node of the cluster reached when it last passed, as numbers only. It takes them from NodeValidations on their
// way into the cache, which keeps none of their history: the numbers of 5,000 nodes fit where the histories would not.
type KnownFleet struct {
	mu     sync.Mutex
	byName map[string]knownNode
}

type knownNode struct {
	reached []assess.Known
	at      time.Time
}

// NewKnownFleet knows no node yet. Nil where nodes are compared with no others, so that nothing is kept.
func NewKnownFleet(maxAge time.Duration) *KnownFleet {
	if maxAge <= 0 {
		return nil
	}
	return &KnownFleet{byName: map[string]knownNode{}}
}

// take what is known of a node from its whole NodeValidation.
func (f *KnownFleet) take(v *v1alpha1.NodeValidation) {
	reached := assess.KnownOf(v)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.byName[v.Name] = knownNode{reached, time.Now()}
}

// Of the nodes that the cache holds, what each reached.
func (f *KnownFleet) Of(cached []v1alpha1.NodeValidation) []assess.Known {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []assess.Known
	for i := range cached {
		v := &cached[i]
		if assess.Trimmed(v) {
			all = append(all, f.byName[v.Name].reached...)
		} else {
			all = append(all, assess.KnownOf(v)...)
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
