package message

import (
	"errors"
	"time"
)

func init() {
	samples = append(samples,
		sample{"RunCreated", RunCreated("")},
		sample{"RunCreated", RunCreated(DryRunByServer())},
		sample{"DryRunByClient", DryRunByClient()},
		sample{"DryRunByServer", DryRunByServer()},
		sample{"RunHint", RunHint("quick-x7k2p")},
		sample{"RunDryRun", RunDryRun("all")},
		sample{"RunNeedsBenchmarks", RunNeedsBenchmarks()},
		sample{"RunNeedsNodes", RunNeedsNodes()},
		sample{"RunTwoNames", RunTwoNames()},
		sample{"RunWatchedOutput", RunWatchedOutput()},
		sample{"RunWatchedDryRun", RunWatchedDryRun()},
		sample{"RunMaxTaintedAlone", RunMaxTaintedAlone()},
		sample{"RunDeadline", RunDeadline(20 * time.Millisecond)},
		sample{"RunParameterForm", RunParameterForm("seconds=20")},
		sample{"RunParameterAlone", RunParameterAlone("stream.seconds=20", "stream")},
		sample{"RunTaintForm", RunTaintForm("assay.dev/unfit:Never")},
		sample{"RunArgument", RunArgument("client")},
		sample{"RunName", RunName("Rack_7")},
		sample{"RunNumberOrPercent", RunNumberOrPercent("--max-concurrent", "half", 1)},
		sample{"RunConfirmations", RunConfirmations(-3, 5)},
		sample{"RunBusyNodes", RunBusyNodes("never")},
		sample{"RunNames", RunNames("--nodes", "")},
		sample{"RunNames", RunNames("--nodes", "node-1")},
		sample{"CommandSelector", CommandSelector("pool in", errors.New("found '', expected: '('"))},
		sample{"RunNoNodes", RunNoNodes("pool=h200,rack=7", 12, []string{LabelValues("pool", []string{"a100", "h100"}), LabelValues("rack", nil)})},
		sample{"RunNoNodes", RunNoNodes("", 0, nil)},
		sample{"LabelValues", LabelValues("pool", []string{"a100", "h100"})},
		sample{"LabelValues", LabelValues("rack", nil)},
		sample{"RunUnknownNodes", RunUnknownNodes([]string{"node-9"})},
		sample{"RunUnknownNodes", RunUnknownNodes([]string{"node-8", "node-9"})},
		sample{"RunExists", RunExists("rack-7")},
		sample{"RunForbidden", RunForbidden()},
		sample{"RunCause", RunCause("spec", "set exactly one of suite and benchmarks")},
		sample{"RunCause", RunCause("", "too long")},
		sample{"RunRefused", RunRefused([]string{RunCause("spec", "set exactly one of suite and benchmarks")})},
		sample{"RunCreating", RunCreating("rack-7")},
	)
}
