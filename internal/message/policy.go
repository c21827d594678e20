package message

import (
	"fmt"
	"strings"
	"time"
)

// What is wrong with a policy as it is written.

// TimeZoneUnknown is for spec.timeZone.
func TimeZoneUnknown(zone string) string {
	return fmt.Sprintf("spec.timeZone %q is no time zone of the IANA database: set one, for example Europe/Zurich", zone)
}

// ScheduleUnreadable is for spec.schedule.
func ScheduleUnreadable(schedule string, cause error) string {
	return fmt.Sprintf("spec.schedule %q cannot be read: %s. Write it as for a CronJob, for example '0 2 * * 1-5'", schedule, cause)
}

// ScheduleNever is for a schedule such as February 30.
func ScheduleNever(schedule string) string {
	return fmt.Sprintf("spec.schedule %q never comes: no run could ever start", schedule)
}

// ValidForTooShort is for passes that would expire while their run goes on.
func ValidForTooShort(validFor, takes int64) string {
	return fmt.Sprintf("spec.validForSeconds is %d, and the benchmarks take about %d s: a pass would expire before its run ends. Raise validForSeconds",
		validFor, takes)
}

// How a policy is enforced.

// PolicyEnforced is for a policy that is understood.
func PolicyEnforced(nodes, benchmarks int) string {
	return fmt.Sprintf("%s selected, %s required of each", several(nodes, "node"), several(benchmarks, "benchmark"))
}

// WithReserved adds that Kubernetes keeps some of the selected nodes for itself.
func WithReserved(text, node, taint string, nodes int) string {
	return fmt.Sprintf("%s. Left out: %s with taint %s, for example %s. Narrow spec.selector so that it does not select them",
		text, several(nodes, "node"), taint, node)
}

// PolicyIsSuspended is for spec.suspend.
func PolicyIsSuspended() string {
	return "spec.suspend is true, so no run is started and no gate is opened: set it to false to resume"
}

// NoNodesSelected is for a selector that no node matches, but perhaps nodes that Kubernetes keeps for itself.
func NoNodesSelected(reserved int) string {
	if reserved > 0 {
		return fmt.Sprintf("spec.selector selects only %s of the control plane: select the nodes that do the work", several(reserved, "node"))
	}
	return "spec.selector selects no node: compare it with `kubectl get nodes --show-labels`"
}

// AllNodesValid is for a policy that is satisfied.
func AllNodesValid(nodes int) string {
	if nodes == 1 {
		return "the only node holds a valid pass"
	}
	return fmt.Sprintf("all %d nodes hold a valid pass", nodes)
}

// NodesNotValid counts those that hold none.
func NodesNotValid(valid, selected, due, failed, unmeasurable int) string {
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{{due, "due"}, {failed, "failed"}, {unmeasurable, "could not be measured"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return fmt.Sprintf("%d of %d nodes hold a valid pass: %s", valid, selected, strings.Join(parts, ", "))
}

// WithWorstNode adds a node as an example.
func WithWorstNode(text, node, why string) string {
	return fmt.Sprintf("%s. Node %s: %s", text, node, why)
}

// PolicyRunCreated is the event of a run; partners are nodes that hold a pass and are measured with the others.
func PolicyRunCreated(run, reason string, nodes, partners int) string {
	with := ""
	if partners > 0 {
		with = fmt.Sprintf(", with %s to measure them with", several(partners, "valid node"))
	}
	return fmt.Sprintf("created run %s over %s%s: %s", run, several(nodes, "node"), with, reason)
}

func at(t time.Time) string { return t.UTC().Format(time.RFC3339) }
