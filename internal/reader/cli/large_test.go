//go:build !race

package cli

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/test/clitest"
)

// counted is a file that only has a size.
type counted struct{ bytes int }

func (c *counted) Write(p []byte) (int, error) {
	c.bytes += len(p)
	return len(p), nil
}

// manyResults answers a List with results that do not exist before they are asked for, and notes how much memory is in use by then.
func manyResults(nodes int, peak *uint64) interceptor.Funcs {
	return interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
		results, is := list.(*v1alpha1.ValidationResultList)
		if !is {
			return c.List(ctx, list, opts...)
		}
		var options client.ListOptions
		options.ApplyOptions(opts)
		from := 0
		if options.Continue != "" {
			from, _ = strconv.Atoi(options.Continue)
		}
		for i := from; i < min(from+int(options.Limit), nodes); i++ {
			results.Items = append(results.Items, largeResult(fmt.Sprintf("node-%d", i)))
		}
		if next := from + int(options.Limit); next < nodes {
			results.Continue = strconv.Itoa(next)
		}
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		*peak = max(*peak, memory.HeapAlloc)
		return nil
	}}
}

func largeResult(node string) v1alpha1.ValidationResult {
	r := v1alpha1.ValidationResult{Run: v1alpha1.ObjectReference{Name: "rack-7", UID: "run-uid"}, Node: v1alpha1.ObjectReference{Name: node}, Verdict: v1alpha1.VerdictPass}
	r.Name = node
	m := v1alpha1.Measurement{Name: "linkRead", Unit: "GB/s"}
	for i := range 400 {
		m.Parts = append(m.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d->gpu%d", i/20, i%20), Value: "123.456"})
	}
	r.Benchmarks = []v1alpha1.BenchmarkResult{{Name: "p2p", Verdict: v1alpha1.VerdictPass, Attempts: []v1alpha1.Attempt{{Number: 1, Measurements: []v1alpha1.Measurement{m}}}}}
	return r
}

// However large a run is, an export holds a few pages of it, and a report what its table shows.
func TestMemoryOfALargeRun(t *testing.T) {
	const nodes = 1500
	for name, args := range map[string][]string{
		"export": {"export", "rack-7"}, "export as a table": {"export", "rack-7", "-o", output.CSV}, "report": {"report", "rack-7", "-o", output.JSON},
	} {
		t.Run(name, func(t *testing.T) {
			var peak uint64
			var memory runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&memory)
			start := memory.HeapAlloc
			c := clitest.Cluster(t, manyResults(nodes, &peak), clitest.Rack7(t)[:1]...)
			var out counted
			cmd := NewCommand("test", func() (client.WithWatch, error) { return c, nil })
			cmd.SetArgs(args)
			cmd.SetOut(&out)
			if err := cmd.ExecuteContext(t.Context()); err != nil {
				t.Fatal(err)
			}
			const most = 20 << 20
			if peak > start+most {
				t.Errorf("%d MB in use, want at most %d, for %d MB of output", int64(peak-start)>>20, most>>20, out.bytes>>20)
			}
			t.Logf("%d MB in use for %d MB of output", int64(peak-start)>>20, out.bytes>>20)
		})
	}
}
