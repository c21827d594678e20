// Package benchmarks reads the output of benchmarks that others wrote: HPL,
// STREAM, the NCCL tests, nvbandwidth, perftest, OSU, fio and their like.
package benchmarks

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// babelRun is one run of BabelStream, on one device.
type babelRun struct {
	device  string             // that it said it uses; empty for the processors
	perUnit float64            // GB/s per unit of its table; 0 until the head was read
	csv     string             // separates the columns; empty in a table
	rates   map[string]float64 // GB/s, by function
	single  bool               // --triad-only prints one rate, --nstream-only one row
	fp32    bool
	repeats int32 // of which the first does not count
}

type babelReport struct {
	version, implementation string
	runs                    []*babelRun
	failures                []string
}

var (
	babelKernels = []string{"Copy", "Mul", "Add", "Triad", "Dot"}

	babelVersion        = regexp.MustCompile(`^Version: ([0-9][0-9A-Za-z.-]*)$`)
	babelImplementation = regexp.MustCompile(`^Implementation: (\S.*)$`)
	babelDevice         = regexp.MustCompile(`^Using (?:\S+ )?(?:GPU )?device:? (\S.*)$`)
	babelRepeats        = regexp.MustCompile(`^Running (kernels|triad|nstream) ([0-9]{1,8}) times$`)
	babelHead           = regexp.MustCompile(`^Function\s+(MBytes/sec|MiBytes/sec)\s+Min \(sec\)\s+Max\s+Average$`)
	babelRow            = regexp.MustCompile(`^(Copy|Mul|Add|Triad|Dot|Nstream)\s`)
	babelCSVHead        = regexp.MustCompile(`^function(.)num_times.n_elements.sizeof.(max_mbytes_per_sec|max_mibytes_per_sec|gbytes_per_sec|gibytes_per_sec)((?:.min_runtime.max_runtime.avg_runtime)|(?:.runtime))$`)
	babelCSVRow         = regexp.MustCompile(`^(Copy|Mul|Add|Triad|Dot|Nstream)[^A-Za-z0-9\s:]`)
	babelRate           = regexp.MustCompile(`^[0-9]{1,12}\.[0-9]{3}$`)
	babelSingle         = regexp.MustCompile(`^Bandwidth \((GB/s|GiB/s)\):\s+(\S+)$`)
)

// babelUnits are GB/s per unit.
var babelUnits = map[string]float64{
	"MBytes/sec": 1e-3, "MiBytes/sec": (1 << 20) / 1e9, "GB/s": 1, "GiB/s": (1 << 30) / 1e9,
	"max_mbytes_per_sec": 1e-3, "max_mibytes_per_sec": (1 << 20) / 1e9, "gbytes_per_sec": 1, "gibytes_per_sec": (1 << 30) / 1e9,
}

// BabelStream reads BabelStream 3 to 5: its table or --csv, in MB or MiB. Several outputs, one after the other, are those of gpu0,
// gpu1 and so on; the processors' are those of the node. The rates are the best ones, which is BabelStream's convention. That data was
// wrong stands on stderr: 2>&1 brings it here.
func BabelStream(lines []string) (result.Document, error) {
	var report babelReport
	return logs.Each(lines, report.read, report.document)
}

func (r *babelReport) read(line string) error {
	if strings.HasPrefix(line, "Validation failed on ") {
		r.failures = append(r.failures, line)
		return nil
	}
	if line == "BabelStream" {
		r.runs = append(r.runs, &babelRun{})
		return nil
	}
	if match := babelDevice.FindStringSubmatch(line); match != nil {
		run := r.current()
		if run.device != "" {
			return result.Bad("a run of BabelStream on %s has no table: it did not finish, or its output is cut off", result.Quote(run.device))
		}
		run.device = match[1]
		return nil
	}
	if match := babelCSVHead.FindStringSubmatch(line); match != nil {
		return r.current().begin(match[1], match[2], match[3] == match[1]+"runtime")
	}
	if len(r.runs) == 0 {
		if babelHead.MatchString(line) || babelRow.MatchString(line) || babelCSVRow.MatchString(line) {
			return result.Bad("the line %s stands before the head of BabelStream: the beginning is missing", result.Quote(line))
		}
		return nil
	}
	return r.readRun(r.runs[len(r.runs)-1], line)
}

// current is the run that is being read. With --csv, the first line of a run is that of its device, or its head.
func (r *babelReport) current() *babelRun {
	if len(r.runs) == 0 || r.runs[len(r.runs)-1].perUnit > 0 {
		r.runs = append(r.runs, &babelRun{})
	}
	return r.runs[len(r.runs)-1]
}

func (r *babelReport) readRun(run *babelRun, line string) error {
	switch {
	case babelHead.MatchString(line):
		return run.begin("", babelHead.FindStringSubmatch(line)[1], false)
	case run.csv != "" && babelCSVRow.MatchString(line):
		return run.readCSVRow(strings.Split(line, run.csv))
	case babelRow.MatchString(line):
		return run.readRow(strings.Fields(line))
	case babelSingle.MatchString(line):
		match := babelSingle.FindStringSubmatch(line)
		if err := run.begin("", match[1], true); err != nil {
			return err
		}
		return run.add("Triad", match[2])
	case strings.HasPrefix(line, "Function") || strings.HasPrefix(line, "function"):
		return result.Bad("the table's head %s is not BabelStream's", result.Quote(line))
	case line == "Precision: float":
		run.fp32 = true
	case babelVersion.MatchString(line):
		r.version = babelVersion.FindStringSubmatch(line)[1]
	case babelImplementation.MatchString(line):
		r.implementation = babelImplementation.FindStringSubmatch(line)[1]
	case babelRepeats.MatchString(line):
		match := babelRepeats.FindStringSubmatch(line)
		run.single = match[1] != "kernels"
		if repeats, err := strconv.ParseInt(match[2], 10, 32); err == nil {
			run.repeats = int32(repeats)
		}
	}
	return nil
}

