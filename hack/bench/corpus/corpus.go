// Package corpus is a set of labelled cases for rules that tell a slow node from a healthy one: what the nodes of a fleet measured by one
// benchmark, attempt after attempt, and what is wrong with which of them. docs/scoreboard.md describes the format.
package corpus

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Case is one fleet. A rule sees all of it but Label.
type Case struct {
	ID        int      `json:"id"`
	Benchmark string   `json:"benchmark"`
	Metrics   []Metric `json:"metrics"`
	Nodes     []Node   `json:"nodes"`
	// CostSeconds is what one attempt takes on a node, and GPUs how many of them it holds meanwhile.
	CostSeconds int    `json:"costSeconds"`
	GPUs        int    `json:"gpus"`
	Label       *Label `json:"label,omitempty"`
}

// Metric that all nodes measured. All metrics of the corpus are rates: more is better.
type Metric struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	// DataSheet is the peak that the maker states, and Healthy what healthy hardware reaches, both in Unit; 0: unknown.
	DataSheet float64 `json:"dataSheet,omitempty"`
	Healthy   float64 `json:"healthy,omitempty"`
}

// Node with its attempts in their order. The first is free; each further one costs the time that it takes to measure again.
type Node struct {
	Name     string    `json:"name"`
	Attempts []Attempt `json:"attempts"`
}

// Attempt has values by metric and part, in the metric's unit.
type Attempt map[string]map[string]float64

// Label is the truth of a case.
type Label struct {
	// World is how healthy hardware of this case differs from what is claimed of it.
	World string `json:"world"`
	// Fault is what is wrong; absent where all nodes are healthy.
	Fault *Fault `json:"fault,omitempty"`
}

// Fault of one node.
type Fault struct {
	Name string `json:"name"`
	Node string `json:"node"`
	// Lost is the share of its rate that each of the parts has lost, by all of the metrics named.
	Lost    float64  `json:"lost"`
	Metrics []string `json:"metrics"`
	Parts   []string `json:"parts"`
}

// Answer of a rule to a case.
type Answer struct {
	ID     int       `json:"id"`
	Failed []Verdict `json:"failed"`
	// Unjudged nodes neither passed nor failed: the rule says that it has too little to go by.
	Unjudged []string `json:"unjudged,omitempty"`
	// Attempts that the rule looked at, of all nodes together; 0: the first of each.
	Attempts int `json:"attempts,omitempty"`
}

// Verdict against a node. A rule that blames no part of it leaves Part empty.
type Verdict struct {
	Node   string `json:"node"`
	Metric string `json:"metric,omitempty"`
	Part   string `json:"part,omitempty"`
}

// Write the cases as lines of JSON into a gzip file.
func Write(path string, cases []Case) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("writing the corpus: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	packed := gzip.NewWriter(file)
	lines := json.NewEncoder(packed)
	for i := range cases {
		if err := lines.Encode(&cases[i]); err != nil {
			return fmt.Errorf("writing case %d: %w", cases[i].ID, err)
		}
	}
	return packed.Close()
}

// Read a file that Write wrote.
func Read(path string) ([]Case, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the corpus: %w", err)
	}
	defer func() { _ = file.Close() }()
	unpacked, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("reading the corpus %s: %w", path, err)
	}
	var cases []Case
	for lines := json.NewDecoder(unpacked); ; {
		var c Case
		if err := lines.Decode(&c); errors.Is(err, io.EOF) {
			return cases, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading case %d of %s: %w", len(cases)+1, path, err)
		}
		cases = append(cases, c)
	}
}
