package nodes

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/export"
)

// nodesSchema names the shape of `kubectl assay nodes -o json`. Fields may be added to it; none changes its name or its meaning.
const nodesSchema = "assay.dev/nodes/v2"

// listOf nodes, as every format has them.
func listOf(rows []*fleetNode, now time.Time) *output.List {
	l := &output.List{
		Document: struct {
			Schema string       `json:"schema"`
			Nodes  []*fleetNode `json:"nodes"`
		}{nodesSchema, slices.Concat([]*fleetNode{}, rows)},
		CSV: nodesAsCSV(rows), None: "no such nodes", Narrow: 7,
		Header:    []string{"NODE", "STATE", "PROVED", "WORST", "GATE", "TAINT", "POLICY", "LAST RUN", "DRIVER", "MESSAGE"},
		Narrowing: output.Narrowing{First: []string{"POLICY", "TAINT"}, Cut: "WORST", Then: []string{"GATE", "WORST", "PROVED"}, Keep: "NODE"},
		Below:     message.Several(len(rows), "node") + ": " + strings.Join(counts(rows), ", ") + outOfService(rows),
	}
	for _, n := range rows {
		l.Names = append(l.Names, "node/"+n.Name)
		l.Rows = append(l.Rows, []string{n.Name, n.State, age(n.ProvedAt, now), n.Worst.told(), closed(n.Gated), n.tainted(),
			strings.Join(n.Policies, ","), n.LastRun, n.Driver, n.Message})
	}
	return l
}

// age of a proof, as kubectl writes ages.
func age(at *time.Time, now time.Time) string {
	if at == nil {
		return ""
	}
	return duration.HumanDuration(now.Sub(*at))
}

// tainted is the taint of a node, and of how many of its devices it is in place of the node.
func (n *fleetNode) tainted() string {
	if n.OutOfService != nil {
		return n.Taint + " on " + n.OutOfService.Short()
	}
	return n.Taint
}

func closed(gated bool) string {
	if gated {
		return "closed"
	}
	return ""
}

// told is a value for people, and how far it is behind what it is compared with.
func (w *worstValue) told() string {
	if w == nil {
		return ""
	}
	text := strings.Join(strings.Fields(w.Benchmark+" "+w.At+" "+w.Metric), " ")
	if w.Value == nil {
		return text
	}
	reference, name := w.Typical, "typical"
	if reference == nil {
		reference, name = w.Bound, "bound"
	}
	scale := quantity.NewScale(output.Clean(w.Unit), *w.Value)
	if reference != nil {
		scale = quantity.NewScale(output.Clean(w.Unit), *w.Value, *reference)
	}
	text += " " + scale.Format(*w.Value)
	if w.BehindPercent != nil {
		text += fmt.Sprintf(", %s behind %s %s", quantity.Percent(*w.BehindPercent), name, scale.Format(*reference))
	}
	return text
}

// outOfService says, below the nodes, of which single devices are out of service: the narrowest terminal has room for that.
func outOfService(rows []*fleetNode) string {
	of := list.Where(rows, func(n *fleetNode) bool { return n.OutOfService != nil })
	if len(of) == 0 {
		return ""
	}
	is := list.Map(of, func(n *fleetNode) string { return n.OutOfService.Count() + " of " + n.Name })
	return "; out of service: " + message.Names(is) + " (kubectl assay explain NODE says why)"
}

// counts of the states that there are, in their order.
func counts(rows []*fleetNode) (all []string) {
	for _, state := range states {
		n := list.Count(rows, func(row *fleetNode) bool { return row.State == state })
		if n > 0 {
			all = append(all, fmt.Sprintf("%d %s", n, cmp.Or(state, "of no policy")))
		}
	}
	return all
}

func nodesAsCSV(rows []*fleetNode) [][]string {
	lines := [][]string{{"node", "state", "provedAt", "benchmark", "at", "metric", "value", "unit", "typical", "bound", "behindPercent",
		"gated", "taint", "policies", "lastRun", "driver", "message", "outOfService"}}
	for _, n := range rows {
		proved := ""
		if n.ProvedAt != nil {
			proved = n.ProvedAt.UTC().Format(time.RFC3339)
		}
		worst := cmp.Or(n.Worst, &worstValue{})
		line := []string{n.Name, n.State, proved, worst.Benchmark, worst.At, worst.Metric, export.Optional(worst.Value), worst.Unit,
			export.Optional(worst.Typical), export.Optional(worst.Bound), export.Optional(worst.BehindPercent), strconv.FormatBool(n.Gated), n.Taint,
			strings.Join(n.Policies, " "), n.LastRun, n.Driver, n.Message, strings.Join(n.OutOfService.UUIDs(), " ")}
		lines = append(lines, line)
	}
	return lines
}
