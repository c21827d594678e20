package benchmarks

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// hplRun is one test of an HPL report: a result line, and whether there are residuals that verify it, or fail it.
type hplRun struct {
	n, nb, p, q      int64
	seconds, gflops  float64
	verified, failed bool
}

// hplReport is what was read of a report so far.
type hplReport struct {
	logs.Log

	runs []hplRun
	// counts of tests, as the end of the report has them, by what it says of them.
	counts   map[string]int64
	ended    int
	residual float64 // the greatest that passed
	wrong    string  // of the first that failed
}

var hplVerified = regexp.MustCompile(`^\|\|Ax-b\|\|_?oo.*=\s*(\S+)\s+\.{3,}\s*(PASSED|FAILED)$`)

// HPL reads the report of netlib HPL and of what derives from it, alone or inside the output of hpcc. A report counts
// only when it is complete: every result line is verified, and the counts at its end agree with what was read.
func HPL(lines []string) (result.Document, error) {
	r := hplReport{counts: map[string]int64{}}
	return r.Read("hpl", lines, logs.Kinds{
		{Pattern: `^HPLinpack ([0-9][0-9A-Za-z.]*)`, Note: logs.Text(&r.Version)},
		{Pattern: `^W[RC][0-9].*`, Read: logs.Line(r.readResult)},
		{Pattern: `^.*(?:PASSED|FAILED).*`, Read: logs.Line(r.readResidual)},
		{Pattern: `^Finished\s+([0-9]+) tests (with the following results:)$`, Read: r.readCount},
		{Pattern: `^\s*([0-9]+) tests (completed and passed|completed and failed|skipped because).*`, Read: r.readCount},
		{Pattern: `^End of Tests\.$`, Note: logs.Tally(&r.ended)},
	}, r.complete, r.document)
}

// readResult reads a line "WR11C2R4 N NB P Q Time Gflops". NVIDIA's HPL puts the rate per GPU behind it, in brackets.
func (r *hplReport) readResult(line string) error {
	line, _, _ = strings.Cut(line, "(")
	fields := strings.Fields(line)
	if len(fields) != 7 {
		return result.Bad("the result line %s has %d columns, expected 7 (T/V N NB P Q Time Gflops)", result.Quote(line), len(fields))
	}
	var run hplRun
	for i, target := range []*int64{&run.n, &run.nb, &run.p, &run.q} {
		value, err := strconv.ParseInt(fields[i+1], 10, 64)
		if err != nil || value < 1 || value > 1e9 {
			return result.Bad("the result line %s has %s where a size is expected", result.Quote(line), result.Quote(fields[i+1]))
		}
		*target = value
	}
	run.seconds = r.Figure(logs.Number, fields[5], "reading the time of an HPL result: %w")
	run.gflops = r.Figure(logs.Positive, fields[6], "reading the rate of an HPL result: %w")
	r.runs = append(r.runs, run)
	return run.plausible()
}

func (r *hplReport) readResidual(line string) error {
	if !strings.HasPrefix(line, "||Ax-b||") {
		if strings.Contains(line, "||Ax-b||") {
			return result.Bad("the residual line %s is garbled: something else was printed into it", result.Quote(line))
		}
		return nil // other tests of hpcc pass and fail, too
	}
	match := hplVerified.FindStringSubmatch(line)
	if match == nil {
		return result.Bad("the residual line %s is garbled", result.Quote(line))
	}
	if len(r.runs) == 0 {
		return result.Bad("a residual stands before any result line: the beginning of the report is missing")
	}
	run := &r.runs[len(r.runs)-1]
	run.verified = true
	if match[2] == "FAILED" { // it may be nan
		run.failed = true
		r.wrong = cmp.Or(r.wrong, fmt.Sprintf("scaled residual %s for N %d: FAILED", result.Truncate(match[1], 40), run.n))
		return nil
	}
	value, err := logs.Number(match[1])
	if err != nil || value < 0 {
		return result.Bad("a residual of %s cannot have PASSED", result.Quote(match[1]))
	}
	r.residual = max(r.residual, value)
	return nil
}

// hplAll are the words of HPL before its counts. Those of hpcc's PTRANS are others, but its counts are like HPL's.
const (
	hplAll     = "with the following results:"
	hplSkipped = "skipped because"
)

func (r *hplReport) readCount(match []string) error {
	_, begun := r.counts[hplAll]
	count, err := strconv.ParseInt(match[1], 10, 64)
	switch {
	case begun && match[2] == hplAll:
		return result.Bad("there are two reports: print only the newest (hpcc appends to its output file)")
	case match[2] != hplAll && (!begun || r.ended > 0):
		return nil
	case err != nil:
		return result.Bad("the number of tests in %s is out of range", result.Quote(match[0]))
	}
	r.counts[match[2]] = count
	return nil
}
