package peak

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// FabricRate is the peak that all RDMA ports of a node have together, each way. portRate, what one rank reaches at most between two nodes, only
// profiles say: ports tell their rate, but not whether the ranks' messages go over them or over TCP.
const FabricRate = "fabricRate"

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
	key := [2]string{FabricRate, ""}
	if _, known := p.byPart[key]; known || ports.Gbps <= 0 {
		return p
	}
	own := v1alpha1.Peak{Name: FabricRate, Value: quantity.Decimal(ports.Gbps/8, quantity.BoundDigits), Unit: "GB/s"}
	byPart := map[[2]string]limit{key: {own, "(inventory)"}}
	maps.Copy(byPart, p.byPart)
	p.byPart, p.profiles = byPart, slices.Concat(p.profiles, []string{"(inventory)"})
	return p
}
