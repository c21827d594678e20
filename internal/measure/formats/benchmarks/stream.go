package benchmarks

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// streamKernels are STREAM's four kernels in the order it prints them.
var streamKernels = []string{"Copy", "Scale", "Add", "Triad"}

// streamReport is what was read of STREAM's output so far. Rates are in GB/s.
type streamReport struct {
	tables  int
	table   map[string]float64 // the current one
	perUnit float64            // GB/s per unit of it
	// summary and sections are the two places where hpcc prints its figures.
	summary, sections map[string]float64
	inHPCC, hpccEnd   bool
	section           string // of hpcc, in which the line stands
	// validated counts the verdicts "Solution Validates", failures holds what failed.
	validated  int
	failures   []string
	parameters map[string]any
	version    string
	samples    int32
}

var (
	streamVersion   = regexp.MustCompile(`^STREAM version \$Revision: ([0-9.]+)`)
	streamHeader    = regexp.MustCompile(`^Function\s+(?:Best )?Rate\s*\(?(MB/s|GB/s)\)?\s+Avg time\s+Min time\s+Max time$`)
	streamRow       = regexp.MustCompile(`^(Copy|Scale|Add|Triad):`)
	streamSummary   = regexp.MustCompile(`^(Star|Single)STREAM_(Copy|Scale|Add|Triad)=(.*)$`)
	streamSection   = regexp.MustCompile(`^(Average|Single STREAM) (Copy|Scale|Add|Triad) GB/s (.*)$`)
	streamSize      = regexp.MustCompile(`^Array size = ([0-9]{1,15})\b`)
	streamThreads   = regexp.MustCompile(`^Number of Threads counted = ([0-9]{1,6})$`)
	streamRepeats   = regexp.MustCompile(`^Each (?:kernel will be executed|test is run) ([0-9]{1,6}) times`)
	streamNodeError = regexp.MustCompile(`^Node\(s\) with error ([0-9]+)$`)
	hpccSection     = regexp.MustCompile(`^(Begin|End) of (\w+) section\.$`)
)

// STREAM reads the table of McCalpin's STREAM (one of it, best rate of each kernel), or the STREAM figures of hpcc,
// whole or its two sections: one process alone (single...), and all at once (star..., the mean of one process, so that the
// node moves as much as that times the processes). A report counts only with its validation.
func STREAM(lines []string) (result.Document, error) {
	report := streamReport{summary: map[string]float64{}, sections: map[string]float64{}, parameters: map[string]any{}}
	for _, line := range lines {
		if err := report.read(line); err != nil {
			return result.Document{}, err
		}
	}
	return report.document()
}

func (r *streamReport) read(line string) error {
	switch {
	case strings.Contains(line, "HPC Challenge Benchmark"):
		r.inHPCC = true
	case line == "End of HPC Challenge tests.":
		r.hpccEnd = true
	case strings.HasPrefix(line, "Function") && strings.Contains(line, "Rate"):
		return r.readHeader(line)
	case streamRow.MatchString(line):
		return r.readRow(line)
	case streamSummary.MatchString(line):
		match := streamSummary.FindStringSubmatch(line)
		return readFigure(r.summary, strings.ToLower(match[1])+match[2], match[3])
	case strings.HasSuffix(r.section, "STREAM") && streamSection.MatchString(line):
		match := streamSection.FindStringSubmatch(line)
		return readFigure(r.sections, strings.ToLower(strings.TrimSuffix(r.section, "STREAM"))+match[2], match[3])
	case strings.HasPrefix(line, "Solution Validates"):
		r.validated++
	case strings.HasPrefix(line, "Failed Validation"):
		r.failures = append(r.failures, line)
	case strings.Contains(line, "Solution Validates") || strings.Contains(line, "Failed Validation"):
		return result.Bad("the validation line %s is garbled: something else was printed into it", result.Quote(line))
	default:
		r.readSetting(line)
	}
	return nil
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
	if r.section != "" {
		r.table = map[string]float64{} // hpcc's, of one process; its figures stand elsewhere
		return nil
	}
	r.tables++
	r.table = map[string]float64{}
	return nil
}

func (r *streamReport) readRow(line string) error {
	fields := strings.Fields(line)
	kernel := strings.TrimSuffix(fields[0], ":")
	if r.table == nil {
		return result.Bad("the row of %s stands before the table's head: the beginning is missing", kernel)
	}
	if len(fields) != 5 {
		return result.Bad("the row %s has %d columns, expected 5", result.Quote(line), len(fields))
	}
	if _, known := r.table[kernel]; known {
		return result.Bad("%s appears twice in one table", kernel)
	}
	rate, err := logs.Positive(fields[1])
	if err != nil {
		return fmt.Errorf("reading the rate of %s: %w", kernel, err)
	}
	for _, field := range fields[2:] {
		if value, err := logs.Number(field); err != nil || value < 0 {
			return result.Bad("a time of %s is %s, which is not a time", kernel, result.Quote(field))
		}
	}
	r.table[kernel] = rate * r.perUnit
	return nil
}

