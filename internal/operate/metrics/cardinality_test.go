package metrics

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/testdata"
)

// catalogue is every shipped Benchmark of single nodes.
func catalogue() (all []v1alpha1.Benchmark) {
	for _, b := range testdata.Benchmarks() {
		if b.Spec.Scope != v1alpha1.ScopeGroup {
			all = append(all, b)
		}
	}
	return all
}

// fleetOf so many nodes with two kinds of devices, each measured by the whole catalogue.
func fleetOf(nodes int) cluster {
	c := cluster{benchmarks: catalogue()}
	for i := range nodes {
		n := v1alpha1.NodeValidation{Verdict: v1alpha1.VerdictPass, Proof: &v1alpha1.Proof{Verdict: v1alpha1.VerdictPass}}
		n.Name = fmt.Sprintf("node-%05d", i)
		for _, b := range c.benchmarks {
			e := v1alpha1.HistoryEntry{Machine: &v1alpha1.Machine{Devices: []string{"8 x NVIDIA-H100", "8 x NVIDIA-H200"}[i%2]}}
			for _, m := range b.Spec.Metrics {
				if m.Headline {
					e.Values = append(e.Values, v1alpha1.HistoryValue{Metric: m.Name, Unit: m.Unit, Value: v1alpha1.Decimal(fmt.Sprint(1000 + i*7919%1000))})
				}
			}
			n.Benchmarks = append(n.Benchmarks, v1alpha1.BenchmarkState{Name: b.Name, History: []v1alpha1.HistoryEntry{e}})
		}
		c.nodes = append(c.nodes, n)
	}
	return c
}

// series counts what a scrape brings, as Prometheus stores it.
func series(t *testing.T, c prometheus.Collector) int {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&text, f); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for line := range strings.Lines(text.String()) {
		if !strings.HasPrefix(line, "#") {
			n++
		}
	}
	return n
}

// TestSeriesDoNotGrowWithTheFleet, but where they are asked for, and then as many as the documentation says.
func TestSeriesDoNotGrowWithTheFleet(t *testing.T) {
	const few, many = 100, 10_000
	small, large := fleetOf(few), fleetOf(many)
	always := series(t, small.state(false))
	if got := series(t, large.state(false)); got != always {
		t.Errorf("%d series for %d nodes, and %d for %d: want as many", got, many, always, few)
	}
	extra := series(t, small.state(true)) - always
	each := extra / few
	if extra != few*each {
		t.Errorf("%d series of %d nodes, want as many for each", extra, few)
	}
	text := page(t)
	want := regexp.MustCompile(`\d+ series for a fleet with two kinds`).ReplaceAllString(text, fmt.Sprintf("%d series for a fleet with two kinds", always))
	want = regexp.MustCompile(`\d+ series per node`).ReplaceAllString(want, fmt.Sprintf("%d series per node", each))
	if *update {
		rewrite(t, want)
	} else if want != text || !strings.Contains(want, fmt.Sprintf("%d series for a fleet", always)) || !strings.Contains(want, fmt.Sprintf("%d series per node", each)) {
		t.Errorf("docs/monitoring.md does not say that there are %d series, and %d per node: run `go test ./internal/operate/metrics -update`, and commit the result", always, each)
	}
}

func BenchmarkScrape(b *testing.B) {
	s := fleetOf(10_000).state(false)
	for b.Loop() {
		ch := make(chan prometheus.Metric, 4096)
		go func() { s.Collect(ch); close(ch) }()
		for range ch {
			continue
		}
	}
}