func (b *babelRun) begin(separator, unit string, single bool) error {
	if b.perUnit > 0 {
		return result.Bad("two tables of BabelStream in one run: the output of two runs is mixed")
	}
	b.csv, b.perUnit, b.rates = separator, babelUnits[unit], map[string]float64{}
	b.single = b.single || single
	return nil
}

func (b *babelRun) readRow(fields []string) error {
	if b.perUnit == 0 {
		return result.Bad("the row of %s stands before its table's head: the beginning is missing", fields[0])
	}
	if len(fields) != 5 {
		return result.Bad("the row of %s has %d columns, expected 5: it is cut off or garbled", fields[0], len(fields))
	}
	if err := checkTimes(fields[0], fields[2:]); err != nil {
		return err
	}
	return b.add(fields[0], fields[1])
}

// readCSVRow reads function, repeats, elements, bytes of one, rate and times.
func (b *babelRun) readCSVRow(fields []string) error {
	if len(fields) != 8 && (len(fields) != 6 || !b.single) {
		return result.Bad("the row of %s has %d columns, expected 8: it is cut off or garbled", fields[0], len(fields))
	}
	repeats, err := strconv.ParseInt(fields[1], 10, 32)
	if err != nil || repeats < 1 {
		return result.Bad("the row of %s has %s repeats, which is not a number of them", fields[0], result.Quote(fields[1]))
	}
	switch fields[3] {
	case "4":
		b.fp32 = true
	case "8":
	default:
		return result.Bad("the row of %s has elements of %s bytes, expected 4 or 8", fields[0], result.Quote(fields[3]))
	}
	b.repeats = int32(repeats)
	if err := checkTimes(fields[0], fields[5:]); err != nil {
		return err
	}
	return b.add(fields[0], fields[4])
}

// checkTimes of a kernel, as both STREAMs print them.
func checkTimes(kernel string, fields []string) error {
	for _, field := range fields {
		if value, err := logs.Number(field); err != nil || value < 0 {
			return result.Bad("a time of %s is %s, which is not a time", kernel, result.Quote(field))
		}
	}
	return nil
}

func (b *babelRun) add(kernel, text string) error {
	if _, known := b.rates[kernel]; known {
		return result.Bad("%s appears twice in one table", kernel)
	}
	if b.csv == "" && !babelRate.MatchString(text) {
		return result.Bad("the rate of %s is %s, expected a number with three decimals: it is cut off or garbled", kernel, result.Quote(text))
	}
	rate, err := logs.Positive(text)
	if err != nil {
		return fmt.Errorf("reading the rate of %s: %w", kernel, err)
	}
	b.rates[kernel] = rate * b.perUnit
	return nil
}

func (r *babelReport) document() (result.Document, error) {
	if len(r.runs) == 0 {
		return result.Document{}, result.Bad("no output of BabelStream in it: it did not start, or this is another program's output")
	}
	d := result.Document{Schema: result.Schema, Benchmark: "babelstream", Version: r.version, Parameters: map[string]any{}}
	if r.implementation != "" {
		d.Parameters["implementation"] = r.implementation
	}
	if len(r.failures) > 0 {
		d.Checks = []result.Check{{Name: "dataIntegrity", Message: strings.Join(r.failures, "; ")}}
	}
	for i, run := range r.runs {
		if err := run.complete(); err != nil {
			return result.Document{}, err
		}
		if (run.device == "") != (r.runs[0].device == "") || (run.device == "" && i > 0) {
			return result.Document{}, result.Bad("%d runs of BabelStream, and not all on a device: print one run on the processors, or one for each GPU", len(r.runs))
		}
	}
	for _, fp32 := range []bool{false, true} {
		for _, kernel := range append([]string{"Nstream"}, babelKernels...) {
			for i, run := range r.runs {
				if rate := run.rates[kernel]; rate > 0 && run.fp32 == fp32 {
					d.AddPart(run.name(kernel), "GB/s", result.BetterHigher, result.Part{At: run.at(i), Value: rate, Samples: max(run.repeats-1, 0)})
				}
			}
		}
	}
	return d, nil
}

// complete requires all five functions, unless BabelStream was told to run one of them.
func (b *babelRun) complete() error {
	if b.perUnit == 0 {
		return result.Bad("a run of BabelStream has no table: it did not finish, or its output is cut off")
	}
	if (b.single && len(b.rates) == 1) || (len(b.rates) == 1 && b.rates["Nstream"] > 0) {
		return nil
	}
	for _, kernel := range babelKernels {
		if b.rates[kernel] == 0 {
			return result.Bad("the table has no row %s: the output is cut off", kernel)
		}
	}
	return nil
}

// name is that of `gpustream` for a device, and of STREAM's functions for the processors.
func (b *babelRun) name(kernel string) string {
	suffix := ""
	if b.fp32 {
		suffix = "Fp32"
	}
	if b.device == "" {
		return strings.ToLower(kernel) + suffix
	}
	return "hbm" + kernel + suffix
}

func (b *babelRun) at(run int) string {
	if b.device == "" {
		return result.NodePart
	}
	return fmt.Sprintf("gpu%d", run)
}
