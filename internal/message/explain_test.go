package message

import (
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func init() {
	at := time.Date(2026, 3, 1, 12, 5, 0, 0, time.UTC)
	samples = append(samples,
		sample{"ExplainNode", ExplainNode("node-4", v1alpha1.VerdictFail, "BelowExpectation", "rack-7", 2)},
		sample{"ExplainNode", ExplainNode("node-1", v1alpha1.VerdictPass, "Passed", "rack-7", 0)},
		sample{"ExplainNode", ExplainNode("node-1", "", "", "", 1)},
		sample{"ExplainWhyTitle", ExplainWhyTitle()},
		sample{"ExplainTelemetryTitle", ExplainTelemetryTitle()},
		sample{"ExplainChangesTitle", ExplainChangesTitle()},
		sample{"ExplainLinksTitle", ExplainLinksTitle()},
		sample{"ExplainOthersTitle", ExplainOthersTitle()},
		sample{"ExplainPolicyTitle", ExplainPolicyTitle()},
		sample{"ExplainNextTitle", ExplainNextTitle()},
		sample{"ExplainTaint", ExplainTaint("assay.dev/unfit", "failed", "NoSchedule", "rack-7", at)},
		sample{"ExplainRule", ExplainRule("gpustream", "FractionOfPeak", "gpu3 hbmTriad is 3.61 TB/s, expected at least 4.326 TB/s")},
		sample{"ExplainNumbers", ExplainNumbers([]string{ExplainValue("3.61 TB/s", "4.326 TB/s"), ExplainMedian("4.37 TB/s", 7)})},
		sample{"ExplainValue", ExplainValue("3.61 TB/s", "")},
		sample{"ExplainMedian", ExplainMedian("4.37 TB/s", 1)},
		sample{"ExplainPast", ExplainPast("▇█▁", 3, at, "4.37 TB/s")},
		sample{"ExplainPast", ExplainPast("▄", 1, at, "")},
		sample{"ExplainBenchmark", ExplainBenchmark("gpustream", v1alpha1.VerdictError, "ImagePullFailed", "the image cannot be pulled")},
		sample{"ExplainBenchmark", ExplainBenchmark("gpustream", v1alpha1.VerdictMissing, "", "")},
		sample{"ExplainConviction", ExplainConviction("gpustream", "hbmTriad", "gpu3", "FractionOfPeak", ExplainValue("3.61 TB/s", "4.326 TB/s"), "rack-6", at)},
		sample{"ExplainConviction", ExplainConviction("gpustream", "", "", "DataCheck", "", "rack-6", at)},
		sample{"ExplainReading", ExplainReading("gpustream", "gpuSmClock", "gpu3", "1410 MHz", "1980 MHz", 7)},
		sample{"ExplainReading", ExplainReading("stream", "cpuTemperature", "node", "91 C", "", 0)},
		sample{"ExplainFact", ExplainFact("eccMode", "gpu3")},
		sample{"ExplainFact", ExplainFact("cpuGovernor", "")},
		sample{"ExplainLastPass", ExplainLastPass("gpustream", "rack-6", at)},
		sample{"ExplainNeverPassed", ExplainNeverPassed("gpustream")},
		sample{"ExplainUnchanged", ExplainUnchanged()},
		sample{"ExplainChange", ExplainChange("driver", "575.57.08", "580.65.06")},
		sample{"ExplainRebooted", ExplainRebooted()},
		sample{"ExplainOtherProgram", ExplainOtherProgram()},
		sample{"ExplainDeviceGone", ExplainDeviceGone("GPU-4bce", 3)},
		sample{"ExplainDeviceNew", ExplainDeviceNew("GPU-77aa", 3)},
		sample{"ExplainDeviceMoved", ExplainDeviceMoved("GPU-4bce", 3, 5)},
		sample{"ExplainLink", ExplainLink("Link", "mpibench", "node-1->node-2 reaches 6.1 GB/s, expected 12.2 GB/s")},
		sample{"ExplainEnd", ExplainEnd("node-2", v1alpha1.VerdictPass, nil)},
		sample{"ExplainEnd", ExplainEnd("node-2", "", []string{"node-3", "node-7"})},
		sample{"ExplainAlike", ExplainAlike("gpustream hbmTriad FractionOfPeak", nil, 7, false)},
		sample{"ExplainAlike", ExplainAlike("gpustream hbmTriad FractionOfPeak", []string{"node-2", "node-5"}, 7, false)},
		sample{"ExplainAlike", ExplainAlike("gpustream hbmTriad FractionOfPeak", []string{"node-2", "node-5"}, 9999, true)},
		sample{"ExplainAlike", ExplainAlike("gpustream hbmTriad FractionOfPeak", nil, 9999, true)},
		sample{"ExplainGated", ExplainGated("assay.dev/unvalidated", "nightly")},
		sample{"ExplainAttention", ExplainAttention("nightly", "Failed", "gpustream: gpu3 hbmTriad is 3.61 TB/s; it is measured again tomorrow", at)},
		sample{"ExplainGateOpened", ExplainGateOpened("nightly", "nightly-x7k2p", "assay", at)},
		sample{"ExplainGateOpened", ExplainGateOpened("nightly", "", "timeout", at)},
		sample{"ExplainCordoned", ExplainCordoned()},
		sample{"ExplainListingPolicies", ExplainListingPolicies()},
		sample{"ExplainDevicesUnusable", ExplainDevicesUnusable()},
		sample{"ExplainLinkAdvice", ExplainLinkAdvice()},
		sample{"ExplainMeasureAgain", ExplainMeasureAgain("gpustream", "ImagePullFailed")},
		sample{"ExplainTaintGoes", ExplainTaintGoes()},
		sample{"ExplainWait", ExplainWait("rack-7")},
		sample{"ExplainNothing", ExplainNothing("node-1")},
	)
	for _, rule := range []string{"FractionOfPeak", "Regression", "DataCheck", "FactEqual", "DevicesMissing", "Blame", "Missing"} {
		samples = append(samples, sample{"ExplainAdvice", ExplainAdvice(rule)})
	}
}
