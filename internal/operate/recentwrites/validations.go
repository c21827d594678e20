package recentwrites

import (
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Validations holds the NodeValidations that passes over active runs need whole: the cache holds all nodes', but without their history.
type Validations struct {
	mu     sync.Mutex
	byName map[string]*knownValidation
	runs   map[types.UID]*nodesOfRun
}

type knownValidation struct {
	object *v1alpha1.NodeValidation
	at     time.Time
	// arrived: the cache has shown that it exists, so that it is gone when the cache has it no more.
	arrived bool
}

// nodesOfRun are the nodes that a run keeps in memory.
type nodesOfRun struct {
	names []string
	used  time.Time
}

// Add takes an object as the API server returned it, and returns the newest that is known: the answer to a read may come in after that to a
// later write.
func (s *Validations) Add(v *v1alpha1.NodeValidation, arrived bool) *v1alpha1.NodeValidation {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.byName[v.Name]; k != nil && newer(k.object, v) {
		return k.object
	}
	s.byName[v.Name] = &knownValidation{object: v, at: time.Now(), arrived: arrived}
	return v
}

// Like returns the whole of what the cache holds, or something newer; nil where this is not known.
func (s *Validations) Like(cached *v1alpha1.NodeValidation) *v1alpha1.NodeValidation {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.byName[cached.Name]
	if k == nil {
		return nil
	}
	order, err := resourceversion.CompareResourceVersion(k.object.ResourceVersion, cached.ResourceVersion)
	if err != nil || order < 0 {
		delete(s.byName, cached.Name)
		return nil
	}
	k.arrived = k.arrived || order == 0
	return k.object
}

// Unseen returns what was just written and has still to come into the cache; nil for none.
func (s *Validations) Unseen(name string) *v1alpha1.NodeValidation {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.byName[name]
	if k == nil || k.arrived || time.Since(k.at) > watchLag {
		delete(s.byName, name)
		return nil
	}
	return k.object
}

// Keep says of which nodes a run needs all from now on. The others are forgotten.
func (s *Validations) Keep(run types.UID, names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[run] = &nodesOfRun{names: names, used: time.Now()}
	s.prune()
}

// Forget a run that is over.
func (s *Validations) Forget(run types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs[run] != nil {
		delete(s.runs, run)
		s.prune()
	}
}

// Sweep forgets runs that no pass looks at any more, and their nodes.
func (s *Validations) Sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.runs, func(_ types.UID, n *nodesOfRun) bool { return time.Since(n.used) > unused })
	s.prune()
}

// Trim what is known of a node that no pass needs whole: only the cache has to catch up with it.
func (s *Validations) Trim(name string, trimmed func(*v1alpha1.NodeValidation) *v1alpha1.NodeValidation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.byName[name]; k != nil {
		k.object = trimmed(k.object)
	}
}

// prune forgets the nodes that no run needs, but for what the cache has still to see.
func (s *Validations) prune() {
	needed := map[string]bool{}
	for _, n := range s.runs {
		for _, name := range n.names {
			needed[name] = true
		}
	}
	maps.DeleteFunc(s.byName, func(name string, k *knownValidation) bool {
		return !needed[name] && (k.arrived || time.Since(k.at) > watchLag)
	})
}
