package reports

import (
	"io"

	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/page"
)

// ShowRuns shows runs in a format; where only the failed ones are asked for, without the nodes that passed.
func ShowRuns(w io.Writer, runs []export.Run, failed bool, format string) error {
	if format == output.HTML {
		return page.Write(w, runs, failed)
	}
	return write(w, reportsOf(runs, failed), format)
}
