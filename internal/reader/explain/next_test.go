package explain

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const againBySuite = "Measure it again: kubectl assay run --again node-4 --wait"

// To do nothing is right only for a node that passed and that nobody keeps from work.
func TestNothingIsToDoOnlyForANodeThatPassed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Input)
		want   []string
	}{
		"missing, before it was launched": {func(in *Input) {
			b := &in.Runs[0].Results[0].Benchmarks[0]
			in.Runs[0].Run.Status.Nodes[0].Verdict, in.Runs[0].Results[0].Verdict = v1alpha1.VerdictMissing, v1alpha1.VerdictMissing
			b.Verdict, b.Reason, b.Attempts = v1alpha1.VerdictMissing, v1alpha1.ReasonDeadlineExceeded, nil
		}, []string{"gpustream proved nothing (DeadlineExceeded): fix what its message names.",
			"Measure it again: kubectl assay run --again node-4 --wait"}},
		"failed, and its result is gone": {func(in *Input) {
			in.Runs[0].Results = nil
			row := &in.Runs[0].Run.Status.Nodes[0]
			row.Verdict, row.Reason, row.Message = v1alpha1.VerdictFail, v1alpha1.ReasonBelowExpectation, "gpu1 is slow"
		}, []string{"gpu1 is slow", againBySuite}},
		"failed by a benchmark whose findings are gone": {func(in *Input) {
			in.Runs[0].Run.Status.Nodes[0].Verdict = v1alpha1.VerdictFail
			in.Runs[0].Results[0].Benchmarks[0].Verdict = v1alpha1.VerdictFail
		}, []string{"Measure it again: kubectl assay run --again node-4 --wait"}},
		"skipped": {func(in *Input) {
			in.Runs[0].Results = nil
			row := &in.Runs[0].Run.Status.Nodes[0]
			row.Verdict, row.Reason, row.Message = v1alpha1.VerdictSkipped, v1alpha1.ReasonNodeBusy, "pods use its GPUs"
		}, []string{"pods use its GPUs", againBySuite}},
		"not measured yet": {func(in *Input) {
			in.Runs[0].Results = nil
			in.Runs[0].Run.Status.CompletionTime = nil
			row := &in.Runs[0].Run.Status.Nodes[0]
			row.Verdict, row.Message = v1alpha1.VerdictPending, "waiting for 2 other nodes"
		}, []string{"waiting for 2 other nodes", "Run rack-6 is not over. Follow it: kubectl assay watch rack-6"}},
		"passed, and tainted":   {func(in *Input) { in.Runs[0].Run.Status.Nodes[0].Tainted = true }, []string{againBySuite, "The taint goes when no rule is broken any more."}},
		"passed, and gated":     {gated, []string{againBySuite}},
		"passed, and looked at": {lookedAt, []string{againBySuite}},
	} {
		t.Run(name, func(t *testing.T) {
			in := Input{Node: "node-4", Runs: runs(t)[:1]}
			c.change(&in)
			lines := section(New(in), "What to do")
			if !slices.Equal(lines, c.want) {
				t.Errorf("got %q\nwant %q", lines, c.want)
			}
		})
	}
}

func gated(in *Input) {
	in.Live = &corev1.Node{}
	in.Live.Spec.Taints = []corev1.Taint{{Key: v1alpha1.DefaultGateKey, Effect: corev1.TaintEffectNoSchedule}}
	in.Policies = []v1alpha1.ValidationPolicy{{Spec: v1alpha1.ValidationPolicySpec{Gate: &v1alpha1.Gate{}}}}
}

func lookedAt(in *Input) {
	in.Policies = make([]v1alpha1.ValidationPolicy, 1)
	in.Policies[0].Status.Attention = []v1alpha1.NodeAttention{{Name: "node-4", Reason: v1alpha1.ReasonExpired, Message: "its pass has expired"}}
}

