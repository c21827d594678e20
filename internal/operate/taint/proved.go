package taint

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// proved says whether a GPU has shown that it meets a rule which others broke: the run measured it as often as those, and never beyond the bound. One
// that came back, or became bad, between two attempts has not.
func proved(broken term.Term, row *v1alpha1.BenchmarkResult, uuid string) bool {
	for a := range list.Each(row.Attempts) {
		there := slices.ContainsFunc(a.Devices, func(d v1alpha1.Device) bool { return d.UUID == uuid })
		if attempt.Measured(*a) && (!there || wasBeyond(broken, a, uuid)) {
			return false
		}
	}
	return true
}

// wasBeyond says whether an attempt measured a GPU on that side of the bound where the worst part of the run is. The bound of a regression is no other
// part's: each has its own past.
func wasBeyond(broken term.Term, a *v1alpha1.Attempt, uuid string) bool {
	worst, known := quantity.ParseDecimal(broken.Value)
	bound, bounded := quantity.ParseDecimal(broken.Bound)
	if !known || !bounded || broken.Rule == term.Regression {
		return false
	}
	return slices.ContainsFunc(attempt.Values(a, &v1alpha1.Metric{Name: broken.Metric, Unit: broken.Unit}), func(v attempt.PartValue) bool {
		is := part.UUIDs(v.At, a.Devices)
		return part.Kind(v.At) == "gpu" && len(is) == 1 && is[0] == uuid && (v.Value-bound)*(worst-bound) > 0
	})
}

// out of service is what a quarantine is of: these devices, or the node as a whole, where there are none. why says why it is the node although the run
// asks for devices.
type out struct {
	devices []string
	why     string
}

// noted is what the row of a node says that the run convicts: why it is the node, or would be, or as it was.
func (o out) noted(note string, convicted bool, node *corev1.Node, q *v1alpha1.Quarantine) string {
	switch {
	case o.why == "" || !convicted:
		return note
	case o.taken(node, q):
		return fmt.Sprintf("not tainted as a whole: the node carries a taint %s:%s that no record of Assay explains, so the same devices stay out of "+
			"service; without it the node would be: %s", q.Key, q.Effect, o.why)
	}
	return "tainted as a whole although scope is Device: " + o.why
}

// taken: somebody else's taint is where that of the node would be, which has devices out of service.
func (o out) taken(node *corev1.Node, q *v1alpha1.Quarantine) bool {
	return ofDevices(q) && len(o.devices) == 0 && index(node.Spec.Taints, Of(q)) >= 0
}
