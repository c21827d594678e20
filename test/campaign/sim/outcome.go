package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Outcome of a case.
type Outcome struct {
	Violations []Violation
	Digest     string
	Story      []string
	// Texts of all that was written.
	Texts   []string
	Figures Figures
}

// Violation of a promise.
type Violation struct {
	Promise, Text string
	At            time.Duration
}

// Figures of a case, or of a campaign.
type Figures struct {
	Cases, Writes, OperatorWrites, Passes int
	Faults                                map[string]int
}

func (f Figures) String() string {
	return fmt.Sprintf("%d cases, %d writes checked, of which %d by operators, in %d passes", f.Cases, f.Writes, f.OperatorWrites, f.Passes)
}

// Table of how often what happened.
func (f Figures) Table() string {
	var b strings.Builder
	for _, what := range slices.Sorted(maps.Keys(f.Faults)) {
		fmt.Fprintf(&b, "%8d  %s\n", f.Faults[what], what)
	}
	return b.String()
}
