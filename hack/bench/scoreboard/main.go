// Command scoreboard lets rules judge the cases of a corpus and prints how well each of them does. docs/scoreboard.md tells how to read it, and
// how to try a rule of one's own.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/hack/bench/corpus"
)

func main() {
	file := flag.String("corpus", "", "the corpus, as make corpus writes it")
	own := flag.String("rule", "", "a command that judges, too: it reads cases and prints answers as lines of JSON")
	page := flag.String("curve", "", "where to write the page with false alarms against recall")
	flag.Parse()
	if err := run(*file, *own, *page); err != nil {
		fmt.Fprintln(os.Stderr, "scoreboard:", err)
		os.Exit(1)
	}
}

func run(file, own, page string) error {
	cases, err := corpus.Read(file)
	if err != nil {
		return err
	}
	var rows []row
	for _, r := range append([]rule{assay()}, peers()...) {
		rows = append(rows, row{r, scoreOf(cases, all(cases, r.judge))})
	}
	if own != "" {
		answers, err := command(own, cases)
		if err != nil {
			return err
		}
		rows = append(rows, row{rule{name: own, source: "given"}, scoreOf(cases, answers)})
	}
	table(os.Stdout, cases, rows)
	if page == "" {
		return nil
	}
	return writeCurve(page, cases, rows)
}

// row of the scoreboard.
type row struct {
	rule
	score
}

// all cases, on all cores.
func all(cases []corpus.Case, judge func(*corpus.Case) corpus.Answer) []corpus.Answer {
	answers, next := make([]corpus.Answer, len(cases)), make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				answers[i] = judge(&cases[i])
			}
		})
	}
	for i := range cases {
		next <- i
	}
	close(next)
	workers.Wait()
	return answers
}

func table(out *os.File, cases []corpus.Case, rows []row) {
	sizes := sorted(rows[0].found)
	fmt.Fprintf(out, "%d cases, %d nodes; recall by what the faulty node lost, of fleets as recorded\n\n", len(cases), rows[0].nodes)
	fmt.Fprint(out, "| rule |")
	for _, size := range sizes {
		fmt.Fprintf(out, " %g%% |", 100*size)
	}
	fmt.Fprintln(out, " 10% or more, passed | right part | healthy nodes failed | in other worlds | the worst of them | attempts a node | seconds | GPU seconds |")
	fmt.Fprintln(out, "|---|"+strings.Repeat("---|", len(sizes)+8))
	for _, r := range rows {
		fmt.Fprintf(out, "| %s |", r.name)
		for _, size := range sizes {
			fmt.Fprintf(out, " %.2f |", r.found[size].of())
		}
		nodes := float64(max(1, r.nodes))
		fmt.Fprintf(out, " %.2f | %.2f | %.2f%% | %.2f%% | %s %.2f%% | %.3f | %.1f | %.0f |\n", r.passed.of(), r.part.of(), 100*r.alarms.of(), 100*r.alarmsElsewhere.of(),
			r.worst, 100*r.byWorld[r.worst].of(), float64(r.attempts)/nodes, r.seconds/nodes, r.gpuSeconds/nodes)
	}
	fmt.Fprintln(out)
}

func sorted[K interface{ ~string | ~float64 }, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}
