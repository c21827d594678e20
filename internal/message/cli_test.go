package message

import (
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func init() {
	ended := v1alpha1.RunSummary{Nodes: 5, Passed: 2, Failed: 1, Errored: 1, Skipped: 1}
	middle := v1alpha1.RunSummary{Nodes: 4, Passed: 1, Failed: 1, Running: 1, Pending: 1}
	begun := v1alpha1.RunSummary{Nodes: 4, Pending: 4}
	const taint = "assay.dev/unfit=failed:NoSchedule"
	samples = append(samples,
		sample{"ReportRun", ReportRun("rack-7", v1alpha1.VerdictFail, "NodesFailed", ended, 94*time.Second)},
		sample{"ReportRun", ReportRun("one", v1alpha1.VerdictPass, "Passed", v1alpha1.RunSummary{Nodes: 1, Passed: 1}, 2*time.Hour)},
		sample{"ReportRun", ReportRun("long", v1alpha1.VerdictPass, "Passed", v1alpha1.RunSummary{Nodes: 2, Passed: 2}, 65*time.Minute)},
		sample{"ReportRun", ReportRun("short", v1alpha1.VerdictPass, "Passed", v1alpha1.RunSummary{Nodes: 2, Passed: 2}, 10*time.Second)},
		sample{"ReportRun", ReportRun("rack-7", v1alpha1.VerdictPending, "Running", middle, 0)},
		sample{"ReportRun", ReportRun("new", v1alpha1.VerdictPending, "", v1alpha1.RunSummary{}, 0)},
		sample{"ReportRun", ReportRun("asleep", v1alpha1.VerdictInconclusive, "Inconclusive", v1alpha1.RunSummary{Nodes: 2, Skipped: 2}, 0)},
		sample{"ReportTainted", ReportTainted([]string{"node-4", "node-7"}, 0)},
		sample{"ReportTainted", ReportTainted([]string{"node-4", "node-7"}, 12)},
		sample{"ReportNode", ReportNode("node-10", v1alpha1.VerdictError)},
		sample{"ReportTaintedNode", ReportTaintedNode("node-4", v1alpha1.VerdictFail, taint, "")},
		sample{"ReportTaintedNode", ReportTaintedNode("node-4", v1alpha1.VerdictPass, taint, "rack-6")},
		sample{"ReportTaintedNode", ReportTaintedNode("node-4", v1alpha1.VerdictFail, "", "")},
		sample{"ReportFinding", ReportFinding("Link", []string{"node-1", "node-2"})},
		sample{"ReportFinding", ReportFinding("Suspects", []string{"node-1", "node-2", "node-3"})},
		sample{"ReportGroup", ReportGroup([]string{"node-1", "node-2"}, v1alpha1.VerdictError)},
		sample{"ReportMoreGroups", ReportMoreGroups(12)},
		sample{"WatchNode", WatchNode("node-1", v1alpha1.VerdictPass, "2 of 2 benchmarks passed", "")},
		sample{"WatchNode", WatchNode("node-4", v1alpha1.VerdictFail, "stream: triad is 5.094 GB/s, expected at least 18.29 GB/s", "not tainted: 1 of 2 nodes measured")},
		sample{"WatchNode", WatchNode("node-10", v1alpha1.VerdictError, "stream: the image cannot be pulled", "")},
		sample{"WatchNode", WatchNode("node-5", v1alpha1.VerdictMissing, "", "")},
		sample{"WatchNode", WatchNode("node-3", v1alpha1.VerdictSkipped, "the node is cordoned", "")},
		sample{"WatchNode", WatchNode("node-6", v1alpha1.VerdictInconclusive, "", "")},
		sample{"WatchProgress", WatchProgress(begun, nil)},
		sample{"WatchProgress", WatchProgress(middle, []string{"node-3: stream is running", "and 2 more"})},
		sample{"WatchProgress", WatchProgress(ended, nil)},
		sample{"WatchProgress", WatchProgress(v1alpha1.RunSummary{}, nil)},
		sample{"WatchMore", WatchMore(2)},
		sample{"WatchNodes", WatchNodes([]string{"node-1", "node-2", "node-3"}, "waiting for its turn (maxConcurrentNodes allows 4 at once)")},
		sample{"WatchNodes", WatchNodes([]string{"node-1", "node-2", "node-3", "node-4"}, "waiting for its turn (maxConcurrentNodes allows 4 at once)")},
		sample{"WatchRefused", WatchRefused("pods \"rack-7-stream\" is forbidden: exceeded quota")},
		sample{"WatchUnseen", WatchUnseen()},
		sample{"WatchSuspended", WatchSuspended(WatchProgress(begun, nil))},
		sample{"WatchInterrupted", WatchInterrupted("rack-7")},
		sample{"WatchAway", WatchAway(5*time.Minute, "connection refused")},
		sample{"WatchAwayTooLong", WatchAwayTooLong("rack-7", 5*time.Minute)},
		sample{"CommandFlags", CommandFlags("kubectl assay report")},
		sample{"CommandMayNot", CommandMayNot()},
		sample{"WatchDeleted", WatchDeleted("rack-7")},
		sample{"WatchReplaced", WatchReplaced("rack-7")},
		sample{"CommandWatching", CommandWatching("rack-7")},
		sample{"CommandReading", CommandReading("run", "rack-7")},
		sample{"CommandExit", CommandExit(1)},
		sample{"CommandReadingResults", CommandReadingResults("rack-7")},
		sample{"CommandReadingKubeconfig", CommandReadingKubeconfig()},
		sample{"ReportTitle", ReportTitle("rack-7", v1alpha1.VerdictFail)},
		sample{"CommandNoRun", CommandNoRun("rack-8")},
		sample{"CommandNoAPI", CommandNoAPI()},
		sample{"CommandNoCluster", CommandNoCluster()},
		sample{"CommandNeedsRun", CommandNeedsRun("kubectl assay report", 0)},
		sample{"CommandFormat", CommandFormat("yaml", []string{"table", "wide", "json", "markdown"})},
	)
}