// readFigure reads one figure of hpcc.
func readFigure(figures map[string]float64, name, text string) error {
	if _, known := figures[name]; known {
		return result.Bad("%s appears twice: print only the newest report (hpcc appends to its output file)", name)
	}
	rate, err := logs.Positive(text)
	if err != nil {
		return fmt.Errorf("reading %s of hpcc: %w", name, err)
	}
	figures[name] = rate
	return nil
}

// readSetting reads what concerns the conditions of the run.
func (r *streamReport) readSetting(line string) {
	if match := hpccSection.FindStringSubmatch(line); match != nil {
		r.section = ""
		if match[1] == "Begin" {
			r.section = match[2]
		}
	} else if match := streamNodeError.FindStringSubmatch(line); match != nil && strings.HasSuffix(r.section, "STREAM") {
		if match[1] == "0" {
			r.validated++
		} else {
			r.failures = append(r.failures, fmt.Sprintf("%s: %s processes with wrong data", r.section, result.Truncate(match[1], 20)))
		}
	} else if match := streamVersion.FindStringSubmatch(line); match != nil {
		r.version = match[1]
	} else if match := streamSize.FindStringSubmatch(line); match != nil {
		r.setting("arrayElements", match[1])
	} else if match := streamThreads.FindStringSubmatch(line); match != nil {
		r.setting("threads", match[1])
	} else if match := streamRepeats.FindStringSubmatch(line); match != nil {
		if repeats, err := strconv.Atoi(match[1]); err == nil && repeats > 1 {
			r.samples = int32(repeats - 1) // the first is not counted
		}
	}
}

func (r *streamReport) setting(name, digits string) {
	if value, err := strconv.ParseFloat(digits, 64); err == nil {
		r.parameters[name] = result.Number(value)
	}
}

func (r *streamReport) document() (result.Document, error) {
	if r.inHPCC && !r.hpccEnd {
		return result.Document{}, result.Bad("the end of hpcc's output is missing: hpcc was interrupted or its output cut off")
	}
	d := result.Document{Schema: result.Schema, Benchmark: "stream", Version: r.version, Parameters: r.parameters}
	var err error
	switch {
	case len(r.summary) > 0:
		d.Measurements, err = r.fromHPCC(r.summary)
	case len(r.sections) > 0:
		d.Measurements, err = r.fromHPCC(r.sections)
	default:
		d.Measurements, err = r.fromTable()
	}
	if err != nil {
		return result.Document{}, err
	}
	if r.validated == 0 && len(r.failures) == 0 {
		return result.Document{}, result.Bad("no validation (\"Solution Validates\" or \"Failed Validation\") in it: the output is cut off")
	}
	d.Checks = []result.Check{{Name: "dataIntegrity", OK: len(r.failures) == 0, Message: strings.Join(r.failures, "; ")}}
	return d, nil
}

func (r *streamReport) fromTable() ([]result.Measurement, error) {
	switch r.tables {
	case 0:
		return nil, result.Bad("no table of STREAM in it: it did not finish, or this is another program's output")
	case 1:
	default:
		return nil, result.Bad("%d tables of STREAM: print one per run", r.tables)
	}
	var measurements []result.Measurement
	for _, kernel := range streamKernels {
		rate, ok := r.table[kernel]
		if !ok {
			return nil, result.Bad("the table has no row %s: the output is cut off", kernel)
		}
		measurements = append(measurements, bandwidth(strings.ToLower(kernel), rate, r.samples))
	}
	return measurements, nil
}

func (r *streamReport) fromHPCC(figures map[string]float64) ([]result.Measurement, error) {
	var measurements []result.Measurement
	for _, mode := range []string{"single", "star"} {
		for _, kernel := range streamKernels {
			rate, ok := figures[mode+kernel]
			if !ok {
				return nil, result.Bad("hpcc's output has no %s: the output is cut off", mode+kernel)
			}
			measurements = append(measurements, bandwidth(mode+kernel, rate, r.samples))
		}
	}
	return measurements, nil
}

func bandwidth(name string, gigabytesPerSecond float64, samples int32) result.Measurement {
	return result.Measurement{
		Name: name, Unit: "GB/s", Better: result.BetterHigher,
		Parts: []result.Part{{At: result.NodePart, Value: gigabytesPerSecond, Samples: samples}},
	}
}
