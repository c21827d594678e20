// Package formats turns what programs print into the document of package result: one file for each format of the programs of others. A log is read
// by package logs, as a table of the kinds of its lines.
package formats

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/formats/applications"
	"github.com/assay-dev/assay/internal/measure/formats/benchmarks"
	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// output of a program, and what its Benchmark says of it.
type output struct {
	text     []byte
	patterns []v1alpha1.OutputPattern
	metrics  []v1alpha1.Metric
}

// reader of one output format: what a program printed becomes a document.
type reader struct {
	format v1alpha1.OutputFormat
	read   func(output) (result.Document, error)
}

// readers has one row for each output format of the API.
var readers = []reader{
	{v1alpha1.FormatAssay, whole(result.Read)},
	{v1alpha1.FormatHPL, byLine(benchmarks.HPL)},
	{v1alpha1.FormatSTREAM, byLine(benchmarks.STREAM)},
	{v1alpha1.FormatOSU, byLine(benchmarks.OSU)},
	{v1alpha1.FormatNVBandwidth, whole(benchmarks.NVBandwidth)},
	{v1alpha1.FormatNCCLTests, byLine(benchmarks.NCCLTests)},
	{v1alpha1.FormatBabelStream, byLine(benchmarks.BabelStream)},
	{v1alpha1.FormatGPUBurn, byLine(benchmarks.GPUBurn)},
	{v1alpha1.FormatGROMACS, byLine(applications.GROMACS)},
	{v1alpha1.FormatNPB, byLine(benchmarks.NPB)},
	{v1alpha1.FormatLAMMPS, byLine(applications.LAMMPS)},
	{v1alpha1.FormatHPCC, byLine(benchmarks.HPCC)},
	{v1alpha1.FormatNAMD, byLine(applications.NAMD)},
	{v1alpha1.FormatPerfTest, byLine(benchmarks.PerfTest)},
	{v1alpha1.FormatWRF, byLine(applications.WRF)},
	{v1alpha1.FormatFluent, byLine(applications.Fluent)},
	{v1alpha1.FormatFIO, whole(benchmarks.FIO)},
	{v1alpha1.FormatRegex, readRegex},
}

// whole is for JSON.
func whole(read func(text []byte) (result.Document, error)) func(output) (result.Document, error) {
	return func(o output) (result.Document, error) { return read(o.text) }
}

// byLine is for logs.
func byLine(read func(lines []string) (result.Document, error)) func(output) (result.Document, error) {
	return func(o output) (result.Document, error) { return read(logs.Lines(o.text)) }
}

// Formats are the output formats that Parse reads.
func Formats() []v1alpha1.OutputFormat {
	return list.Map(readers, func(r reader) v1alpha1.OutputFormat { return r.format })
}

// Parse reads a program's output in the given format. patterns are for format Regex; metrics give their units there, and
// in every format a measurement whose unit differs from its metric's is refused, because comparing the two would be wrong.
// Errors wrap one of those of package result; nothing is returned beside an error.
func Parse(format v1alpha1.OutputFormat, patterns []v1alpha1.OutputPattern, metrics []v1alpha1.Metric, text []byte) (result.Document, error) {
	if len(text) > result.MaxOutput {
		return result.Document{}, fmt.Errorf("reading the output: %w: %d bytes, at most %d are read", result.ErrTooLarge, len(text), result.MaxOutput)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return result.Document{}, fmt.Errorf("reading the output: %w: the program printed nothing on stdout", result.ErrNoOutput)
	}
	i := slices.IndexFunc(readers, func(r reader) bool { return r.format == format })
	if i < 0 {
		return result.Document{}, fmt.Errorf("%w: format %s is unknown, expected one of %v", result.ErrBadRequest, result.Quote(string(format)), Formats())
	}
	d, err := readers[i].read(output{text, patterns, metrics})
	if err == nil {
		err = d.Accept(metrics)
	}
	if err != nil {
		return result.Document{}, fmt.Errorf("reading the output as %s: %w", format, err)
	}
	return d, nil
}

// ParseStatement reads the document by which one of our own programs says why there is no report of the program that it starts. It stands
// alone on stdout: a report that contains such a line is not one. It measures nothing and blames nobody, whatever the format of the report
// would have been: it says that the program cannot run here, or names failed checks that are about the measurement.
func ParseStatement(output []byte) (result.Document, bool) {
	d, err := Parse(v1alpha1.FormatAssay, nil, nil, output)
	if err != nil || len(d.Measurements) > 0 || len(d.Facts) > 0 {
		return result.Document{}, false
	}
	blames := func(c result.Check) bool { return c.OK || v1alpha1.IsDataCheck(c.Name) }
	if slices.ContainsFunc(d.Checks, blames) {
		return result.Document{}, false
	}
	return d, true
}
