package main

import (
	"fmt"
	"slices"
	"strings"
)

// goal is a fault that is to be found in 99 of 100 cases.
type goal struct {
	fault string
	size  float64
	// note for the reader.
	note string
}

// want of every goal.
const want = 0.99

var (
	fleetGoals = []goal{
		{"one GPU, HBM", 0.01, ""}, {"one link", 0.01, ""}, {"all links of a GPU", 0.01, ""}, {"one GPU, fp32", 0.05, ""},
		{"node, HBM", 0.01, ""}, {"node, fp32", 0.05, ""}, {"NCCL all-reduce", 0.05, ""}, {"NCCL all-gather", 0.05, ""},
		{"one socket, STREAM", 0.05, ""}, {"node, STREAM", 0.05, ""}, {"node, DGEMM", 0.05, ""}, {"node, HPL", 0.05, ""},
		{"one GPU, fp64", 0.05, "as physics allows"}, {"one GPU, fp64 for 6 s", 0.05, "as physics allows"},
		{"one GPU, fp16", 0.05, "as physics allows"},
	}
	pastGoals = []goal{
		{"one GPU, HBM", 0.01, ""}, {"one link", 0.01, ""}, {"all links of a GPU", 0.01, ""}, {"node, HBM", 0.01, ""}, {"one GPU, fp64", 0.02, "no goal"},
		{"one GPU, fp64 for 6 s", 0.02, ""}, {"one GPU, fp32", 0.02, ""}, {"one GPU, fp16", 0.02, ""}, {"one GPU, H2D", 0.03, "no goal"}, {"NCCL all-reduce", 0.05, "no goal"},
		{"one socket, STREAM", 0.03, ""}, {"node, STREAM", 0.03, ""}, {"node, DGEMM", 0.03, ""}, {"node, HPL", 0.03, ""},
	}
)

var (
	fleetSetups = []setup{{nodes: 1, gpus: 4}, {nodes: 1, gpus: 8}, {nodes: 4, gpus: 4}, {nodes: 4, gpus: 8},
		{nodes: 8, gpus: 8}, {nodes: 32, gpus: 8}, {nodes: 128, gpus: 8}, {nodes: 1, gpus: 4, known: 8}, {nodes: 1, gpus: 8, known: 32}}
	pastSetups = []setup{{nodes: 1, gpus: 4, past: 5}, {nodes: 1, gpus: 8, past: 5}, {nodes: 1, gpus: 4, past: 10}, {nodes: 1, gpus: 8, past: 10}}
)

// goalTable prints the recall of goals; rule counts alone, or all do where it is empty.
func (p *program) goalTable(title string, goals []goal, setups []setup, rule string) {
	goals = p.only(goals)
	wanted := faultsOf(goals)
	var columns []map[cell]score
	fmt.Fprintf(p.out, "### %s\n\n| slow |", title)
	for _, s := range setups {
		columns = append(columns, recallOf(p.lab, s, wanted, p.trials, uint64(9000+s.nodes*s.gpus+s.past)))
		fmt.Fprintf(p.out, " %s |", s)
	}
	fmt.Fprintln(p.out, "\n|---|"+strings.Repeat("---|", len(columns)))
	for _, g := range goals {
		fmt.Fprintf(p.out, "| %s, %g%%%s |", g.fault, 100*g.size, note(g.note))
		for i, c := range columns {
			got := c[cell{setups[i], g.fault, g.size}]
			t := got.found
			if rule != "" {
				t = got.by(rule)
			}
			fmt.Fprintf(p.out, " %s |", t.goal())
		}
		fmt.Fprintln(p.out)
	}
	fmt.Fprintf(p.out, "\nBold: below %.2f. Each cell: %d trials or more.\n\n", want, p.trials)
}

func (p *program) only(goals []goal) []goal {
	return slices.DeleteFunc(slices.Clone(goals), func(g goal) bool { return !strings.Contains(g.fault, p.fault) })
}

func faultsOf(goals []goal) []fault {
	var out []fault
	for _, g := range goals {
		f := faults[slices.IndexFunc(faults, func(f fault) bool { return f.name == g.fault })]
		f.size = g.size
		out = append(out, f)
	}
	return out
}

func note(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// goal is a recall, bold where it is below what is wanted.
func (t tally) goal() string {
	text := fmt.Sprintf("%.3f", t.share())
	if t.share() < want {
		text = "**" + text + "**"
	}
	return text
}
