package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/assay-dev/assay/internal/stat"
)

// printMedians prints a line for each metric. Sizes are no like parts, so each has its own.
func printMedians(out io.Writer, rows []row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MEASUREMENT\tPARTS\tOURS\tTHEIRS\tUNIT\tRATIO\tOF PARTS\tBETTER")
	for _, r := range rows {
		for _, group := range likeParts(r.parts) {
			var ours, theirs, ratios []float64
			for _, p := range group {
				ours, theirs, ratios = append(ours, p.ours), append(theirs, p.theirs), append(ratios, p.ratio())
			}
			what, spread := strconv.Itoa(len(group)), fmt.Sprintf("%.3f-%.3f", slices.Min(ratios), slices.Max(ratios))
			if len(group) == 1 {
				what, spread = group[0].at, ""
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%.3f\t%s\t%s\n", r.name, what, figure(stat.Median(ours)), figure(stat.Median(theirs)),
				r.unit, stat.Median(ours)/stat.Median(theirs), spread, r.better)
		}
	}
	return w.Flush()
}

// printParts prints a line for each part.
func printParts(out io.Writer, rows []row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MEASUREMENT\tPART\tOURS\tTHEIRS\tUNIT\tRATIO\tBETTER")
	for _, r := range rows {
		for _, p := range r.parts {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%.3f\t%s\n", r.name, p.at, figure(p.ours), figure(p.theirs), r.unit, p.ratio(), r.better)
		}
	}
	return w.Flush()
}

// likeParts keeps GPUs and pairs together, of which a median says something.
func likeParts(parts []pair) [][]pair {
	var like []pair
	var groups [][]pair
	for _, p := range parts {
		if strings.HasPrefix(p.at, "gpu") || strings.HasPrefix(p.at, "rank") {
			like = append(like, p)
		} else {
			groups = append(groups, []pair{p})
		}
	}
	if len(like) > 0 {
		groups = append([][]pair{like}, groups...)
	}
	return groups
}

func figure(value float64) string { return strconv.FormatFloat(value, 'g', 5, 64) }

// byNumber orders names as people do: gpu2 before gpu10, 64KiB before 1MiB.
func byNumber(a, b string) int {
	if bytesA, bytesB := bytesOf(a), bytesOf(b); bytesA > 0 && bytesB > 0 {
		return cmp.Compare(bytesA, bytesB)
	}
	if c := cmp.Compare(len(a), len(b)); c != 0 && strings.HasPrefix(a, "gpu") && strings.HasPrefix(b, "gpu") {
		return c
	}
	return strings.Compare(a, b)
}

// bytesOf is the size that a part names; 0 for another part.
func bytesOf(at string) int64 {
	for unit, suffix := range []string{"GiB", "MiB", "KiB", "B"} {
		if digits, found := strings.CutSuffix(at, suffix); found {
			size, err := strconv.ParseInt(digits, 10, 32)
			if err != nil {
				return 0
			}
			return size << (30 - 10*unit)
		}
	}
	return 0
}
