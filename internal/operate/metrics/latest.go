package metrics

import (
	"maps"
	"slices"
	"sync"
	"time"
	"unique"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// Latest is what every node reached when it was last measured: the headline metrics, each by the node's worst part. It takes them from
// NodeValidations on their way into the cache, which keeps no values: as numbers, those of ten thousand nodes take little room.
type Latest struct {
	mu     sync.Mutex
	byNode map[string]taken
}

// taken are the levels of a node, which version of its NodeValidation has them, and when that was read.
type taken struct {
	levels  []level
	version string
	at      time.Time
}

// level is one value of a node.
type level struct {
	kind  unique.Handle[kind]
	value float64
}

// kind of value: only like ones are compared. Nodes of different devices are not alike, nor is what a benchmark measures with other parameters.
type kind struct {
	shown
	configuration string
}

// shown are the labels of a kind of value.
type shown struct{ benchmark, metric, unit, devices string }

// NewLatest knows no node yet.
func NewLatest() *Latest { return &Latest{byNode: map[string]taken{}} }

// Take what a node reached from its whole NodeValidation.
func (l *Latest) Take(v *v1alpha1.NodeValidation) {
	var levels []level
	for i := range v.Benchmarks {
		b := &v.Benchmarks[i]
		if len(b.History) == 0 {
			continue
		}
		last := &b.History[len(b.History)-1]
		devices := ""
		if last.Machine != nil {
			devices = last.Machine.Devices
		}
		for _, h := range last.Values {
			if f, ok := quantity.ParseDecimal(h.Value); ok {
				levels = append(levels, level{unique.Make(kind{shown{b.Name, h.Metric, h.Unit, devices}, last.Configuration}), f})
			}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byNode[v.Name] = taken{slices.Clip(levels), v.ResourceVersion, time.Now()}
}

// Forget a node whose NodeValidation was deleted, unless another with its name is on its way into the cache already.
func (l *Latest) Forget(v *v1alpha1.NodeValidation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byNode[v.Name].version == v.ResourceVersion {
		delete(l.byNode, v.Name)
	}
}

// of the nodes that the cache holds, what each reached. Those that are on their way into the cache are kept for later, the others forgotten.
func (l *Latest) of(cached []v1alpha1.NodeValidation) map[string][]level {
	all := make(map[string][]level, len(cached))
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range cached {
		all[cached[i].Name] = l.byNode[cached[i].Name].levels
	}
	maps.DeleteFunc(l.byNode, func(name string, n taken) bool {
		_, exists := all[name]
		return !exists && time.Since(n.at) > time.Minute
	})
	return all
}
