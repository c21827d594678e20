package report

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/golden"
	"github.com/assay-dev/assay/test/testdata"
)

// rack7 is the run of testdata.Rack7, with all that is known of it.
func rack7(t *testing.T) Input {
	t.Helper()
	in := Input{Cluster: "dc1", Before: map[string]*Before{}, PlaceLabel: "topology.kubernetes.io/rack",
		Places: export.Places{"node-4": {"topology.kubernetes.io/rack": "r7", "topology.kubernetes.io/zone": "a"}}}
	for _, document := range testdata.Rack7() {
		var kind metav1.TypeMeta
		read(t, document, &kind)
		switch kind.Kind {
		case "ValidationRun":
			in.Run = &v1alpha1.ValidationRun{}
			read(t, document, in.Run)
		case "ValidationResult":
			var r v1alpha1.ValidationResult
			read(t, document, &r)
			in.Results = append(in.Results, r)
		case "NodeValidation":
			var v v1alpha1.NodeValidation
			read(t, document, &v)
			in.Validations = append(in.Validations, v)
		case "NodeHistory":
			var h v1alpha1.NodeHistory
			read(t, document, &h)
			in.Before[h.Name] = BeforeRun(in.Run.UID, &h)
		}
	}
	return in
}

func read(t *testing.T, document []byte, into any) {
	t.Helper()
	if err := yaml.Unmarshal(document, into); err != nil {
		t.Fatalf("%v in:\n%s", err, document)
	}
}

// The golden file is the schema by example: a field that changes its name or its meaning breaks those who read it.
func TestJSONDocument(t *testing.T) {
	report := New(rack7(t))
	var out bytes.Buffer
	if err := report.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "rack-7.json", out.String())
}

// TestOneGPUOut: what is out of service, since when, by which run and why, and that the node's other devices are not.
func TestOneGPUOut(t *testing.T) {
	var all []export.Run
	testdata.OneGPUOut(&all)
	report := New(Input{Run: all[0].Run, Results: all[0].Results, Validations: all[0].Validations})
	report.LeaveOutPassed()
	var out bytes.Buffer
	if err := report.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "one-gpu-out.json", out.String())
}

// node of a report that is made of one row and, if there is one, its result.
func node(row v1alpha1.NodeRow, results ...v1alpha1.ValidationResult) Node {
	run := &v1alpha1.ValidationRun{}
	run.Status.Nodes = []v1alpha1.NodeRow{row}
	return New(Input{Run: run, Results: results}).Nodes[0]
}

