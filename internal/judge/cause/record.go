package cause

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// record is what a result says of its node beside its findings.
type record struct {
	benchmarks []v1alpha1.BenchmarkResult
	devices    []v1alpha1.Device
	facts      map[string]map[string]string // by name and part
	unlike     []string                     // facts that most nodes of its kind have otherwise
	slow       map[slowGPU]bool             // GPUs that break a rule by themselves
	failed     map[string]bool              // parts that break one
}

// slowGPU is a GPU that is slow in a domain.
type slowGPU struct {
	domain domain
	gpu    int32
}

func recordOf(r *v1alpha1.ValidationResult) *record {
	n := &record{benchmarks: r.Benchmarks, facts: map[string]map[string]string{}, slow: map[slowGPU]bool{}, failed: map[string]bool{}}
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		for j := range b.Findings {
			if f := &b.Findings[j]; f.Rule == term.FactUniform && f.Verdict != v1alpha1.VerdictSkipped && !slices.Contains(n.unlike, f.Metric) {
				n.unlike = append(n.unlike, f.Metric)
			}
		}
		a := attempt.LastMeasured(b.Attempts)
		if a == nil {
			continue
		}
		if len(a.Devices) > 0 {
			n.devices = a.Devices
		}
		for _, f := range a.Facts {
			if n.facts[f.Name] == nil {
				n.facts[f.Name] = map[string]string{}
			}
			n.facts[f.Name][f.At] = f.Value
		}
	}
	return n
}

// number that a fact of a part is; of a fact of the node, at is empty.
func (n *record) number(name, at string) (float64, bool) {
	return quantity.ParseDecimal(n.facts[name][at])
}

// most that a fact is at any GPU of the node.
func (n *record) most(name string) (most float64) {
	for at := range n.facts[name] {
		v, _ := n.number(name, at)
		most = max(most, v)
	}
	return most
}

// yes says whether a fact is true at a part, or of any part where at is empty.
func (n *record) yes(name, at string) bool {
	for p, v := range n.facts[name] {
		if v == "true" && (at == "" || p == at) {
			return true
		}
	}
	return false
}

// gpu is the name of the one GPU that is suspect; empty where it is the node.
func (s *suspect) gpu() string {
	if len(s.place.GPUs) != 1 {
		return ""
	}
	return fmt.Sprintf("gpu%d", s.place.GPUs[0])
}

// steps that sensors tell: clocks of GPUs go by 15 MHz, nvidia-smi reads the power to 5 W and temperatures to a degree.
var steps = map[string]float64{"MHz": 15, "W": 5, "C": 1}

// inWords are the quantities that are known: "at 1.39 GHz and 76 C, the others at 1.98 GHz and 64 C".
func inWords(all ...beside) string {
	var mine, theirs []string
	who := "other"
	for _, b := range all {
		if math.IsNaN(b.value) {
			continue
		}
		median := b.middle()
		scale := quantity.NewScale(b.unit, max(b.value, median))
		mine = append(mine, scale.Format(math.Round(b.value)))
		if len(b.others) > 0 {
			theirs = append(theirs, scale.Format(math.Round(median)))
		}
		if len(b.others) > 1 {
			who = "others"
		}
	}
	text := ""
	if len(mine) > 0 {
		text = "at " + message.List(mine)
	}
	if len(theirs) > 0 {
		text += ", the " + who + " at " + message.List(theirs)
	}
	return text
}
