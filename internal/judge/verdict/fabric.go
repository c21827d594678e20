package verdict

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

const (
	// PeakFabric is the peak that all RDMA ports of a node have together, each way.
	PeakFabric = "fabricRate"
	// PeakPort is what one rank reaches at most between two nodes, each way. Only profiles say it: ports tell their rate, but not whether the ranks'
	// messages go over them or over TCP.
	PeakPort = "portRate"
)

const ruleTransport = "Transport"

// Fabric of the node, as its profiles have it; nil: none has.
func (p Peaks) Fabric() *v1alpha1.Fabric { return p.fabric }

// Fabric of a node with these labels: what the most specific profile says that says anything; nil: none does.
func (ps Profiles) Fabric(nodeLabels map[string]string) *v1alpha1.Fabric {
	for _, p := range ps {
		if p.Spec.Fabric != nil && p.selector.Matches(labels.Set(nodeLabels)) {
			return p.Spec.Fabric
		}
	}
	return nil
}

// AppendFabrics appends what changes whenever a profile says something else about fabrics, or of other nodes.
func (ps Profiles) AppendFabrics(text []byte) []byte {
	for _, p := range ps {
		if p.Spec.Fabric != nil {
			text = fmt.Appendf(text, "\n%s %s %d", p.Name, p.UID, p.Generation)
		}
	}
	return text
}

// Ports are the active RDMA ports of a node.
type Ports struct {
	Active int
	// Gbps of all of them together.
	Gbps float64
}

// PortsIn what the inventory reports; none where it did not run, or shows none.
func PortsIn(facts []v1alpha1.Fact) Ports {
	var p Ports
	rate, up := map[string]float64{}, map[string]bool{}
	for _, f := range facts {
		switch f.Name {
		case "rdmaState":
			words := strings.Fields(strings.ToUpper(f.Value)) // "4: ACTIVE", as the kernel has it, or "Active"
			up[f.At] = slices.Contains(words, "ACTIVE")
		case "rdmaGbps":
			rate[f.At], _ = strconv.ParseFloat(f.Value, 64)
		}
	}
	for at, is := range up {
		if is {
			p.Active++
			p.Gbps += rate[at]
		}
	}
	return p
}

// WithPorts are the peaks with that of the node's ports, where no profile gives it.
func (p Peaks) WithPorts(ports Ports) Peaks {
	key := [2]string{PeakFabric, ""}
	if _, known := p.byPart[key]; known || ports.Gbps <= 0 {
		return p
	}
	p.byPart = maps.Clone(p.byPart)
	if p.byPart == nil {
		p.byPart = map[[2]string]limit{}
	}
	p.profiles = slices.Concat(p.profiles, []string{"(inventory)"})
	p.byPart[key] = limit{v1alpha1.Peak{Name: PeakFabric, Value: quantity.Decimal(ports.Gbps/8, boundDigits), Unit: "GB/s"}, "(inventory)"}
	return p
}

// Sockets is the transport that an attempt's NCCL used between nodes, if it was sockets anywhere; else it is empty.
func Sockets(attempts []v1alpha1.Attempt) string {
	a := lastMeasured(attempts)
	if a == nil {
		return ""
	}
	for _, f := range a.Facts {
		if f.Name == v1alpha1.FactTransport && strings.Contains(f.Value, "Socket") {
			return f.Value
		}
	}
	return ""
}

// OverSockets is the decision about a group with RDMA whose NCCL went another way. How fast that was says nothing about the nodes: it fails nobody
// and passes nobody, and another attempt would go the same way. Wrong data stays wrong.
func (d Decision) OverSockets(why string) Decision {
	speed := d.Reason == v1alpha1.ReasonBelowExpectation || d.NeedsAttempt && !d.suspectsData()
	if d.Verdict != v1alpha1.VerdictPass && d.Reason != v1alpha1.ReasonNotJudged && !speed {
		return d
	}
	kept := slices.DeleteFunc(slices.Clone(d.Findings), func(f v1alpha1.Finding) bool { return f.Verdict == v1alpha1.VerdictFail })
	found := v1alpha1.Finding{Rule: ruleTransport, Verdict: v1alpha1.VerdictWarning, Message: quantity.Clip(why, message.Longest)}
	headline := slices.Clone(d.Headline)
	for i := range headline {
		headline[i].Verdict = v1alpha1.VerdictInconclusive
	}
	return Decision{Verdict: v1alpha1.VerdictInconclusive, Reason: v1alpha1.ReasonNotOverRDMA, Message: found.Message, Headline: headline, Curves: d.Curves,
		Findings: append([]v1alpha1.Finding{found}, kept...)}
}

func (d Decision) suspectsData() bool {
	return slices.ContainsFunc(d.Findings, func(f v1alpha1.Finding) bool { return f.Rule == RuleDataCheck })
}
