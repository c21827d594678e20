package summary

import (
	"encoding/json"
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

const (
	// maxStatus bounds the status of a run, in bytes of JSON: every client that watches runs reads it whole at every change.
	maxStatus = 256 << 10

	maxStatusNodes      = 100
	maxStatusBenchmarks = 256
	maxStatusFindings   = 50
	// shortMessage is what a row's message and note together are cut to where not all rows fit.
	shortMessage = 120
)

// FitStatus cuts the status of a run to its bound. What tells how the run goes always stays. Findings, and the sums of the
// benchmarks, have a quarter of the rest each; rows have what remains, and their numbers, which the nodes' results hold too,
// what then is left: that a node is there matters more. Rows and findings come worst first, so that the last ones go.
func FitStatus(s *v1alpha1.ValidationRunStatus) {
	nodes := append([]v1alpha1.NodeRow(nil), s.Nodes[:min(len(s.Nodes), maxStatusNodes)]...)
	benchmarks := s.Benchmarks[:min(len(s.Benchmarks), maxStatusBenchmarks)]
	findings := s.Findings[:min(len(s.Findings), maxStatusFindings)]
	metrics := make([][]v1alpha1.HeadlineValue, len(nodes))
	for i := range nodes {
		metrics[i], nodes[i].Metrics = nodes[i].Metrics, nil
	}
	s.Nodes, s.Benchmarks, s.Findings = nil, nil, nil

	left := maxStatus - size(s) - len(`"nodes":[],"benchmarks":[],"findings":[],`)
	share := left / 4
	s.Findings, share = fill(findings, share)
	left -= left/4 - share
	share = left / 3
	s.Benchmarks, share = fill(benchmarks, share)
	left -= left/3 - share
	if size(nodes) > left {
		for i := range nodes {
			nodes[i].Note = quantity.Clip(nodes[i].Note, shortMessage/3)
			nodes[i].Message = quantity.Clip(nodes[i].Message, shortMessage-len(nodes[i].Note))
		}
	}
	s.Nodes, left = fill(nodes, left)
	more, left := fill(findings[len(s.Findings):], left)
	s.Findings = findings[:len(s.Findings)+len(more)]
	others, left := fill(benchmarks[len(s.Benchmarks):], left)
	s.Benchmarks = benchmarks[:len(s.Benchmarks)+len(others)]
	for i := range s.Nodes {
		if n := len(`"metrics":,`) + size(metrics[i]); len(metrics[i]) > 0 && n <= left {
			s.Nodes[i].Metrics = metrics[i]
			left -= n
		}
	}
}

// fill returns the first items that fit into so many bytes, and how many bytes are left.
func fill[T any](items []T, room int) ([]T, int) {
	for i := range items {
		n := size(items[i]) + len(",")
		if n > room {
			return items[:i], room
		}
		room -= n
	}
	return items, room
}

// size in JSON.
func size(v any) int {
	text, err := json.Marshal(v)
	if err != nil {
		return math.MaxInt32
	}
	return len(text)
}