// A run of the node alone neither breaks nor refutes a rule that compares nodes.
func TestANodeIsComparedAgainWithOthers(t *testing.T) {
	const alone, beside = "Measure it again: ", "Measure it again, beside 3 others of its kind to compare it with: "
	for rule, want := range map[string]string{
		"FractionOfPeak": alone + "kubectl assay run --again node-4 --wait",
		"FleetDeviation": beside + "kubectl assay run --again node-4 --nodes node-4,node-6,node-7,OTHER-3 --wait",
		"NodeDeviation":  beside + "kubectl assay run --again node-4 --nodes node-4,node-6,node-7,OTHER-3 --wait",
		"Blame":          beside + "kubectl assay run --again node-4 --nodes node-4,node-6,node-7,OTHER-3 --wait",
		"FactUniform":    beside + "kubectl assay run --again node-4 --nodes node-4,node-6,node-7,OTHER-3 --wait",
	} {
		for _, convicted := range []bool{false, true} {
			all := runs(t)
			of := []v1alpha1.HeadlineValue{{Benchmark: "gpustream", Metric: "hbmTriad"}}
			rows := append(all[1].Run.Status.Nodes, v1alpha1.NodeRow{Name: "node-7", Verdict: v1alpha1.VerdictPass}, v1alpha1.NodeRow{Name: "cpu-1", Verdict: v1alpha1.VerdictPass})
			for _, i := range []int{0, 2, 3} {
				rows[i].Metrics = of // cpu-1 was measured by another benchmark
			}
			all[1].Run.Status.Nodes = rows
			if convicted {
				all[1].Results, all[1].Validations[0].Convictions[0].Rule = nil, rule
			} else {
				all[1].Results[0].Benchmarks[0].Findings[0].Rule, all[1].Validations[0].Convictions = rule, nil
			}
			lines := section(New(Input{Node: "node-4", Runs: all}), "What to do")
			says(t, lines, want, "The taint goes when no rule is broken any more.")
		}
	}
}

// A benchmark of pairs of nodes cannot run on one.
func TestABenchmarkOfGroupsIsRunOnSeveralNodes(t *testing.T) {
	all := runs(t)
	b := &all[1].Results[0].Benchmarks[0]
	b.Name, b.Verdict, b.Reason, b.Findings = "mpibench", v1alpha1.VerdictError, v1alpha1.ReasonWorkerLost, nil
	all[1].Validations = nil
	says(t, section(New(Input{Node: "node-4", Runs: all}), "What to do"),
		"Measure it again, beside 3 others of its kind to compare it with: kubectl assay run --again node-4 --nodes node-4,node-6,OTHER-2,OTHER-3 --wait")
}

// Another configuration, or a run that lacks the rule, refutes nothing.
func TestANodeIsMeasuredAgainAsItWasMeasured(t *testing.T) {
	all := runs(t)
	all[1].Run.Spec.Suite = ""
	all[1].Run.Spec.Benchmarks = []v1alpha1.BenchmarkRef{
		{Name: "inventory", Parameters: []v1alpha1.ParameterValue{{Name: "other", Value: "1"}}},
		{Name: "gpustream", Parameters: []v1alpha1.ParameterValue{{Name: "seconds", Value: "2"}, {Name: "label", Value: "it's"}},
			Expectations: []v1alpha1.ExpectationOverride{{Metric: "hbmTriad"}}},
	}
	all[1].Validations = nil
	f := &all[1].Results[0].Benchmarks[0].Findings[0]
	f.Rule = "Min"
	in := Input{Node: "node-4", Runs: all}
	says(t, section(New(in), "What to do"), "Measure it again: kubectl assay run --again node-4 --wait")
	spec, lack := Again(in)
	if want := all[1].Run.Spec.Benchmarks[1:]; lack != 0 || !slices.Equal(spec.NodeNames, []string{"node-4"}) || spec.Suite != "" || !reflect.DeepEqual(spec.Benchmarks, want) {
		t.Errorf("%d are missing of %+v", lack, spec)
	}
	all[1].Run.Spec.Suite, all[1].Run.Spec.Overrides, all[1].Run.Spec.Benchmarks = "quick", all[1].Run.Spec.Benchmarks, nil
	if again, _ := Again(in); !reflect.DeepEqual(again, spec) {
		t.Errorf("as an override of a suite: %+v, want %+v", again, spec)
	}
	f.Rule = "FleetDeviation"
	if spec, lack := Again(in); lack != 2 || !slices.Equal(spec.NodeNames, []string{"node-4", "node-6"}) {
		t.Errorf("%d are missing of %+v", lack, spec)
	}
}

// What a program could not use at all has computed nothing wrong: whoever looks for a worn part finds none.
func TestUnusableDevicesAreNoWrongData(t *testing.T) {
	const unusable = "has devices that no program can use"
	for check, isUnusable := range map[string]bool{v1alpha1.CheckDevicesUsable: true, "sum": false, "": false} {
		for _, convicted := range []bool{false, true} {
			all := runs(t)
			if convicted {
				c := &all[1].Validations[0].Convictions[0]
				all[1].Results, c.Rule, c.Metric = nil, "DataCheck", check
			} else {
				f := &all[1].Results[0].Benchmarks[0].Findings[0]
				f.Rule, f.Metric, all[1].Validations[0].Convictions = "DataCheck", check, nil
			}
			lines := strings.Join(section(New(Input{Node: "node-4", Runs: all}), "Why"), "\n")
			if strings.Contains(lines, unusable) != isUnusable || strings.Contains(lines, "computes or stores wrong data") == isUnusable {
				t.Errorf("check %q, convicted %v:\n%s", check, convicted, lines)
			}
		}
	}
}
