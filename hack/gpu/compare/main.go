// Command compare prints the ratios of what our programs measured on a machine to what other tools did.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	ours, theirs := figures{}, figures{}
	byPart := false
	for _, arg := range args {
		format, file, named := strings.Cut(arg, "=")
		var err error
		switch {
		case arg == "--parts":
			byPart = true
		case strings.HasPrefix(arg, "-"):
			return fmt.Errorf("unknown option %s: only --parts is known", arg)
		case named:
			err = theirs.addOutput(v1alpha1.OutputFormat(format), file)
		default:
			err = ours.addOurs(arg)
		}
		if err != nil {
			return err
		}
	}
	if len(ours) == 0 || len(theirs) == 0 {
		return errors.New("expected documents of ours, and FORMAT=FILE with another tool's output, such as NVBandwidth=nvbandwidth.txt")
	}
	rows := compare(ours, theirs)
	if len(rows) == 0 {
		return errors.New("nothing in common: no measurement of ours has a part that the other tools measured, too")
	}
	if byPart {
		return printParts(out, rows)
	}
	return printMedians(out, rows)
}
