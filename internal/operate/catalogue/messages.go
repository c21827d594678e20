package catalogue

import "fmt"

// suiteTooLarge is for a suite of more Benchmarks than one run takes.
func suiteTooLarge(suite string, benchmarks int) string {
	return fmt.Sprintf("%d Benchmarks list the suite %q, and a run takes at most %d: name those to measure in spec.benchmarks of several runs, "+
		"or take some out of the suite", benchmarks, suite, maxBenchmarks)
}

// benchmarkUnknown is for a name in spec.benchmarks that no Benchmark has.
func benchmarkUnknown(name string) string {
	return fmt.Sprintf("there is no Benchmark %q: choose one that `kubectl get benchmarks` shows, or install it", name)
}
