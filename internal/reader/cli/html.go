package cli

import (
	"io"

	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/page"
)

// formatHTML is one file with charts, for a browser.
const formatHTML = "html"

// showRuns shows runs in a format; where only the failed ones are asked for, without the nodes that passed.
func showRuns(w io.Writer, runs []export.Run, failed bool, format string) error {
	if format == formatHTML {
		return page.Write(w, runs, failed)
	}
	return write(w, reportsOf(runs, failed), format)
}
