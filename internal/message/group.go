package message

import (
	"fmt"
	"strings"
)

// Measurements of several nodes together.

// Nodes lists a few names, and counts the others of many.
func Nodes(all []string) string {
	if len(all) > 4 {
		return fmt.Sprintf("%s and %d others", strings.Join(all[:3], ", "), len(all)-3)
	}
	return strings.Join(all, ", ")
}

// GroupsWait is for a node until every node of the run is measured alone.
func GroupsWait() string { return "waiting until every node has been measured alone" }

// ExcludedFromGroups is for a node that failed a benchmark before: it would spoil the measurements of others.
func ExcludedFromGroups(benchmark string) string {
	return "not measured with other nodes because it did not pass " + benchmark
}

// NoPartner is for the only node of a benchmark of pairs.
func NoPartner() string { return "there is no other node to measure this one with" }

// NoPartnerByFabric is for the only node of a benchmark of pairs that reaches others by its fabric; empty: by the pod network.
func NoPartnerByFabric(fabric string) string {
	if fabric == "" {
		return "there is no other node to measure this one with over the pod network; the others have a fabric"
	}
	return "there is no other node to measure this one with over the same fabric (" + fabric + ")"
}

// TournamentGoesOn is for a node until all rounds are measured.
func TournamentGoesOn() string { return "the tournament of pairs is still running" }

// TournamentRound is why a pair is measured.
func TournamentRound(round int) string { return fmt.Sprintf("round %d of the tournament", round) }

// PairBegunEarlier is why a pair goes on that is not drawn any more.
func PairBegunEarlier() string { return "started before the run's nodes changed" }

// PartOfSlowGroup is why a part of a group is measured.
func PartOfSlowGroup() string { return "part of a slow group" }

// SizeDue says why some nodes of a group are measured apart from the others.
func SizeDue(nodes, of int) string {
	return fmt.Sprintf("%d of %d nodes, for the scaling curve", nodes, of)
}

// SizesDue is for the nodes of a group that is measured, while smaller sizes are.
func SizesDue(nodes, of int, found string) string {
	return fmt.Sprintf("measuring %s: all %d reached: %s", SizeDue(nodes, of), of, found)
}

// GroupDue is for a node whose group has not been measured.
func GroupDue(nodes string) string { return "to be measured with " + nodes }

// GroupBisected is for the nodes of a slow group while its parts are measured.
func GroupBisected(found string) string {
	return "slow: measuring smaller groups to find the cause: " + found
}

// GroupIncomplete is for a group of which a node is unavailable.
func GroupIncomplete(node, why, found string) string {
	return because(fmt.Sprintf("cannot be measured without node %s (%s)", node, why), found)
}

// SlowGroup is the finding about nodes that are slow together.
func SlowGroup(nodes, found string) string { return fmt.Sprintf("nodes %s together: %s", nodes, found) }

// SlowWithOthers is for a node of a slow group, none of which is to blame by itself.
func SlowWithOthers(others, found string) string {
	return fmt.Sprintf("slow together with %s, and which node or link is to blame cannot be told: %s", others, found)
}

// GroupLost is for a group of which a node is lost.
func GroupLost(node, why string) string { return fmt.Sprintf("node %s: %s", node, why) }

// OperatorIdle is for groups that are not started because the MPI Operator begins none.
func OperatorIdle(jobs int) string {
	return fmt.Sprintf("not started: the MPI Operator has ignored %d other MPIJobs of this run: check its pod and its log (kubectl -n mpi-operator get pods)", jobs)
}

// WaitsForOperator is for nodes whose MPIJob is held back.
func WaitsForOperator() string {
	return "waiting for the MPI Operator, which has yet to start other MPIJobs of this run"
}

// OperatorMissing is for a benchmark of groups on a cluster that does not know MPIJobs.
func OperatorMissing(benchmark string) string {
	return fmt.Sprintf("benchmark %s needs the MPI Operator, but the cluster has no MPIJobs (mpijobs.kubeflow.org): install MPI Operator v0.7.0 or later, then start another run", benchmark)
}

// Pairs.

// WrongDataWithSeveral blames a node that was part of wrong data with several partners.
func WrongDataWithSeveral(partners string) string {
	return fmt.Sprintf("data was wrong between this node and %s, which are right with other nodes: check this node's network adapter and memory", partners)
}

// WrongDataBetween is for wrong data of which it cannot be told who is to blame.
func WrongDataBetween(node, partners string) string {
	return fmt.Sprintf("data was wrong between %s and %s, and which node or link is to blame cannot be told: measure both with other nodes", node, partners)
}

// NothingGotThrough is for a node of whose pairs none reached anything.
func NothingGotThrough(metric string) string {
	return metric + " is 0 in the pairs of this node: nothing got through; check its network and the results of its pairs"
}

// NodeFine is for a node that is not to blame for what was found about its pairs.
func NodeFine(found string) string { return "the node itself is fine; " + found }

// NoPairOfNode is for a node of which no pair was measured.
func NoPairOfNode() string { return "no pair with this node was measured" }

// NoPartnerWorked is for a node that could not be measured with any partner; last is what went wrong with the last.
func NoPartnerWorked(partners int, with, last string) string {
	if partners == 1 {
		return fmt.Sprintf("could not be measured with its only partner, %s: %s", with, last)
	}
	return fmt.Sprintf("could not be measured with any of %d partners; with %s: %s", partners, with, last)
}

// NoMetricReported is for pairs that ran without reporting what was asked for.
func NoMetricReported() string { return "the program reported none of the Benchmark's metrics" }

// NoteOfPair names the result that has all figures of a pair.
func NoteOfPair(result, partner string) string {
	return fmt.Sprintf("ValidationResult %s: with %s", result, partner)
}

// NoteOfGroup names the result that has all figures of a group.
func NoteOfGroup(result, nodes string) string {
	return fmt.Sprintf("ValidationResult %s has all figures: measured together with %s", result, nodes)
}
