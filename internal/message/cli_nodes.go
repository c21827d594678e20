package message

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/quantity"
)

// NodesNone is for a fleet, or a part of it, without nodes.
func NodesNone() string { return "no such nodes" }

// NodesNoPolicy says that no policy has this name.
func NodesNoPolicy(name string) string {
	return fmt.Sprintf("there is no policy %q: kubectl get validationpolicies lists all policies", name)
}

// NodesForbidden says what is not shown to a user who may not list nodes.
func NodesForbidden() string {
	return "you may not list nodes of the cluster, so that only those that were measured are shown, without gates and policies: " +
		"ask an administrator for the right to get and list nodes"
}

// NodesForbiddenSelector is for a choice by labels that the user may not read.
func NodesForbiddenSelector() string {
	return "--selector and --policy need the labels of nodes, and you may not list nodes of the cluster: " +
		"ask an administrator for the right to get and list nodes"
}

// NodeOfExpected says how far what a node was convicted of is from its bound. what names metric and value.
func NodeOfExpected(what string, percent float64) string {
	return fmt.Sprintf("%s, %s of expected", what, quantity.Percent(percent))
}

// NodeVersusFleet says how far a value is from the median of like nodes. what names metric and value.
func NodeVersusFleet(what string, deviation float64) string {
	return fmt.Sprintf("%s, %s vs fleet", what, quantity.SignedPercent(deviation))
}

// NodesIn counts the nodes in a state; empty: no policy selects them.
func NodesIn(n int, state string) string {
	if state == "" {
		return fmt.Sprintf("%d of no policy", n)
	}
	return fmt.Sprintf("%d %s", n, state)
}

// NodesCounted sums a fleet up. counts are sentences of NodesIn.
func NodesCounted(n int, counts []string) string {
	return fmt.Sprintf("%s: %s", nodesCounted(int32(n)), strings.Join(counts, ", "))
}
