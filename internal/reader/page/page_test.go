package page_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/page"
	"github.com/assay-dev/assay/test/page/runs"
	"github.com/assay-dev/assay/test/testdata"
)

func write(t *testing.T, all ...export.Run) string {
	t.Helper()
	var out bytes.Buffer
	if err := page.Write(&out, all, false); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// shows fails unless all of these are on the page.
func shows(t *testing.T, html string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestADemoIsToldFromTopToBottom(t *testing.T) {
	all := runs.Demo()
	shows(t, write(t, all...),
		"Run sample: Fail (NodesFailed), 4 nodes in 37s: 3 passed, 1 failed", "node-4: is slow, and the cause is not known. Compare it with one that passed: ", "Then measure again: kubectl assay run --again sample. A pass lifts the taint.",
		"node triad 4.896 GB/s: 84.1 % below 3 other nodes",
		"bound 15.4 GB/s",                  // the bound that node-4 broke, not the median of all bounds
		"<bdi>node-4: 4.896 GB/s</bdi>",    // the part that failed, by name
		`<td class="d3">2.93`,              // MB/s from node-1 to node-2: the darkest shade
		"<td>others like it<td>Fail<td>",   // its rule
		"attempt 2 · Pass · Measured · 20", // its second attempt
		"dataIntegrity: ok, worst relative error", "cpuFrequency, GHz<td>2.7")
}

// "At least 0" only says that a metric has to be reported, and is no line of a chart.
func TestABoundOfZeroIsNoLine(t *testing.T) {
	all := runs.Demo()[:1]
	for i := range all[0].Results {
		for j := range all[0].Results[i].Benchmarks {
			b := &all[0].Results[i].Benchmarks[j]
			for k := range b.Headline {
				b.Headline[k].Expected, b.Headline[k].Verdict = "0", v1alpha1.VerdictPass
			}
		}
	}
	html := write(t, all...)
	shows(t, html, "<b>triad</b>")
	if strings.Contains(html, "bound 0 ") {
		t.Error("a chart has a line for a bound of 0")
	}
}

// What is beside speeds: pairs of GPUs, sizes, time, power.
func TestARecordingHasEveryKindOfChart(t *testing.T) {
	html := write(t, runs.Recorded())
	shows(t, html, "within noise of typical: writeBandwidth, median of 5 nodes (", "loadLatency, median of 5 nodes (", "<b>collectives</b> <span>by size of the message, in GB/s", "by size of the message, in us; less is better",
		"<b>nbody</b> <span>by number of gpus, in TFLOP/s", "1: 27.48 TFLOP/s, 4: 108.6 TFLOP/s", "<b>burn</b> <span>over the time of the run", "<b>gpu power</b>",
		"<b>gpu temperature</b>", "peak 4.8 TB/s; typical is", "Nothing to do: every node proved itself fit.")
	if strings.Contains(html, `class="bad"`) || strings.Contains(html, "class=\"cross\"") {
		t.Error("something is marked as failed on a page of a run that passed")
	}
}

func TestASlowLinkIsFramed(t *testing.T) {
	html := write(t, fleet(100))
	slow := regexp.MustCompile(`<td class="d3 bad">320\.\d</td>`).FindAllString(html, -1)
	if len(slow) != 1 {
		t.Errorf("%d links are framed as %q, want 1: gpu2->gpu3 of gpu-0059", len(slow), slow)
	}
	shows(t, html, "<b>writeBandwidth</b> <span>gpu-0059, in GB/s", "Link gpu-0007, gpu-0008", `class="ring"`, "gpu-0007-&gt;gpu-0008: 21.9 GB/s", "<bdi>gpu-0028 gpu5: 4.1")
}

// A node counts where it was measured, and a link once, whichever way it is slow.
func TestNodesAndLinksAreCountedOnce(t *testing.T) {
	html := write(t, fleet(100))
	shows(t, html, "writeBandwidth, median of 98 nodes (395.6 GB/s)", "bandwidth by pair; 1 link failed", " values on 99 nodes: ")
	run := runs.Recorded()
	for i := range run.Results {
		for j := range run.Results[i].Benchmarks {
			if b := &run.Results[i].Benchmarks[j]; b.Name == "p2p" && run.Results[i].Node.Name == "h200-3" {
				for _, part := range []string{"gpu1->gpu2", "gpu2->gpu1"} {
					b.Findings = append(b.Findings, v1alpha1.Finding{Metric: "writeBandwidth", At: part, Verdict: v1alpha1.VerdictFail})
				}
				b.Findings = append(b.Findings, v1alpha1.Finding{Metric: "bidirectionalBandwidth", At: "gpu1<->gpu2", Verdict: v1alpha1.VerdictFail})
			}
		}
	}
	html = write(t, run)
	shows(t, html, "writeBandwidth by pair; 1 link failed", "<bdi>gpu1-&gt;gpu2: ", "<bdi>gpu2-&gt;gpu1: ", "bidirectionalBandwidth by pair; 1 link failed", "<bdi>gpu1&lt;-&gt;gpu2: ")
	if strings.Contains(html, "<bdi>gpu2&lt;-&gt;gpu1: ") {
		t.Error("a pair that is measured both ways at once is listed twice")
	}
}

// A program that computes wrong data may well be fast: its speed is no measurement.
func TestSpeedsOfWrongDataAreNone(t *testing.T) {
	run := runs.Recorded()
	for i := range run.Results {
		for j := range run.Results[i].Benchmarks {
			if b := &run.Results[i].Benchmarks[j]; b.Name == "gpustream" && run.Results[i].Node.Name == "h200-3" {
				b.Verdict = v1alpha1.VerdictFail
				for k := range b.Attempts {
					fiveTimesAsFast(&b.Attempts[k])
				}
			}
		}
	}
	html := write(t, run)
	chart := regexp.MustCompile(`aria-label="hbmTriad, [^"]*"`).FindString(html)
	if !strings.Contains(chart, "hbmTriad, 16 values on 4 nodes: 4.3") || !strings.HasSuffix(chart, ` 4 failed."`) || strings.Contains(chart, "21.") {
		t.Errorf("the chart says %q", chart)
	}
	shows(t, html, "<bdi>h200-3 gpu0: wrong data</bdi>", `<td class="n">16<td class="n fail">4 ✕`)
}

func fiveTimesAsFast(a *v1alpha1.Attempt) {
	a.Verdict, a.Reason = v1alpha1.VerdictFail, v1alpha1.ReasonWrongData
	for i := range a.Measurements {
		for j := range a.Measurements[i].Parts {
			v, _ := quantity.ParseDecimal(a.Measurements[i].Parts[j].Value)
			a.Measurements[i].Parts[j].Value = quantity.Decimal(5*v, 6)
		}
	}
}

// fleets are simulated once.
var fleets = map[int]export.Run{}

func fleet(nodes int) export.Run {
	if _, made := fleets[nodes]; !made {
		fleets[nodes] = runs.Simulated(nodes)
	}
	return fleets[nodes]
}

func TestAPageStaysSmall(t *testing.T) {
	large := enlarged(fleet(100), 5000)
	for _, tt := range []struct {
		run   export.Run
		bytes int
		least int // nodes with all their numbers
	}{{fleet(100), 1_300_000, 100}, {large, 10_000_000, 800}} {
		nodes := int(tt.run.Run.Status.Summary.Nodes)
		html := write(t, tt.run)
		complete := strings.Count(html, `<details class="node"`)
		rows := len(regexp.MustCompile(`<tr( id="[^"]*")?><th scope="row">`).FindAllString(html, -1))
		t.Logf("%d rows, %d bytes, %d nodes with all numbers", rows, len(html), complete)
		if len(html) > tt.bytes || complete < tt.least || rows < nodes {
			t.Errorf("%d bytes, want at most %d; %d nodes are complete, want %d; %d rows", len(html), tt.bytes, complete, tt.least, rows)
		}
		if nodes > 100 {
			shows(t, html, fmt.Sprintf("the %d worst of", complete))
		}
	}
}

// enlarged repeats the nodes of a run under new names.
func enlarged(run export.Run, nodes int) export.Run {
	grown := run
	grown.Run = run.Run.DeepCopy()
	grown.Results = nil
	for i := range nodes {
		r := run.Results[i%100]
		r.Node.Name = fmt.Sprintf("big-%04d", i)
		grown.Results = append(grown.Results, r)
	}
	grown.Run.Status.Nodes = nil
	grown.Run.Status.Summary.Nodes = int32(nodes)
	return grown
}

// A run of which nothing is known yet, and one of which only the table is known, have a page.
func TestLittleIsKnown(t *testing.T) {
	run := runs.Demo()[0]
	run.Results, run.Validations, run.Catalogue = nil, nil, nil
	shows(t, write(t, run), "node-4", "Run sample: Fail")
	empty := run.Run.DeepCopy()
	empty.Status.Nodes, empty.Status.Conditions, empty.Status.Summary, empty.Status.Benchmarks, empty.Status.Verdict = nil, nil, nil, nil, ""
	shows(t, write(t, export.Run{Run: empty}), "Run sample: Pending", "The run is still in progress")
}

// Numbers that are none, parts without a name and values that are all alike break no chart.
func TestOddNumbers(t *testing.T) {
	run := runs.Simulated(3)
	for i := range run.Results {
		for j := range run.Results[i].Benchmarks {
			for k := range run.Results[i].Benchmarks[j].Attempts {
				for m := range run.Results[i].Benchmarks[j].Attempts[k].Measurements {
					parts := run.Results[i].Benchmarks[j].Attempts[k].Measurements[m].Parts
					for p := range parts {
						parts[p].Value = []v1alpha1.Decimal{"0", "-3", "1e99", "", "NaN", "1e-99"}[(m+p)%6]
					}
				}
			}
		}
	}
	html := write(t, run)
	if found := regexp.MustCompile(`NaN%|Inf|M-?\d+ NaN|="NaN"`).FindString(html); found != "" {
		t.Errorf("%q is on the page", found)
	}
}

// What failed stands first, then what the charts show; the rest is folded.
func TestMetricsThatFailedComeFirst(t *testing.T) {
	html := write(t, fleet(100))
	open, folded, _ := strings.Cut(regexp.MustCompile(`(?s)>All metrics</h3>.*?</section>`).FindString(html), "<details>")
	names := regexp.MustCompile(`<tr><td>[^<]*<th scope="row">([a-zA-Z0-9]*)<td[^>]*>[^<]*<td class="n">\d+<td class="n( fail)?">`)
	var order string
	for _, row := range names.FindAllStringSubmatch(open, -1) {
		order += row[1] + row[2] + " "
	}
	if want := "writeBandwidth fail readBandwidth fail hostToDeviceBandwidth fail hbmTriad fail fp64 fail fp32 fail fp16 fail reachablePeers deviceToHostBandwidth allReduceBusBandwidth "; order != want {
		t.Errorf("the metrics are %q, want %q", order, want)
	}
	if rest := names.FindAllString(folded, -1); len(rest) < 80 || strings.Contains(folded, " fail") {
		t.Errorf("%d metrics are folded, want those that are no headlines and did not fail", len(rest))
	}
	charts := regexp.MustCompile(`(?s)<h3 id="_r0_fleet">.*?</section>`).FindString(html)
	if last, good := strings.LastIndex(charts, "<b>Failed</b>"), strings.Index(charts, "<b>deviceToHostBandwidth</b>"); last > good || good < 0 {
		t.Error("a chart without failures stands before one with some")
	}
}

// TestOneGPUOut: the page tells a node of which one GPU is out of service from one that is tainted, and says which, why and what to do.
func TestOneGPUOut(t *testing.T) {
	var all []export.Run
	testdata.OneGPUOut(&all)
	html := write(t, all...)
	shows(t, html, "<dt>Tainted</dt><dd>node-3 (1 of 8 GPUs)</dd>", "1 of 8 GPUs out of service<td>BelowExpectation", `title="node-3 17, 1 of 8 GPUs out of service"`,
		"1 of 8 GPUs out of service since 2026-03-01T10:10:00Z by run rack-9: gpu3 (GPU-7f0c0003-52aa-4c1e-9d1b-3c5e8a6b20f3), because of gpustream hbmTriad: 3.61 TB/s, typical 4.37 TB/s, bound 4.326 TB/s",
		"A pass lifts the taint. The run waits until nobody uses the node&#39;s other GPUs")
	if strings.Contains(html, "tainted assay.dev/unfit") {
		t.Error("it says that the node is tainted")
	}
}
