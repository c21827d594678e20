// Command noise estimates the noise of every metric of the catalogue from recordings (hack/record.sh), and prints it as the lines of a
// Benchmark. It prints what it saw beside them, so that a reader can tell much evidence from little.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/testdata"
)

// leastFreedom: fewer repetitions than one more than this say nothing about noise.
const leastFreedom = 3

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "noise:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, files []string) error {
	if len(files) == 0 {
		return fmt.Errorf("name the recordings: make bench-noise RECORDINGS='node1.json.gz node2.json.gz'")
	}
	var recordings []recording
	for _, name := range files {
		r, err := testdata.RecordingIn(name)
		if err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		recordings = append(recordings, recording{r})
	}
	benchmarks := testdata.Benchmarks()
	for i := range benchmarks {
		if err := printBenchmark(out, &benchmarks[i], recordings); err != nil {
			return fmt.Errorf("%s: %w", benchmarks[i].Name, err)
		}
	}
	return nil
}

// printBenchmark prints the metrics that a recorded benchmark judges: a line for each kind of part, for the reader to choose from.
func printBenchmark(out io.Writer, b *v1alpha1.Benchmark, recordings []recording) error {
	pools := map[string][]machine{}
	for i := range recordings {
		if err := recordings[i].collect(b, pools); err != nil {
			return err
		}
	}
	if len(pools) == 0 {
		return nil
	}
	fmt.Fprintln(out, b.Name)
	for i := range b.Spec.Metrics {
		m := &b.Spec.Metrics[i]
		if m.Expectation == nil || m.Unit == "count" { // a count is exact: any noise would excuse what is missing
			continue
		}
		fmt.Fprintf(out, "  - name: %s\n", m.Name)
		for _, likeness := range likenesses(pools, m.Name) {
			if e := estimateOf(pools[likeness]); e.run.freedom >= leastFreedom {
				fmt.Fprintf(out, "    noise: %s # %s: %s\n", e.yaml(), strings.TrimPrefix(likeness, m.Name+" "), e.evidence())
			}
		}
	}
	return nil
}
