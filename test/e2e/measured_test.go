//go:build e2e

package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// testMeasured: real benchmarks on real nodes, one at a time. The steps build on each other.
func testMeasured(t *testing.T) {
	step := func(name string, f func(*testing.T)) {
		if !t.Run(name, f) {
			t.FailNow()
		}
	}
	step("every benchmark of processors passes on a healthy node", testPass)
	step("a node says what it is made of", testFacts)
	step("the doctor knows the API server", testDoctor)

	// What others put on the node that is going to be tainted.
	kubectl(t, "taint", "node", "node-4", "example.com/owner=alice:NoSchedule")
	kubectl(t, "label", "node", "node-4", "example.com/rack=7")
	kubectl(t, "annotate", "node", "node-4", "example.com/note=kept")
	before := foreignOf(t, nodes...)

	clusterctl(t, "degrade", "--cpu", "0.1", "node-4")
	restore := func() { clusterctl(t, "restore", "node-4") }
	t.Cleanup(restore)
	step("a node that is really slower fails and is tainted", testSlowNode)
	step("a pass of another benchmark does not lift the taint", testOtherBenchmark)
	restore()
	step("a node that is fast again loses its taint", testRecovery)
	checkForeign(t, before)
	for _, clash := range launched.allClashes() {
		t.Error(clash)
	}
	kubectl(t, "taint", "node", "node-4", "example.com/owner-")
	kubectl(t, "label", "node", "node-4", "example.com/rack-")
	kubectl(t, "annotate", "node", "node-4", "example.com/note-")
}

// readSample reads a run from config/samples.
func readSample(t *testing.T, file string) *v1alpha1.ValidationRun {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "config", "samples", file))
	if err != nil {
		t.Fatal(err)
	}
	run := &v1alpha1.ValidationRun{}
	if err := yaml.UnmarshalStrict(text, run); err != nil {
		t.Fatalf("reading %s: %v", file, err)
	}
	return run
}

func testPass(t *testing.T) {
	run := readSample(t, "validationrun.yaml")
	run.Name, run.Spec.Selector, run.Spec.NodeNames = "pass", nil, []string{"node-2"}
	run.Spec.Benchmarks = append(run.Spec.Benchmarks, v1alpha1.BenchmarkRef{Name: "dgemm",
		Parameters: []v1alpha1.ParameterValue{{Name: "order", Value: "1536"}, {Name: "seconds", Value: "1"}}})
	for i, metric := range []string{"triad", "hpl", "dgemm"} { // one node alone has no fleet to be judged against
		run.Spec.Benchmarks[i].Expectations = []v1alpha1.ExpectationOverride{{Metric: metric, Expectation: v1alpha1.Expectation{Min: "1"}}}
	}
	before, marked := foreignOf(t, nodes...), allMarks(t)
	create(t, run)
	kubectl(t, "wait", "--for=condition=Finished", "validationrun/pass", "--timeout=300s")
	finish(t, run)
	checkSummary(t, run, passed("node-2"))
	marked["node-2"] = markedPassed
	if diff := cmp.Diff(marked, allMarks(t)); diff != "" {
		t.Errorf("marks of the nodes (-want +got):\n%s", diff)
	}
	checkForeign(t, before)
	event(t, "pass", v1alpha1.ReasonPassed, "1 passed")

	r := resultsOf(t, run)["node-2"]
	if r.Verdict != v1alpha1.VerdictPass || r.Node.UID != getNode(t, "node-2").UID {
		t.Errorf("result: verdict %s, node %+v", r.Verdict, r.Node)
	}
	units := map[string]string{}
	for _, b := range r.Benchmarks {
		checkMeasured(t, b)
		for _, h := range b.Headline {
			units[b.Name+"/"+h.Metric] = h.Unit
		}
	}
	if diff := cmp.Diff(map[string]string{"stream/triad": "GB/s", "dgemm/dgemm": "GFLOP/s", "hpl/hpl": "GFLOP/s"}, units); diff != "" {
		t.Errorf("headline metrics and their units (-want +got):\n%s", diff)
	}
	checkReport(t, run)
	if v := validationOf(t, "node-2"); v.Verdict != v1alpha1.VerdictPass || len(v.Benchmarks) != 3 || v.LastRun.UID != run.UID {
		t.Errorf("NodeValidation: %+v", v)
	}
}

