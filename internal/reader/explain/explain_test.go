package explain

import (
	"os"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/testdata"
)

func runs(t *testing.T) []export.Run {
	t.Helper()
	var all []export.Run
	testdata.Node4(&all)
	return all
}

// section of an explanation; empty where it has none.
func section(all []Section, title string) []string {
	for _, s := range all {
		if s.Title == title {
			return s.Lines
		}
	}
	return nil
}

func says(t *testing.T, lines []string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.TrimSpace(line) == w }) {
			t.Errorf("no line says %q:\n%s", w, strings.Join(lines, "\n"))
		}
	}
}

// Without the results of earlier runs the node's past still knows its machine and its devices.
func TestChangesByTheNodesPast(t *testing.T) {
	all := runs(t)
	all[0].Results = nil
	says(t, section(New(Input{Node: "node-4", Runs: all}), "Changed since it last passed"),
		"it last passed gpustream in run rack-6 on 2026-02-22", "driver: 580.65.06, was 575.57.08", "it was rebooted", "GPU-bbbb is gone; it was gpu1")
}

// A pass says from which loss on there would have been none; a failure has other things to say.
func TestWhatAPassWouldHaveFound(t *testing.T) {
	all := runs(t)
	r := &all[1].Results[0]
	r.Benchmarks[0].Headline = []v1alpha1.HeadlineValue{{Benchmark: "gpustream", Metric: "hbmTriad", FindsFromPercent: "2.13", FindsBy: "FleetDeviation"},
		{Benchmark: "gpustream", Metric: "hbmCopy"}}
	const title = "What would have been found in 99 of 100 cases"
	if lines := section(New(Input{Node: "node-4", Runs: all}), title); lines != nil {
		t.Errorf("it failed: %q", lines)
	}
	r.Verdict = v1alpha1.VerdictPass
	if lines := section(New(Input{Node: "node-4", Runs: all}), title); len(lines) != 1 || lines[0] != "gpustream hbmTriad: a loss of 2.1% or more, compared with others like it" {
		t.Errorf("got %q", lines)
	}
}

func TestChangesOfANodeThatNeverPassed(t *testing.T) {
	all := runs(t)[1:]
	all[0].Validations = nil
	says(t, section(New(Input{Node: "node-4", Runs: all}), "Changed since it last passed"), "no run is known in which it passed gpustream")
}

func TestNothingChanged(t *testing.T) {
	all := runs(t)
	now := &all[1].Results[0].Benchmarks[0]
	before := all[0].Results[0].Benchmarks[0].Attempts[0]
	for i := range now.Attempts {
		now.Attempts[i].Machine, now.Attempts[i].Devices, now.Attempts[i].Facts = before.Machine, before.Devices, before.Facts
	}
	says(t, section(New(Input{Node: "node-4", Runs: all}), "Changed since it last passed"), "nothing that is known: driver, kernel, devices and facts are the same")
	now.Attempts[1].Configuration = "another"
	now.Attempts[1].Devices = []v1alpha1.Device{{Index: 1, UUID: "GPU-aaaa"}, {Index: 0, UUID: "GPU-bbbb"}}
	says(t, section(New(Input{Node: "node-4", Runs: all}), "Changed since it last passed"),
		"the benchmark's image, command or environment is another one, so the values cannot be compared", "GPU-aaaa is now gpu1; it was gpu0")
}

func TestANodeThatCouldNotBeMeasured(t *testing.T) {
	all := runs(t)[1:]
	for i := range all[0].Results[:2] {
		b := &all[0].Results[i].Benchmarks[0]
		b.Verdict, b.Reason, b.Message, b.Findings = v1alpha1.VerdictError, v1alpha1.ReasonImagePullFailed, "image x cannot be pulled", nil
	}
	all[0].Validations = nil
	got := New(Input{Node: "node-4", Runs: all})
	says(t, section(got, "Why"), "gpustream: Error (ImagePullFailed): image x cannot be pulled")
	says(t, section(got, "Why"), "gpustream ends so on 1 of 2 other nodes too: node-5")
	says(t, section(got, "What to do"), "gpustream proved nothing (ImagePullFailed): fix what its message names.",
		"Measure it again: kubectl assay run --again node-4 --wait")
}