func TestTheRowOfANodeIsNewerThanItsResult(t *testing.T) {
	result := v1alpha1.ValidationResult{Verdict: v1alpha1.VerdictPass, Reason: "Passed", Message: "2 of 2 benchmarks passed"}
	result.Node.Name = "a"
	for name, c := range map[string]struct {
		row  v1alpha1.NodeRow
		want Node
	}{
		"the same in both": {
			v1alpha1.NodeRow{Name: "a", Verdict: v1alpha1.VerdictPass, Reason: "Passed", Message: "2 of 2 benchmarks passed"},
			Node{Name: "a", Verdict: v1alpha1.VerdictPass, Reason: "Passed", Message: "2 of 2 benchmarks passed"},
		},
		"the row has a note": {
			v1alpha1.NodeRow{Name: "a", Verdict: v1alpha1.VerdictPass, Reason: "Passed", Message: "2 of 2 benchmarks passed", Note: "the taint stays"},
			Node{Name: "a", Verdict: v1alpha1.VerdictPass, Reason: "Passed", Message: "2 of 2 benchmarks passed", Note: "the taint stays"},
		},
		"the row's cut message does not replace the whole one": {
			v1alpha1.NodeRow{Name: "a", Verdict: v1alpha1.VerdictPass, Reason: "Passed", Message: "2 of 2 bench..."},
			Node{Name: "a", Verdict: v1alpha1.VerdictPass, Reason: "Passed", Message: "2 of 2 benchmarks passed"},
		},
		"what happened since": {
			v1alpha1.NodeRow{Name: "a", Verdict: v1alpha1.VerdictError, Reason: "NodeDeleted", Message: "the node was deleted"},
			Node{Name: "a", Verdict: v1alpha1.VerdictError, Reason: "NodeDeleted", Message: "the node was deleted"},
		},
		"a row without a message": {
			v1alpha1.NodeRow{Name: "a", Verdict: v1alpha1.VerdictPass, Reason: "Passed", Tainted: true},
			Node{Name: "a", Verdict: v1alpha1.VerdictPass, Reason: "Passed", Message: "2 of 2 benchmarks passed", Tainted: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, node(c.row, result)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestANodeBeyondTheRunsTableIsInTheReport(t *testing.T) {
	in := rack7(t)
	in.Run.Status.Nodes = in.Run.Status.Nodes[:1]
	var names []string
	report := New(in)
	for _, n := range report.Nodes {
		names = append(names, n.Name)
	}
	if diff := cmp.Diff([]string{"node-4", "node-10", "node-1", "node-2", "node-6"}, names); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
}

func TestARunThatNobodyHasSeenYetIsPending(t *testing.T) {
	run := &v1alpha1.ValidationRun{}
	run.Name, run.UID = "new", "uid"
	want := Report{Schema: Schema, Run: Run{Name: "new", UID: "uid", Verdict: v1alpha1.VerdictPending}, Nodes: []Node{}}
	if diff := cmp.Diff(want, New(Input{Run: run})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestARunHasSecondsOnceItIsOver(t *testing.T) {
	run := rack7(t).Run
	run.Status.CompletionTime = nil
	if got := New(Input{Run: run}).Run; got.Ended != nil || got.Seconds != 0 {
		t.Errorf("a run that goes on: ended %v after %v s", got.Ended, got.Seconds)
	}
	run.Status.StartTime, run.Status.CompletionTime = nil, &metav1.Time{Time: time.Unix(1e9, 0)}
	if got := New(Input{Run: run}).Run; got.Ended == nil || got.Seconds != 0 {
		t.Errorf("a run that never started: ended %v after %v s", got.Ended, got.Seconds)
	}
}

func TestTaintedNodesAreNamedInTheOrderOfTheReport(t *testing.T) {
	report := New(rack7(t))
	if diff := cmp.Diff([]string{"node-4", "node-6"}, report.TaintedNodes()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A quarantine is recorded before the taint is written, and the node may have lost the taint by hand.
func TestTheTaintOfANodeThatIsNotTaintedIsNotShown(t *testing.T) {
	in := rack7(t)
	in.Run.Status.Nodes[0].Tainted = false
	if n := New(in).Nodes[0]; n.Taint != "" || n.TaintedBy != "" {
		t.Errorf("node-4 has no taint, got %q by %q", n.Taint, n.TaintedBy)
	}
}

func TestNodesAreInNaturalOrder(t *testing.T) {
	for _, pair := range [][2]string{
		{"node-2", "node-10"}, {"a", "b"}, {"node-2", "node-2a"}, {"r1n9", "r2n1"}, {"r1n2", "r1n10"}, {"", "a"}, {"1a", "a"}, {"0a", "a"},
		{"a", "a0"}, {"n1", "n01a"}, {"node-01", "node-1"}, {"node-1", "node-02"}, {"n123456789", "n1234567890"}, {"n1234567891", "n1234567892"},
	} {
		if CompareNatural(pair[0], pair[1]) >= 0 || CompareNatural(pair[1], pair[0]) <= 0 {
			t.Errorf("want %q before %q", pair[0], pair[1])
		}
	}
	if CompareNatural("node-1", "node-1") != 0 {
		t.Error("a name differs from itself")
	}
}

func TestRowsHaveTheVerdictAndReasonOfWhatTheyShow(t *testing.T) {
	report := New(rack7(t))
	var got []string
	for _, r := range report.Rows() {
		got = append(got, r.Node.Name+" "+r.Benchmark.Name+" "+r.Metric.Name+" "+string(r.Verdict())+" "+r.Reason())
	}
	want := []string{
		"node-4 gpustream hbmTriad Fail BelowExpectation",
		"node-4 gpustream hbmCopy Pass ",
		"node-4 montecarlo optionsPerGpuFp64 Pass Measured", "node-4 inventory  Fail BelowExpectation",
		"node-10 gpustream  Error ImagePullFailed",
		"node-5 gpustream hbmCopy Pass ",
		"node-5 gpustream hbmTriad Missing MeasurementMissing",
		"node-5 montecarlo optionsPerGpuFp64 Pass ",
		"node-1 gpustream hbmTriad Pass Passed",
		"node-2 gpustream hbmTriad Pass Passed",
		"node-6 gpustream hbmTriad Pass Passed",
		"node-3   Skipped NodeCordoned",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := (Row{&Node{}, &Benchmark{}, &Metric{}}).Verdict(); got != v1alpha1.VerdictPending {
		t.Errorf("a node that nothing is known of is %s, want Pending", got)
	}
}
