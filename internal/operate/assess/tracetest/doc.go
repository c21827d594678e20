// Package tracetest runs whole ValidationRuns, from their first pass to their last pod, over assess and taint alone, and compares what
// happened with a text. Each file of testdata/traces is one story: what it is about, its script, and its trace, read from top to bottom.
//
// A story is added as a file that ends after its script: `go test ./internal/operate/assess/tracetest -update` writes the traces. The script's
// words are in script_test.go and incidents_test.go; without a word on it, a program measures 100 in 10 seconds. Where a pass stores an attempt
// and deletes its pods or MPIJob, one line of the trace says both.
package tracetest
