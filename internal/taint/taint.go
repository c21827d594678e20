// Package taint decides what Assay does to a node: which taint, label and condition it gets, when no more nodes may be
// tainted, what proof lifts a taint, and what is remembered of the node. It is pure: it computes the next state from
// the one it is given and never touches a cluster. Taints, labels and conditions of others are never changed.
package taint

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
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

// With returns the taints with t among them, and whether that changed anything. Only a taint of the same key and
// effect is updated; others and the order stay as they are. The input is never modified.
func With(taints []corev1.Taint, t corev1.Taint) ([]corev1.Taint, bool) {
	i := index(taints, t.Key, t.Effect)
	if i >= 0 && taints[i].Value == t.Value {
		return taints, false
	}
	next := slices.Clone(taints)
	if i < 0 {
		return append(next, t), true
	}
	next[i] = t
	return next, true
}

// Without returns the taints without the one of this key and effect, and whether that changed anything. The input is
// never modified.
func Without(taints []corev1.Taint, key string, effect corev1.TaintEffect) ([]corev1.Taint, bool) {
	i := index(taints, key, effect)
	if i < 0 {
		return taints, false
	}
	return slices.Delete(slices.Clone(taints), i, i+1), true
}

// Has says whether a taint of this key and effect is there.
func Has(taints []corev1.Taint, key string, effect corev1.TaintEffect) bool {
	return index(taints, key, effect) >= 0
}

func index(taints []corev1.Taint, key string, effect corev1.TaintEffect) int {
	return slices.IndexFunc(taints, func(t corev1.Taint) bool { return t.Key == key && t.Effect == effect })
}
