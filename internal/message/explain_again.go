package message

import (
	"fmt"
	"strings"
)

// ExplainRunAgain says how the node is measured again, by benchmarks with parameters (BENCHMARK.NAME=VALUE), or else by a suite. The command ends the
// line, to be copied.
func ExplainRunAgain(node, suite string, benchmarks, parameters []string) string {
	return fmt.Sprintf("Measure it again: kubectl assay run --nodes %s %s --wait", node, measuredBy(suite, benchmarks, parameters))
}

// ExplainRunAgainCompared says how the node is measured again together with others, at least as many as it takes. Where the run knows too few, the reader
// has to name them.
func ExplainRunAgainCompared(node string, others []string, least int, suite string, benchmarks, parameters []string) string {
	nodes := append([]string{node}, others...)
	for i := len(others) + 1; i <= least; i++ {
		nodes = append(nodes, fmt.Sprintf("OTHER-%d", i))
	}
	return fmt.Sprintf("Measure it again, beside %d others of its kind to compare it with: kubectl assay run --nodes %s %s --wait",
		least, strings.Join(nodes, ","), measuredBy(suite, benchmarks, parameters))
}

// ExplainOwnExpectations says that a command line alone does not ask for what a run asked for.
func ExplainOwnExpectations(run string, benchmarks []string) string {
	return fmt.Sprintf("Run %[1]s has expectations of its own for %[2]s, for which there is no flag: to refute what broke one of them, give them to the new run "+
		"(--dry-run=client -o yaml prints it; kubectl get validationrun %[1]s -o yaml has them).", run, strings.Join(benchmarks, ", "))
}

// measuredBy are the flags that say what to measure by. What is not known is left to the reader.
func measuredBy(suite string, benchmarks, parameters []string) string {
	switch {
	case suite != "":
		return "--suite " + suite
	case len(benchmarks) > 0:
		text := "--benchmark " + strings.Join(benchmarks, ",")
		for _, p := range parameters {
			text += " --parameter " + shellWord(p)
		}
		return text
	}
	return "--suite SUITE"
}

// shellWord is a word for a command line that is copied into a shell: whoever made a run chose the values of its parameters.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._=+-/,:@%", r)
	}
	if strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
