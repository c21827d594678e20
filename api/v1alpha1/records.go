package v1alpha1

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Finished says whether the run is over for good.
func (r *ValidationRun) Finished() bool {
	return meta.IsStatusConditionTrue(r.Status.Conditions, ConditionFinished)
}

// ResultName is the name of the ValidationResult of a run and a node: always the same, and never that of another pair.
func ResultName(run *ValidationRun, node string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%s", run.UID, node))
	name := run.Name + "." + node
	if len(name) > 230 {
		name = name[:230]
	}
	return name + "." + hex.EncodeToString(sum[:])[:10]
}

// Who opened a gate, in a GateRecord.
const (
	GateOpenedByAssay    = "assay"
	GateOpenedByTimeout  = "timeout"
	GateOpenedBySomebody = "somebody"
)

// GateRecord is the value of a node's AnnotationGate: who opened its gate, and when.
// +kubebuilder:object:generate=false
type GateRecord struct {
	Policy string `json:"policy"`
	// Run whose measurement opened it; empty: none did.
	Run      string      `json:"run,omitempty"`
	OpenedAt metav1.Time `json:"openedAt"`
	By       string      `json:"by"`
}

// String is the annotation.
func (r GateRecord) String() string {
	text, err := json.Marshal(r)
	if err != nil {
		return ""
	}
	return string(text)
}

// GateRecordOf a node's annotations; false: they have none that can be read.
func GateRecordOf(annotations map[string]string) (GateRecord, bool) {
	var r GateRecord
	text := annotations[AnnotationGate]
	return r, text != "" && json.Unmarshal([]byte(text), &r) == nil
}

// Benchmark is what is known of the node by a benchmark; nil for nothing, as of a node of which nothing is known (nil).
func (v *NodeValidation) Benchmark(name string) *BenchmarkState {
	if v == nil {
		return nil
	}
	for i := range v.Benchmarks {
		if v.Benchmarks[i].Name == name {
			return &v.Benchmarks[i]
		}
	}
	return nil
}

// LastPass is the newest pass; nil where there is none, or nothing is known (nil).
func (b *BenchmarkState) LastPass() *HistoryEntry {
	if b == nil {
		return nil
	}
	for i := len(b.History) - 1; i >= 0; i-- {
		if b.History[i].Verdict == VerdictPass {
			return &b.History[i]
		}
	}
	return nil
}

// AsCatalogued: the run asked for what the Benchmark does, and set neither parameters nor expectations of it.
func (e *HistoryEntry) AsCatalogued() bool { return !e.OwnParameters && !e.OwnExpectations }

// Benchmark is what the history has of a benchmark; nil for nothing, as of a node without a history (nil).
func (h *NodeHistory) Benchmark(name string) *BenchmarkHistory {
	if h == nil {
		return nil
	}
	for i := range h.Benchmarks {
		if h.Benchmarks[i].Name == name {
			return &h.Benchmarks[i]
		}
	}
	return nil
}

// Benchmark is what the result says of a benchmark; nil for nothing.
func (r *ValidationResult) Benchmark(name string) *BenchmarkResult {
	for i := range r.Benchmarks {
		if r.Benchmarks[i].Name == name {
			return &r.Benchmarks[i]
		}
	}
	return nil
}

// Row of a node in the run's table; nil where it is not listed.
func (r *ValidationRun) Row(node string) *NodeRow {
	for i := range r.Status.Nodes {
		if r.Status.Nodes[i].Name == node {
			return &r.Status.Nodes[i]
		}
	}
	return nil
}

// Warns says whether a finding fails nobody.
func (f *FabricFinding) Warns() bool { return f.Kind == "Population" || f.Kind == "Shift" }