// testDoctor: the API server is of the version that it is meant to be, and nothing is broken because of that.
func testDoctor(t *testing.T) {
	var server struct{ GitVersion string }
	if err := json.Unmarshal([]byte(kubectl(t, "get", "--raw", "/version")), &server); err != nil {
		t.Fatal(err)
	}
	if want := os.Getenv("KUBERNETES"); !strings.HasSuffix(server.GitVersion, want) {
		t.Errorf("the API server is %s, want %s", server.GitVersion, want)
	}
	var diagnosis struct {
		Findings []struct{ Check, Status, Message string }
	}
	out, _ := try("kubectl-assay", "doctor", "-o", "json") // it fails: the tests' installation lacks a binding, so that they can enter pods
	if err := json.Unmarshal([]byte(out), &diagnosis); err != nil {
		t.Fatalf("reading the findings: %v\n%s", err, out)
	}
	if first := diagnosis.Findings[0]; first.Check != "api-server" || !strings.Contains(first.Message, "the API server is "+server.GitVersion) {
		t.Errorf("first finding: %+v", first)
	}
}

// checkMeasured: one attempt with numbers that can be, in the API's units, and data that the program verified.
func checkMeasured(t *testing.T, b v1alpha1.BenchmarkResult) {
	t.Helper()
	if b.Verdict != v1alpha1.VerdictPass || len(b.Attempts) != 1 {
		t.Errorf("%s: verdict %s after %d attempts", b.Name, b.Verdict, len(b.Attempts))
		return
	}
	a := b.Attempts[0]
	if a.Reason != v1alpha1.ReasonMeasured || a.StartTime == nil || a.EndTime == nil || a.ImageID == "" || a.Pod == "" {
		t.Errorf("%s: attempt %+v", b.Name, a)
	}
	for _, m := range a.Measurements {
		for _, p := range m.Parts {
			if v, err := strconv.ParseFloat(string(p.Value), 64); err != nil || v <= 0 {
				t.Errorf("%s: %s at %s is %q %s", b.Name, m.Name, p.At, p.Value, m.Unit)
			}
		}
	}
	check := map[string]string{"hpl": "residual"}[b.Name]
	if check == "" {
		check = "dataIntegrity"
	}
	if !slices.ContainsFunc(a.Checks, func(c v1alpha1.Check) bool { return c.Name == check && c.OK }) {
		t.Errorf("%s: check %s is not among %+v", b.Name, check, a.Checks)
	}
}

// checkReport: kubectl assay report shows the numbers that the run's status holds.
func checkReport(t *testing.T, run *v1alpha1.ValidationRun) {
	t.Helper()
	table := tool(t, "kubectl-assay", "report", run.Name)
	for _, want := range []string{"node-2", "stream", "triad", "dgemm", "hpl", "GB/s", "GFLOP/s", "Pass"} {
		if !strings.Contains(table, want) {
			t.Errorf("%q is not in the report:\n%s", want, table)
		}
	}
	var report struct {
		Nodes []struct {
			Name       string
			Benchmarks []struct {
				Name    string
				Metrics []struct {
					Name  string
					Value float64
				}
			}
		}
	}
	out := tool(t, "kubectl-assay", "report", run.Name, "-o", "json")
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("reading the JSON report: %v\n%s", err, out)
	}
	got, want := map[string]float64{}, map[string]float64{}
	for _, n := range report.Nodes {
		for _, b := range n.Benchmarks {
			for _, m := range b.Metrics {
				got[n.Name+"/"+b.Name+"/"+m.Name] = m.Value
			}
		}
	}
	for _, row := range run.Status.Nodes {
		for _, m := range row.Metrics {
			want[row.Name+"/"+m.Benchmark+"/"+m.Metric], _ = strconv.ParseFloat(string(m.Value), 64)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) != 3 {
		t.Errorf("values of the JSON report (-status +report):\n%s", diff)
	}
}

