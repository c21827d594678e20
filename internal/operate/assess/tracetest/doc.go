// Package tracetest runs whole ValidationRuns, from their first pass to their last pod, over assess and taint alone, and compares what
// happened with a text. Each file of testdata/traces is one story: what it is about, its script, and its trace, read from top to bottom.
//
// A story is added as a file that ends after its script: `go test ./internal/operate/assess/tracetest -update` writes the traces. The script's
// words are in script_test.go and incidents_test.go; without a word on it, a program measures 100 in 10 seconds.
//
// A trace tells what is news. What follows from a line in most cases is a word at its end, and a line of its own where it went otherwise:
//
//	store    ...; deleted       the attempt's pods or MPIJob were deleted in the same pass
//	verdict  ...; stored as 10  this is the attempt of the node that its groups' attempts came to
//	verdict  ...; proof at 3m   the node's record names this run, its verdict, and this time as those of its proof; "recorded": it has no proof
//	...; shown                  the node's label and condition came to say what its verdict says
//
// A node's row is told where it says more than its stored result and its taint. What every attempt goes through ("pod rate#1 is running") and
// how many nodes have got how far is told where a story says "watch steps", and of waiting nodes only those are that "watch nodes" names.
package tracetest
