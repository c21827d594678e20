// Command compare prints how often comparisons of simulated fleets are right: how many of those between equals find a difference, and how
// many find one that is there.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/assay-dev/assay/hack/bench/compare/simulate"
)

// effects that are to be found.
var effects = []float64{0.01, 0.02, 0.05}

func main() {
	trials := flag.Int("trials", 400, "comparisons of each fleet with an equal one; a quarter of that with each difference")
	flag.Parse()
	fmt.Fprintln(os.Stdout, "| nodes a side | the same on both | fleet | something found between equals | 1% found | 2% found | 5% found | interval right |")
	fmt.Fprintln(os.Stdout, "|---|---|---|---|---|---|---|---|")
	for _, paired := range []bool{true, false} {
		for _, nodes := range []int{1, 2, 4, 8, 16, 128} {
			row(os.Stdout, "as declared", fleet(nodes, paired), *trials)
		}
	}
	for _, paired := range []bool{true, false} {
		for _, nodes := range []int{1, 4, 8, 16} {
			twice := fleet(nodes, paired)
			twice.Claim = 0.5
			row(os.Stdout, "twice the declared noise", twice, *trials)
		}
		heavy := fleet(8, paired)
		heavy.Heavy = true
		row(os.Stdout, "heavy tails", heavy, *trials)
		for _, nodes := range []int{3, 4, 5, 8} {
			pairs := fleet(nodes, paired)
			pairs.Pairs, pairs.Parts = true, 1
			row(os.Stdout, "measured in pairs, each with each", pairs, *trials)
		}
	}
}

// fleet with the noise that the catalogue declares of the GPUs' arithmetic.
func fleet(nodes int, paired bool) simulate.World {
	return simulate.World{Nodes: nodes, Parts: 4, Paired: paired, Metrics: 20, Run: 0.004, Part: 0.01, Node: 0.005, Claim: 1}
}

func row(out io.Writer, name string, w simulate.World, trials int) {
	equal := w.Play(trials, 1)
	same := "no"
	if w.Paired {
		same = "yes"
	}
	fmt.Fprintf(out, "| %d | %s | %s | %s |", w.Nodes, same, name, share(equal.Wrong, trials))
	for i, effect := range effects {
		w.Effect = effect
		fmt.Fprintf(out, " %s |", share(w.Play(trials/4, uint64(2+i)).Found, trials/4))
	}
	fmt.Fprintf(out, " %s |\n", share(equal.Covered, trials))
}

func share(n, of int) string { return fmt.Sprintf("%.0f%%", 100*float64(n)/float64(of)) }
