package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/hack/bench/corpus"
)

// TestMain is also a rule of somebody else: it fails gpu1 of every node, or answers nothing.
func TestMain(m *testing.M) {
	switch os.Getenv("ACT_AS_RULE") {
	case "gpu1":
		for cases := json.NewDecoder(os.Stdin); ; {
			var c corpus.Case
			if cases.Decode(&c) != nil {
				os.Exit(0)
			}
			a := corpus.Answer{ID: c.ID, Failed: []corpus.Verdict{}}
			for _, n := range c.Nodes {
				a.Failed = append(a.Failed, corpus.Verdict{Node: n.Name, Metric: c.Metrics[0].Name, Part: "gpu1"})
			}
			if c.Label != nil { // it would know the truth
				a.Failed = nil
			}
			_ = json.NewEncoder(os.Stdout).Encode(a)
		}
	case "nothing":
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fleetOf nodes with two GPUs that measured these values.
func fleetOf(id int, label corpus.Label, values ...[2]float64) corpus.Case {
	c := corpus.Case{ID: id, Benchmark: "gemm", CostSeconds: 10, GPUs: 2, Label: &label, Metrics: []corpus.Metric{{Name: "fp64", Unit: "TFLOP/s", DataSheet: 66.9, Healthy: 53}}}
	for i, v := range values {
		c.Nodes = append(c.Nodes, corpus.Node{Name: string(rune('a' + i)), Attempts: []corpus.Attempt{{"fp64": {"gpu0": v[0], "gpu1": v[1]}}}})
	}
	return c
}

func slowGPU1(lost float64) corpus.Label {
	return corpus.Label{World: asClaimed, Fault: &corpus.Fault{Name: "one GPU", Node: "a", Lost: lost, Metrics: []string{"fp64"}, Parts: []string{"gpu1"}}}
}

func failedParts(a corpus.Answer) string {
	var all []string
	for _, v := range a.Failed {
		all = append(all, strings.Trim(v.Node+" "+v.Part, " "))
	}
	return strings.Join(all, ", ")
}

func TestPeersJudgeAsTheyAreDocumented(t *testing.T) {
	c := fleetOf(1, slowGPU1(0.11), [2]float64{53, 47}, [2]float64{53.5, 53}, [2]float64{52.8, 53.2})
	want := map[string]string{
		"0.69 of the data sheet": "", "0.80 of the data sheet": "a gpu0, a gpu1, b gpu0, b gpu1, c gpu0, c gpu1", "0.75 of the healthy level": "",
		"0.90 of the healthy level": "a gpu1", "0.95 of the healthy level": "a gpu1", "0.90 of the node's best part": "a gpu1", "0.95 of the fleet's median": "a gpu1",
		"0.95 of the fleet without outliers": "a gpu1", "median - 3.5 MAD": "a gpu1", "similarity of 0.95 to the fleet": "",
	}
	got := map[string]string{}
	for _, r := range peers() {
		got[r.name] = failedParts(r.judge(&c))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAScoreTellsTheFoundFromTheBlamed(t *testing.T) {
	cases := []corpus.Case{
		fleetOf(1, slowGPU1(0.1), [2]float64{53, 47}, [2]float64{53, 53}),
		fleetOf(2, slowGPU1(0.1), [2]float64{53, 47}, [2]float64{53, 53}),
		fleetOf(3, corpus.Label{World: "tails of t5"}, [2]float64{53, 53}, [2]float64{53, 53}),
	}
	answers := []corpus.Answer{
		{ID: 1, Failed: []corpus.Verdict{{Node: "a", Metric: "fp64", Part: "gpu1"}}, Attempts: 4},
		{ID: 2, Failed: []corpus.Verdict{{Node: "a", Metric: "fp64", Part: "gpu0"}, {Node: "b", Metric: "fp64", Part: "gpu0"}}},
		{ID: 3, Failed: []corpus.Verdict{{Node: "b"}}},
	}
	s := scoreOf(cases, answers)
	if s.found[0.1] != (share{2, 2}) || s.part != (share{1, 2}) || s.alarms != (share{1, 2}) || s.alarmsElsewhere != (share{1, 2}) || s.worst != "tails of t5" {
		t.Errorf("%+v", s)
	}
	answers[1] = corpus.Answer{ID: 2, Unjudged: []string{"a"}}
	if s := scoreOf(cases, answers); s.passed != (share{0, 2}) {
		t.Errorf("passed although slow: %+v", s.passed)
	}
	answers[1].Unjudged = nil
	if s := scoreOf(cases, answers); s.passed != (share{1, 2}) {
		t.Errorf("passed although slow: %+v", s.passed)
	}
	if s.attempts != 8 || s.gpuSeconds != 160 {
		t.Errorf("%d attempts, %g GPU seconds", s.attempts, s.gpuSeconds)
	}
}

func TestARuleOfSomebodyElse(t *testing.T) {
	cases := []corpus.Case{fleetOf(7, slowGPU1(0.1), [2]float64{53, 47}, [2]float64{53, 53})}
	t.Setenv("ACT_AS_RULE", "gpu1")
	answers, err := command(os.Args[0], cases)
	if err != nil || failedParts(answers[0]) != "a gpu1, b gpu1" {
		t.Errorf("%+v, %v", answers, err)
	}
	t.Setenv("ACT_AS_RULE", "nothing")
	if _, err := command(os.Args[0], cases); err == nil || !strings.Contains(err.Error(), `no answer to case 7: print {"id": 7, "failed": []}`) {
		t.Errorf("got %v", err)
	}
}

// A small corpus, from the file to the page.
func TestTheWholeScoreboard(t *testing.T) {
	folder := t.TempDir()
	file, page := filepath.Join(folder, "corpus.jsonl.gz"), filepath.Join(folder, "page.html")
	cases := []corpus.Case{
		fleetOf(1, slowGPU1(0.05), [2]float64{53, 47}, [2]float64{53.5, 53}, [2]float64{52.8, 53.2}),
		fleetOf(2, corpus.Label{World: asClaimed}, [2]float64{53, 53}, [2]float64{53.5, 53}),
	}
	if err := corpus.Write(file, cases); err != nil {
		t.Fatal(err)
	}
	read, err := corpus.Read(file)
	if diff := cmp.Diff(cases, read); err != nil || diff != "" {
		t.Fatalf("%v (-written +read):\n%s", err, diff)
	}
	if err := run(file, "", page); err != nil {
		t.Fatal(err)
	}
	html, err := os.ReadFile(page)
	if err != nil || strings.Count(string(html), "<circle") != 1+len(peers()) {
		t.Errorf("%v, %d dots", err, strings.Count(string(html), "<circle"))
	}
}

func TestABaselineByIterationLeavesOutliersOut(t *testing.T) {
	c := fleetOf(1, slowGPU1(0.3), [2]float64{100, 70}, [2]float64{100, 100})
	if level := withoutOutliers(&c, c.Metrics[0])(c.Nodes[0]); level != 100 {
		t.Errorf("the baseline is %g, want 100", level)
	}
}