// compareFleet measures all nodes one after the other and taints one that is far below the others.
func compareFleet(name string) *v1alpha1.ValidationRun {
	run := tainting(newRun(name, nodes, "small-dgemm"), 1)
	run.Spec.MaxConcurrentNodes = new(intstr.FromInt32(1))
	return run
}

// checkFleet is checkSummary on a machine that may do other things, too: a healthy node may have been slow for a moment, and
// passed because its confirmation did not agree.
func checkFleet(t *testing.T, run *v1alpha1.ValidationRun, want summary) {
	t.Helper()
	got := summaryOf(run)
	for n, row := range got.Rows {
		if row == "Pass/"+v1alpha1.ReasonNotConfirmed {
			got.Rows[n] = "Pass/" + v1alpha1.ReasonPassed
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("run %s (-want +got):\n%s", run.Name, diff)
	}
}

func checkHealthy(t *testing.T, node string) {
	t.Helper()
	m := marksOf(getNode(t, node))
	if m.Condition == "True/"+v1alpha1.ReasonNotConfirmed {
		m.Condition = markedPassed.Condition
	}
	if diff := cmp.Diff(markedPassed, m); diff != "" {
		t.Errorf("marks of node %s (-want +got):\n%s", node, diff)
	}
}

func testSlowNode(t *testing.T) {
	run := compareFleet("slow-node")
	create(t, run)
	finish(t, run)
	rows := each(nodes[:3], "Pass/Passed")
	rows["node-4"] = "Fail/BelowExpectation"
	checkFleet(t, run, ended(v1alpha1.VerdictFail, v1alpha1.ReasonNodesFailed, rows))
	checkMessage(t, run, "node-4", "FLOP/s", "below 3 other nodes (typical", "confirmed: mean of 2 measurements")
	if s := run.Status.Summary; s.Tainted != 1 || !run.Status.Nodes[0].Tainted || !strings.HasPrefix(run.Status.Worst, "node-4: ") {
		t.Errorf("summary %+v, worst %q, first row %+v", s, run.Status.Worst, run.Status.Nodes[0])
	}
	for _, n := range nodes[:3] {
		checkHealthy(t, n)
	}
	checkMarks(t, "node-4", markedUnfit)
	event(t, "node-4", v1alpha1.ReasonTaintAdded, "run slow-node put taint assay.dev/unfit=failed:NoSchedule")
	event(t, "slow-node", v1alpha1.ReasonNodesFailed, "1 failed")

	r := resultsOf(t, run)["node-4"]
	if diff := cmp.Diff(map[string][]string{"small-dgemm": {"Pass/Measured", "Pass/Measured"}}, attemptsOf(r)); diff != "" {
		t.Errorf("a failure counts only once it is confirmed: attempts (-want +got):\n%s", diff)
	}
	v := validationOf(t, "node-4")
	if v.Quarantine == nil || v.Quarantine.Run.UID != run.UID || v.OffenceCount != 1 ||
		len(v.Convictions) == 0 || v.Convictions[0].Benchmark != "small-dgemm" {
		t.Errorf("NodeValidation: quarantine %+v, %d offences", v.Quarantine, v.OffenceCount)
	}
}

func testOtherBenchmark(t *testing.T) {
	run := tainting(newRun("other-benchmark", []string{"node-4"}, "rate"), 1)
	create(t, run)
	finish(t, run)
	checkSummary(t, run, passed("node-4"))
	checkMarks(t, "node-4", markedUnfit)
	if v := validationOf(t, "node-4"); v.Quarantine == nil {
		t.Error("the quarantine is forgotten")
	}
}

func testRecovery(t *testing.T) {
	run := compareFleet("recovery")
	create(t, run)
	finish(t, run)
	checkFleet(t, run, passed(nodes...))
	for _, n := range nodes {
		checkHealthy(t, n)
	}
	event(t, "node-4", v1alpha1.ReasonTaintRemoved, "run recovery lifted taint assay.dev/unfit:NoSchedule")
	v := validationOf(t, "node-4")
	if v.Quarantine != nil || v.OffenceCount != 1 {
		t.Errorf("NodeValidation: quarantine %+v, %d offences", v.Quarantine, v.OffenceCount)
	}
}
