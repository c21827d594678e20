package message

import (
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

const suspectBaseline = "no more nodes are tainted, because the baseline or the software is a likelier suspect than the nodes: check the " +
	"Benchmark's expectations, the HardwareProfile and what was last updated, then start another ValidationRun"

// TooManyFailed: more nodes would carry the taint than the run allows. carried nodes did not fail, but keep an earlier taint.
func TooManyFailed(failed, carried, nodes, limit int) string {
	text := fmt.Sprintf("%d of %s failed", failed, several(nodes, "node"))
	switch {
	case carried == 1:
		text += " and 1 keeps an earlier taint"
	case carried > 1:
		text += fmt.Sprintf(" and %d keep an earlier taint", carried)
	}
	return fmt.Sprintf("%s, but at most %d may be tainted (maxTaintedNodes); %s", text, limit, suspectBaseline)
}

// FailedAlike: most of the nodes failed by the same rule, "benchmark/metric/rule".
func FailedAlike(alike, measured int, failure string) string {
	return fmt.Sprintf("%d of %d measured nodes failed alike (%s); %s", alike, measured, failure, suspectBaseline)
}

// FailedAlikeElsewhere: nodes of one instance type failed by the same rule in several runs, and fewer passed.
func FailedAlikeElsewhere(alike, passed int, failure, instanceType string, days int) string {
	of := ""
	if instanceType != "" {
		of = " of instance type " + instanceType
	}
	return fmt.Sprintf("%s%s failed alike (%s) in different runs of the last %d days, and %d passed that benchmark; %s. Nodes are called unfit again once as many pass",
		several(alike, "node"), of, failure, days, passed, suspectBaseline)
}

// FirstTaintWaits: too few nodes are measured to tell a bad node from a wrong baseline.
func FirstTaintWaits(measured, nodes, needed int) string {
	return fmt.Sprintf("%d of %s measured; the first taint waits for %d, so that a wrong baseline taints nobody", measured, several(nodes, "node"), needed)
}

// TaintBudgetSpent: as many nodes of the run carry the taint as may.
func TaintBudgetSpent(tainted, limit int) string {
	return fmt.Sprintf("nodes of this run that carry the taint: %d, allowed: %d (maxTaintedNodes)", tainted, limit)
}

// KeyNotAllowed: a run asks for a taint key that the operator does not allow.
func KeyNotAllowed(key, domain string) string {
	return fmt.Sprintf("spec.onFailure.taint.key %s is not in the domain %s: use %s/unfit, or have an administrator allow the key "+
		"(--allowed-taint-keys, chart value quarantine.allowedTaintKeys)", key, domain, domain)
}

// NoExecuteNotAllowed: a run asks to evict what runs on a failed node.
func NoExecuteNotAllowed() string {
	return "spec.onFailure.taint.effect NoExecute evicts what runs on a node: use NoSchedule, or have an administrator allow it " +
		"(--allow-no-execute, chart value quarantine.allowNoExecute)"
}

// StillUnfit: the first of so many convictions that stand, and why it is not refuted.
func StillUnfit(c *v1alpha1.Conviction, why string, convictions int) string {
	what := RuleOf(c.Rule, c.Metric)
	if c.At != "" {
		what += " at " + c.At
	}
	value, okValue := quantity.ParseDecimal(c.Value)
	if bound, ok := quantity.ParseDecimal(c.Bound); ok && okValue {
		s := quantity.NewScale(c.Unit, value, bound)
		what += fmt.Sprintf(": %s, bound %s", s.Format(value), s.Format(bound))
	} else if okValue {
		what += ": " + quantity.Format(value, c.Unit)
	} else if c.Expected != "" {
		what += ": most nodes had " + c.Expected
	}
	text := fmt.Sprintf("still counts as unfit: run %s convicted it by %s (%s), and %s", c.Run.Name, c.Benchmark, what, why)
	if convictions > 1 {
		text += fmt.Sprintf("; %d convictions stand", convictions)
	}
	return text
}