// A conviction of an earlier run stands until it is refuted, whatever the newest run measured.
func TestAConvictionOfAnEarlierRun(t *testing.T) {
	all := runs(t)
	c := &all[1].Validations[0].Convictions[0]
	c.Run.Name, c.Run.UID, c.Benchmark, c.Metric, c.Rule = "rack-3", "run-3", "p2p", "linkRead", "FleetDeviation"
	says(t, section(New(Input{Node: "node-4", Runs: all}), "Why"),
		"gpu1 is slow, and the cause is not known",
		"p2p linkRead of gpu1: 3.605 TB/s, bound 4.326 TB/s, worse than others like it in run rack-3 on 2026-03-01; no later run has refuted that")
}

// What all GPUs do together is as slow as the one that throttles.
func TestTheGPUThatSlowsTheWholeNode(t *testing.T) {
	all := runs(t)
	all[1].Results[0].Benchmarks[0].Findings[0].At = "node"
	says(t, section(New(Input{Node: "node-4", Runs: all}), "Why"),
		"gpu1 (GPU-cccc) throttles from heat: at 1.41 GHz and 92 C, the other at 1.98 GHz and 61 C; slowed by heat (hwThermal) 83% of the time",
		"Check its cooling: airflow, dust, heat sink: nvidia-smi -q -d TEMPERATURE,PERFORMANCE -i GPU-cccc")
}

func TestTheNewestRunIsTheOneThatMeasuredLast(t *testing.T) {
	all := runs(t)
	slices.Reverse(all)
	if got := Newest("node-4", all).Run.Name; got != "rack-7" {
		t.Errorf("got %s", got)
	}
}

// A run that found the node busy says nothing of why it is tainted.
func TestARunThatOnlyListsTheNodeDoesNotHideTheOneThatMeasuredIt(t *testing.T) {
	for verdict, want := range map[v1alpha1.Verdict]string{
		v1alpha1.VerdictSkipped: "rack-7", v1alpha1.VerdictPending: "rack-7", v1alpha1.VerdictMissing: "rack-8",
	} {
		later := export.Run{Run: runs(t)[1].Run}
		later.Run.Name, later.Run.UID = "rack-8", "run-8"
		later.Run.CreationTimestamp = metav1.NewTime(later.Run.CreationTimestamp.AddDate(0, 0, 1))
		later.Run.Status.Nodes = []v1alpha1.NodeRow{{Name: "node-4", Verdict: verdict}}
		if got := Newest("node-4", append(runs(t), later)).Run.Name; got != want {
			t.Errorf("%s: got %s, want %s", verdict, got, want)
		}
		if got := Newest("node-4", []export.Run{later}).Run.Name; got != "rack-8" {
			t.Errorf("%s alone: got %s", verdict, got)
		}
	}
}

func TestANodeAgainstWhichNothingStands(t *testing.T) {
	all := runs(t)[:1]
	got := New(Input{Node: "node-4", Runs: all})
	if got[0].Title != "node-4: Pass in run rack-6" || len(got) != 2 {
		t.Errorf("got %v", got)
	}
	says(t, section(got, "What to do"), "Nothing to do: nothing is known against node-4.")
}

// Every rule of a finding that fails a node is a fault: what it is, the finding, and what to do.
func TestEveryRuleHasAdvice(t *testing.T) {
	page, err := os.ReadFile("../../../api/v1alpha1/validationresult_types.go")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "// rule: ")
	list, _, _ = strings.Cut(list, "; Drift and Unstable warn")
	for _, rule := range []string{"FractionOfPeak", "FractionOfReached", "FleetDeviation", "NodeDeviation", "Regression", "Min", "Max", "DataCheck", "Missing", "Blame",
		"FactEqual", "FactAtLeast", "FactUniform", "DevicesMissing"} {
		if !strings.Contains(list, rule) {
			t.Errorf("the API names no rule %s", rule)
		}
		all := runs(t)
		all[1].Results[0].Benchmarks[0].Findings[0].Rule = rule
		all[1].Validations = nil
		lines := section(New(Input{Node: "node-4", Runs: all}), "Why")
		i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, indent) })
		if i < 0 || !strings.HasPrefix(lines[i+1], indent) {
			t.Errorf("%s: %q", rule, lines)
		}
	}
}
