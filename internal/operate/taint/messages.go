package taint

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// suspect says what to look at where nodes failed, most of them by this.
func suspect(failure string) string {
	if strings.HasSuffix(failure, "/"+term.Regression) {
		return suspectBaseline + ". If nodes may reach less than they did, say so in acceptedLosses of their HardwareProfile"
	}
	return suspectBaseline
}

const suspectBaseline = "no more nodes are tainted, because the baseline or the software is a likelier suspect than the nodes: check the " +
	"Benchmark's expectations, the HardwareProfile and what was last updated, then start another ValidationRun"

// tooManyFailed says that more nodes would carry the taint than the run allows. carried nodes did not fail, but keep an earlier taint.
func tooManyFailed(c counts, nodes, limit int) string {
	failed, carried := c.failed, c.carried
	failure, _ := commonest(c.failures)
	text := fmt.Sprintf("%d of %s failed", failed, message.Several(nodes, "node"))
	switch {
	case carried == 1:
		text += " and 1 keeps an earlier taint"
	case carried > 1:
		text += fmt.Sprintf(" and %d keep an earlier taint", carried)
	}
	return fmt.Sprintf("%s, but at most %d may be tainted (maxTaintedNodes); %s", text, limit, suspect(failure))
}

// failedAlikeElsewhere says that nodes of one instance type failed by the same rule in several runs, and fewer passed.
func failedAlikeElsewhere(alike, passed int, failure, instanceType string, days int) string {
	of := ""
	if instanceType != "" {
		of = " of instance type " + instanceType
	}
	return fmt.Sprintf("%s%s failed alike (%s) in different runs of the last %d days, and %d passed that benchmark; %s. Nodes are called unfit "+
		"again once as many pass",
		message.Several(alike, "node"), of, failure, days, passed, suspectBaseline)
}

// What was, or was not, done about a node.

// NotTainted says why a node that failed is not tainted.
func NotTainted(why string) string { return "not tainted: " + why }

// OutOfService says which devices are, of a node whose others are not. r tells what they are called; nil: nothing does.
func OutOfService(devices []string, r *v1alpha1.ValidationResult) string {
	are := " are"
	if len(devices) == 1 {
		are = " is"
	}
	return "only " + DeviceNames(devices, r) + are + " out of service, and the node's other devices may be used"
}

// DeviceNames are devices by their UUIDs, and by what the newest attempt of a result that saw them calls them.
func DeviceNames(devices []string, r *v1alpha1.ValidationResult) string {
	called := attempt.DeviceNames(r)
	return message.Names(list.Map(devices, func(uuid string) string {
		if name := called[uuid]; name != "" {
			return fmt.Sprintf("%s (%s)", name, uuid)
		}
		return uuid
	}))
}

// operatorBudgetSpent is why no more nodes are called unfit: of all, of those with some devices, or of one instance type.
func operatorBudgetSpent(unfit, nodes int, p pool, limit int) string {
	of := "of the cluster"
	switch {
	case p.typed && p.instanceType != "":
		of = "of instance type " + p.instanceType
	case p.typed:
		of = "of no instance type"
	}
	of = message.With(of, " that offer ", p.resource)
	return fmt.Sprintf("%d of %s %s are quarantined or convicted, and the operator allows %d (--max-quarantined-percent, "+
		"--max-quarantined-nodes): repair and validate those first, or raise the limit",
		unfit, message.Several(nodes, "node"), of, limit)
}

// FailedInRun is the event and the condition of a node that failed.
func FailedInRun(run, found string) string { return fmt.Sprintf("run %s: %s", run, found) }
