// Package benchmarks reads the output of benchmarks that others wrote: HPL,
// STREAM, the NCCL tests, nvbandwidth, perftest, OSU, fio and their like.
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
	logs.Log

	before   bool // any run
	runs     []*babelRun
	run      *babelRun // the last of them
	failures []string
}

var (
	babelKernels = []string{"Copy", "Mul", "Add", "Triad", "Dot"}

	babelRate = regexp.MustCompile(`^[0-9]{1,12}\.[0-9]{3}$`)
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
	r := babelReport{before: true}
	return r.Read("babelstream", logs.Trimmed(lines), logs.Kinds{
		{Begins: "Validation failed on ", Note: func(match []string) { r.failures = append(r.failures, match[0]) }},
		{Pattern: `^BabelStream$`, Note: r.begin},
		{Pattern: `^Using (?:\S+ )?(?:GPU )?device:? (\S.*)$`, Read: r.readDevice},
		{Pattern: `^function(.)num_times.n_elements.sizeof.(max_mbytes_per_sec|max_mibytes_per_sec|gbytes_per_sec|gibytes_per_sec)((?:.min_runtime.max_runtime.avg_runtime)|(?:.runtime))$`,
			Read: func(match []string) error {
				return r.current().begin(match[1], match[2], match[3] == match[1]+"runtime")
			}},
		{If: &r.before, Pattern: `^(Function\s+Mi?Bytes/sec\s+Min \(sec\)\s+Max\s+Average|(?:Copy|Mul|Add|Triad|Dot|Nstream)[^A-Za-z0-9:].*)$`,
			Read: logs.Refuse("the line %s stands before the head of BabelStream: the beginning is missing")},
		{If: &r.before},
		{Pattern: `^Function\s+(MBytes/sec|MiBytes/sec)\s+Min \(sec\)\s+Max\s+Average$`,
			Read: func(match []string) error { return r.run.begin("", match[1], false) }},
		{Pattern: `^(Copy|Mul|Add|Triad|Dot|Nstream)[^A-Za-z0-9\s:]`, Read: logs.Line(r.readCSVRow)},
		{Pattern: `^(Copy|Mul|Add|Triad|Dot|Nstream)\s`, Read: logs.Line(r.readRow)},
		{Pattern: `^Bandwidth \((GB/s|GiB/s)\):\s+(\S+)$`, Read: func(match []string) error {
			return cmp.Or(r.run.begin("", match[1], true), r.add("Triad", match[2], nil))
		}},
		{Pattern: `^([Ff]unction.*)`, Read: logs.Refuse("the table's head %s is not BabelStream's")},
		{Pattern: `^Precision: float$`, Note: func([]string) { r.run.fp32 = true }},
		{Pattern: `^Version: ([0-9][0-9A-Za-z.-]*)$`, Note: logs.Text(&r.Version)},
		{Pattern: `^Implementation: (\S.*)$`, Note: r.Words("implementation")},
		{Pattern: `^Running (kernels|triad|nstream) ([0-9]{1,8}) times$`, Note: r.readRepeats},
	}, r.document)
}

func (r *babelReport) begin([]string) {
	r.run, r.before = &babelRun{}, false
	r.runs = append(r.runs, r.run)
}

// current is the run that is being read. With --csv, the first line of a run is that of its device, or its head.
func (r *babelReport) current() *babelRun {
	if r.before || r.run.perUnit > 0 {
		r.begin(nil)
	}
	return r.run
}

func (r *babelReport) readDevice(match []string) error {
	run := r.current()
	if run.device != "" {
		return result.Bad("a run of BabelStream on %s has no table: it did not finish, or its output is cut off", result.Quote(run.device))
	}
	run.device = match[1]
	return nil
}

func (r *babelReport) readRepeats(match []string) {
	repeats, _ := strconv.ParseInt(match[2], 10, 32) // eight digits fit
	r.run.single, r.run.repeats = match[1] != "kernels", int32(repeats)
}

func (b *babelRun) begin(separator, unit string, single bool) error {
	if b.perUnit > 0 {
		return result.Bad("two tables of BabelStream in one run: the output of two runs is mixed")
	}
	b.csv, b.perUnit, b.rates = separator, babelUnits[unit], map[string]float64{}
	b.single = b.single || single
	return nil
}

func (r *babelReport) readRow(line string) error {
	fields := strings.Fields(line)
	switch {
	case r.run.perUnit == 0:
		return result.Bad("the row of %s stands before its table's head: the beginning is missing", fields[0])
	case len(fields) != 5:
		return result.Bad("the row of %s has %d columns, expected 5: it is cut off or garbled", fields[0], len(fields))
	}
	return r.add(fields[0], fields[1], fields[2:])
}

// readCSVRow reads function, repeats, elements, bytes of one, rate and times.
func (r *babelReport) readCSVRow(line string) error {
	b := r.run
	if b.csv == "" {
		return nil
	}
	fields := strings.Split(line, b.csv)
	if len(fields) != 8 && (len(fields) != 6 || !b.single) {
		return result.Bad("the row of %s has %d columns, expected 8: it is cut off or garbled", fields[0], len(fields))
	}
	repeats, err := strconv.ParseInt(fields[1], 10, 32)
	switch {
	case err != nil || repeats < 1:
		return result.Bad("the row of %s has %s repeats, which is not a number of them", fields[0], result.Quote(fields[1]))
	case fields[3] != "4" && fields[3] != "8":
		return result.Bad("the row of %s has elements of %s bytes, expected 4 or 8", fields[0], result.Quote(fields[3]))
	}
	b.repeats, b.fp32 = int32(repeats), b.fp32 || fields[3] == "4"
	return r.add(fields[0], fields[4], fields[5:])
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

func (r *babelReport) add(kernel, text string, times []string) error {
	b := r.run
	if err := checkTimes(kernel, times); err != nil {
		return err
	}
	switch {
	case b.rates[kernel] > 0:
		return result.Bad("%s appears twice in one table", kernel)
	case b.csv == "" && !babelRate.MatchString(text):
		return result.Bad("the rate of %s is %s, expected a number with three decimals: it is cut off or garbled", kernel, result.Quote(text))
	}
	b.rates[kernel] = r.Figure(logs.Positive, text, "reading the rate of %s: %w", kernel) * b.perUnit
	return nil
}

func (r *babelReport) document() error {
	if len(r.runs) == 0 {
		return result.Bad("no output of BabelStream in it: it did not start, or this is another program's output")
	}
	if len(r.failures) > 0 {
		r.AddCheck("dataIntegrity", strings.Join(r.failures, "; "))
	}
	for i, run := range r.runs {
		if err := run.complete(); err != nil {
			return err
		}
		if (run.device == "") != (r.runs[0].device == "") || (run.device == "" && i > 0) {
			return result.Bad("%d runs of BabelStream, and not all on a device: print one run on the processors, or one for each GPU", len(r.runs))
		}
	}
	for i, run := range r.runs {
		at := result.NodePart
		if run.device != "" {
			at = fmt.Sprintf("gpu%d", i)
		}
		for _, kernel := range append([]string{"Nstream"}, babelKernels...) {
			if rate := run.rates[kernel]; rate > 0 {
				r.AddPart(run.name(kernel), "GB/s", result.BetterHigher, result.Part{At: at, Value: rate, Samples: max(run.repeats-1, 0)})
			}
		}
	}
	return nil
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
