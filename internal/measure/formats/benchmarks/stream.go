package benchmarks

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// streamKernels are STREAM's four kernels in the order it prints them.
var streamKernels = []string{"Copy", "Scale", "Add", "Triad"}

// streamReport is what was read of STREAM's output so far. Rates are in GB/s.
type streamReport struct {
	logs.Log

	tables  int
	table   map[string]float64 // the current one
	perUnit float64            // GB/s per unit of it
	// summary and sections are the two places where hpcc prints its figures.
	summary, sections map[string]float64
	hpcc, hpccEnds    int
	section           string // of hpcc, in which the line stands
	ofStream          bool   // that section is one of STREAM
	// validated counts the verdicts "Solution Validates", failures holds what failed.
	validated int
	failures  []string
	repeats   int64
}

var streamHeader = regexp.MustCompile(`^Function\s+(?:Best )?Rate\s*\(?(MB/s|GB/s)\)?\s+Avg time\s+Min time\s+Max time$`)

// STREAM reads the table of McCalpin's STREAM (one of it, best rate of each kernel), or the STREAM figures of hpcc,
// whole or its two sections: one process alone (single...), and all at once (star..., the mean of one process, so that the
// node moves as much as that times the processes). A report counts only with its validation.
func STREAM(lines []string) (result.Document, error) {
	r := streamReport{summary: map[string]float64{}, sections: map[string]float64{}}
	return r.Read("stream", lines, logs.Kinds{
		{Pattern: `HPC Challenge Benchmark`, Note: logs.Tally(&r.hpcc)},
		{Pattern: `^End of HPC Challenge tests\.$`, Note: logs.Tally(&r.hpccEnds)},
		{Pattern: `^Function.*Rate.*`, Read: logs.Line(r.readHeader)},
		{Pattern: `^(Copy|Scale|Add|Triad):.*`, Read: logs.Line(r.readRow)},
		{Pattern: `^(Star|Single)STREAM_(Copy|Scale|Add|Triad)=(.*)$`, Read: func(match []string) error {
			return r.readFigure(r.summary, strings.ToLower(match[1])+match[2], match[3])
		}},
		{If: &r.ofStream, Pattern: `^(?:Average|Single STREAM) (Copy|Scale|Add|Triad) GB/s (.*)$`, Read: func(match []string) error {
			return r.readFigure(r.sections, strings.ToLower(strings.TrimSuffix(r.section, "STREAM"))+match[1], match[2])
		}},
		{Begins: "Solution Validates", Note: logs.Tally(&r.validated)},
		{Begins: "Failed Validation", Note: func(match []string) { r.failures = append(r.failures, match[0]) }},
		{Pattern: `^(.*(?:Solution Validates|Failed Validation).*)`, Read: logs.Refuse("the validation line %s is garbled: something else was printed into it")},
		{Pattern: `^(Begin|End) of (\w+) section\.$`, Note: r.enter},
		{If: &r.ofStream, Pattern: `^Node\(s\) with error ([0-9]+)$`, Note: r.readNodeError},
		{Pattern: `^STREAM version \$Revision: ([0-9.]+)`, Note: logs.Text(&r.Version)},
		{Pattern: `^Array size = ([0-9]{1,15})\b`, Note: r.Setting("arrayElements")},
		{Pattern: `^Number of Threads counted = ([0-9]{1,6})$`, Note: r.Setting("threads")},
		{Pattern: `^Each (?:kernel will be executed|test is run) ([0-9]{1,6}) times`, Note: logs.Count(&r.repeats)},
	}, r.complete)
}

func (r *streamReport) readHeader(line string) error {
	match := streamHeader.FindStringSubmatch(line)
	if match == nil {
		return result.Bad("the table's head %s is not STREAM's: expected a rate in MB/s or GB/s and three times", result.Quote(line))
	}
	r.perUnit = 1
	if match[1] == "MB/s" {
		r.perUnit = 1e-3
	}
	r.table = map[string]float64{}
	if r.section == "" { // else it is hpcc's, of one process; its figures stand elsewhere
		r.tables++
	}
	return nil
}

func (r *streamReport) readRow(line string) error {
	fields := strings.Fields(line)
	kernel := strings.TrimSuffix(fields[0], ":")
	switch {
	case r.table == nil:
		return result.Bad("the row of %s stands before the table's head: the beginning is missing", kernel)
	case len(fields) != 5:
		return result.Bad("the row %s has %d columns, expected 5", result.Quote(line), len(fields))
	case r.table[kernel] > 0:
		return result.Bad("%s appears twice in one table", kernel)
	}
	r.table[kernel] = r.Figure(logs.Positive, fields[1], "reading the rate of %s: %w", kernel) * r.perUnit
	return checkTimes(kernel, fields[2:])
}

// readFigure reads one figure of hpcc.
func (r *streamReport) readFigure(figures map[string]float64, name, text string) error {
	if figures[name] > 0 {
		return result.Bad("%s appears twice: print only the newest report (hpcc appends to its output file)", name)
	}
	figures[name] = r.Figure(logs.Positive, text, "reading %s of hpcc: %w", name)
	return nil
}

// enter or leave a section of hpcc.
func (r *streamReport) enter(match []string) {
	r.section = ""
	if match[1] == "Begin" {
		r.section = match[2]
	}
	r.ofStream = strings.HasSuffix(r.section, "STREAM")
}

func (r *streamReport) readNodeError(match []string) {
	if match[1] == "0" {
		r.validated++
		return
	}
	r.failures = append(r.failures, fmt.Sprintf("%s: %s processes with wrong data", r.section, result.Truncate(match[1], 20)))
}

// complete fills the document with what was measured and validated.
func (r *streamReport) complete() error {
	if r.hpcc > 0 && r.hpccEnds == 0 {
		return result.Bad("the end of hpcc's output is missing: hpcc was interrupted or its output cut off")
	}
	err := r.addRates()
	if err == nil && r.validated == 0 && len(r.failures) == 0 {
		err = result.Bad("no validation (\"Solution Validates\" or \"Failed Validation\") in it: the output is cut off")
	}
	r.AddCheck("dataIntegrity", strings.Join(r.failures, "; "))
	return err
}

// addRates of hpcc, from its summary if that is there, or else of STREAM's table.
func (r *streamReport) addRates() error {
	figures, modes := r.summary, []string{"single", "star"}
	if len(figures) == 0 {
		figures = r.sections
	}
	switch {
	case len(figures) > 0:
	case r.tables == 0:
		return result.Bad("no table of STREAM in it: it did not finish, or this is another program's output")
	case r.tables > 1:
		return result.Bad("%d tables of STREAM: print one per run", r.tables)
	default:
		figures, modes = r.table, []string{""}
	}
	for _, mode := range modes {
		for _, kernel := range streamKernels {
			name := mode + kernel
			switch {
			case figures[name] > 0:
			case mode == "":
				return result.Bad("the table has no row %s: the output is cut off", name)
			default:
				return result.Bad("hpcc's output has no %s: the output is cut off", name)
			}
			samples := int32(max(r.repeats-1, 0)) // the first repetition is not counted
			r.AddNode(strings.ToLower(name[:1])+name[1:], "GB/s", result.BetterHigher, result.Part{Value: figures[name], Samples: samples})
		}
	}
	return nil
}
