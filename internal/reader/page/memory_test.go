package page_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/page"
	"github.com/assay-dev/assay/test/page/runs"
)

// BenchmarkPageOf5000Nodes takes nodes one by one, as they come from a file or the API server, and reports what the process took at most:
// go test ./internal/reader/page -run '^$' -bench 5000 -benchtime 1x
func BenchmarkPageOf5000Nodes(b *testing.B) {
	const nodes = 5000
	defer debug.SetGCPercent(debug.SetGCPercent(25)) // as the command does
	small := runs.Simulated(100)
	var texts [][]byte
	for i := range small.Results {
		text, err := json.Marshal(&small.Results[i])
		if err != nil {
			b.Fatal(err)
		}
		texts = append(texts, text)
	}
	run := small.Run.DeepCopy()
	run.Status.Nodes, run.Status.Summary.Nodes = nil, nodes
	small.Results = nil
	for b.Loop() {
		var gathered page.Runs
		if err := gathered.Begin("", run, small.Catalogue); err != nil {
			b.Fatal(err)
		}
		for i := range nodes {
			r := &v1alpha1.ValidationResult{}
			if err := json.Unmarshal(texts[i%len(texts)], r); err != nil {
				b.Fatal(err)
			}
			r.Node.Name = fmt.Sprintf("big-%04d", i)
			if err := gathered.Add(export.Piece{Result: r}); err != nil {
				b.Fatal(err)
			}
		}
		if err := gathered.Write(io.Discard, false); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(peakMB(b), "peak-MB")
}

// peakMB is the most memory that the process has had, as the kernel counts it.
func peakMB(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kB float64
	if _, err := fmt.Sscan(after, &kB); err != nil {
		b.Fatal(err)
	}
	return kB / 1000
}
