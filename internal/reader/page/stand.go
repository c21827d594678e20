package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/report"
)

// standingNode is a node with its worst deviation, and of what.
type standingNode struct {
	*report.Node
	far   float64 // NaN: nothing was judged
	worst string
}

// stand is how far a node's worst metric is from typical. What failed without a number is at its bound.
func stand(n *report.Node) standingNode {
	s := standingNode{Node: n, far: math.NaN()}
	take := func(failed bool, of string, value, typical, bound *float64) {
		far := 1.0
		switch {
		case value != nil && typical != nil && bound != nil && *typical != *bound:
			far = tooFar(*value, *typical, *bound)
		case !failed:
			return
		}
		if failed {
			far = max(far, 1)
		} else {
			far = min(far, 0.99) // its evidence as a whole cleared it
		}
		if math.IsNaN(s.far) || far > s.far {
			s.far, s.worst = far, of
		}
	}
	for b := range list.Each(n.Benchmarks) {
		for m := range list.Each(b.Metrics) {
			take(m.Verdict == v1alpha1.VerdictFail, b.Name+" "+m.Name+partName(m.At), m.Value, m.Typical, m.Bound)
		}
	}
	for f := range list.Each(n.Faults) {
		take(true, f.Benchmarks[0]+" "+f.Metric+partName(f.At), f.Value, f.Typical, f.Bound)
	}
	if n.Verdict == v1alpha1.VerdictFail && !(s.far >= 1) {
		s.far, s.worst = 1, n.Reason
	}
	return s
}

func (s *standingNode) class() string {
	switch class(s.Verdict) {
	case "warn", "none":
		return "no"
	}
	return shadeOf(s.far)
}

// text is the distance, or why there is none.
func (s *standingNode) text() string {
	switch {
	case s.class() == "no":
		return string(s.Verdict)
	case math.IsNaN(s.far):
		return ""
	case s.far >= 10:
		return strconv.FormatFloat(s.far, 'f', 0, 64)
	}
	return strconv.FormatFloat(max(s.far, 0), 'f', 1, 64)
}

// title is what the pointer shows: name and distance, and which part of the node is out of service.
func (s *standingNode) title() string {
	title := strings.TrimSpace(s.Name + " " + s.text())
	if s.OutOfService != nil {
		title += ", " + tainted(s.Node)
	}
	return title
}

// worstOf says what there is to see, to those who cannot.
func worstOf(all []standingNode) string {
	judged := list.Where(all, func(n standingNode) bool { return n.class() != "no" })
	slices.SortStableFunc(judged, func(a, b standingNode) int { return cmp.Compare(b.far, a.far) })
	beyond := list.Map(list.Where(judged, func(n standingNode) bool { return n.far >= 1 }), func(n standingNode) string {
		return strings.TrimSuffix(fmt.Sprintf("%s %s (%s)", n.Name, n.text(), n.worst), " ()")
	})
	within, open := judged[len(beyond):], len(all)-len(judged)
	var said []string
	if len(beyond) > 0 {
		said = append(said, "Beyond the bound: "+message.AndMore(beyond, mostWorst, len(beyond))+".")
	}
	switch {
	case len(within) > 0 && math.IsNaN(within[0].far):
		said = append(said, message.Several(len(within), "node")+" within it.")
	case len(within) > 0:
		said = append(said, fmt.Sprintf("%s within it, the worst at %.1f.", message.Several(len(within), "node"), max(within[0].far, 0)))
	}
	if open > 0 {
		said = append(said, message.Several(open, "node")+" not measured or judged.")
	}
	return strings.Join(said, " ")
}
