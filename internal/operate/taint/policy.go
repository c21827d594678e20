package taint

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// ownDomain of the taint keys that every run may use.
const ownDomain = "assay.dev"

// Policy is what the administrator of the operator allows; no run can go beyond it.
type Policy struct {
	// MaxNodes that may be unfit in the whole cluster at any moment: tainted, or convicted by a run that taints nobody. 0: no limit by number.
	MaxNodes int
	// MaxPercent of the nodes that may be, of each pool of Budget; rounded down, at least 1 node unless it is 0.
	MaxPercent int
	// AllowNoExecute: runs may evict what runs on a failed node.
	AllowNoExecute bool
	// AllowedKeys of taints beside those in the domain assay.dev.
	AllowedKeys []string
}

// Refuses says why a run must not use a taint; empty: it may.
func (p Policy) Refuses(t corev1.Taint) string {
	domain, _, _ := strings.Cut(t.Key, "/")
	switch {
	case domain != ownDomain && !slices.Contains(p.AllowedKeys, t.Key):
		return fmt.Sprintf("spec.onFailure.taint.key %s is not in the domain %s: use %s/unfit, or have an administrator allow the key "+
			"(--allowed-taint-keys, chart value quarantine.allowedTaintKeys)", t.Key, ownDomain, ownDomain)
	case t.Effect == corev1.TaintEffectNoExecute && !p.AllowNoExecute:
		return "spec.onFailure.taint.effect NoExecute evicts what runs on a node: use NoSchedule, or have an administrator allow it " +
			"(--allow-no-execute, chart value quarantine.allowNoExecute)"
	}
	return ""
}

// Cap is how many of the cluster's nodes may be unfit.
func (p Policy) Cap(nodes int) int {
	limit := p.share(nodes)
	if p.MaxNodes > 0 {
		limit = min(limit, p.MaxNodes)
	}
	return limit
}

// share of so many nodes.
func (p Policy) share(nodes int) int {
	if p.MaxPercent > 0 {
		return max(1, nodes*p.MaxPercent/100)
	}
	return 0
}
