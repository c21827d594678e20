// Package taint decides what Assay does to a node, given what a run found and what was known before: which taint, label and condition it
// gets, when no more nodes may be tainted, and what proof lifts a taint. It is pure: whoever writes calls it once with what was read, and
// again with what is there at the moment of the write. Taints, labels and conditions of others are never changed.
package taint

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// defaultMaxTainted is the share of a run's nodes that may be tainted where the run does not say.
const defaultMaxTainted = 10

// Limit is how many of a run's nodes may carry the taint. A percentage is rounded down but at least 1, so that a small
// run can act at all; only an explicit 0 or "0%" forbids every taint. Unset or unreadable means 10%.
func Limit(limit *intstr.IntOrString, nodes int) int {
	percent := defaultMaxTainted
	if limit != nil {
		if limit.Type == intstr.Int {
			return max(0, int(limit.IntVal))
		}
		text, isPercent := strings.CutSuffix(limit.StrVal, "%")
		if p, err := strconv.Atoi(text); err == nil && isPercent && p >= 0 && p <= 100 {
			percent = p
		}
	}
	if percent == 0 {
		return 0
	}
	return max(1, nodes*percent/100)
}

// Of is the taint of a quarantine.
func Of(q *v1alpha1.Quarantine) corev1.Taint {
	return corev1.Taint{Key: q.Key, Value: q.Value, Effect: q.Effect}
}

// State is what a node's taints say of one that Assay put there, or would.
type State int

// The states.
const (
	// Absent: no taint of this key and effect is there.
	Absent State = iota
	// Ours: it is there just as the quarantine says, and the node's mark names that quarantine.
	Ours
	// Foreign: a taint of this key and effect is there which neither mark nor record of Assay names. It is neither changed nor removed.
	Foreign
	// Stray: Assay put it there for a quarantine that is not the node's any more.
	Stray
	// Unmarked: it is there just as the quarantine says, and no mark names it: an older Assay put it there, or somebody removed the mark.
	Unmarked
)

// StateOf a taint on a node. q is the node's quarantine, nil for none: only what it wants, or the node's mark names, is Assay's own. A mark that names
// devices is there as their taint is.
func StateOf(node *corev1.Node, t corev1.Taint, q *v1alpha1.Quarantine) State {
	i, mark := index(node.Spec.Taints, t), MarkOn(node)
	m, known := read(mark)
	if known && m.ofDevices() && m.Key == t.Key && m.Effect == t.Effect {
		switch {
		case mark == MarkOf(q):
			return Ours
		case i < 0 || ofDevices(q):
			return Stray
		}
	}
	if i < 0 {
		return Absent
	}
	return stateOfTaint(node.Spec.Taints[i], mark, q)
}

// stateOfTaint is that of a taint that a node carries, with the node's mark.
func stateOfTaint(there corev1.Taint, mark string, q *v1alpha1.Quarantine) State {
	m, known := read(mark)
	switch ours := known && !m.ofDevices() && same(m.taint(), there); {
	case ours && mark == MarkOf(q):
		return Ours
	case ours:
		return Stray
	case ofDevices(q): // what somebody has put on the node is another matter
		return Absent
	case q != nil && same(Of(q), there):
		return Unmarked
	}
	return Foreign
}

// ofDevices: the quarantine is of devices, and not of the node as a whole.
func ofDevices(q *v1alpha1.Quarantine) bool { return q != nil && len(q.Devices) > 0 }

// Carries says whether a node carries the taint of its quarantine.
func Carries(node *corev1.Node, q *v1alpha1.Quarantine) bool {
	if ofDevices(q) {
		return MarkOn(node) == MarkOf(q)
	}
	return q != nil && has(node, Of(q)) && StateOf(node, Of(q), q) != Stray
}

func index(taints []corev1.Taint, t corev1.Taint) int {
	return slices.IndexFunc(taints, func(o corev1.Taint) bool { return o.Key == t.Key && o.Effect == t.Effect })
}
