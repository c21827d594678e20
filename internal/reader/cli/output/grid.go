package output

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Grid writes a table for people. What stands in its cells may come from a program, and is made harmless here.
func Grid(w io.Writer, header []string, rows [][]string) error {
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(out, strings.Join(header, "\t"))
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = OrUnknown(cell)
		}
		fmt.Fprintln(out, strings.Join(cells, "\t"))
	}
	return out.Flush()
}
