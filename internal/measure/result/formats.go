package result

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// reader of one output format: what a program printed becomes a document.
type reader struct {
	format v1alpha1.OutputFormat
	read   func(output []byte, patterns []v1alpha1.OutputPattern, metrics []v1alpha1.Metric) (Document, error)
}

// readers has one row for each output format of the API.
var readers = []reader{
	{v1alpha1.FormatAssay, func(output []byte, _ []v1alpha1.OutputPattern, _ []v1alpha1.Metric) (Document, error) {
		return parseAssay(output)
	}},
	{v1alpha1.FormatHPL, byLine(parseHPL)},
	{v1alpha1.FormatSTREAM, byLine(parseSTREAM)},
	{v1alpha1.FormatOSU, byLine(parseOSU)},
	{v1alpha1.FormatNVBandwidth, func(output []byte, _ []v1alpha1.OutputPattern, _ []v1alpha1.Metric) (Document, error) {
		return parseNVBandwidth(output)
	}},
	{v1alpha1.FormatNCCLTests, byLine(parseNCCLTests)},
	{v1alpha1.FormatBabelStream, byLine(parseBabelStream)},
	{v1alpha1.FormatGPUBurn, byLine(parseGPUBurn)},
	{v1alpha1.FormatGROMACS, byLine(parseGROMACS)},
	{v1alpha1.FormatNPB, byLine(parseNPB)},
	{v1alpha1.FormatLAMMPS, byLine(parseLAMMPS)},
	{v1alpha1.FormatHPCC, byLine(parseHPCC)},
	{v1alpha1.FormatNAMD, byLine(parseNAMD)},
	{v1alpha1.FormatPerfTest, byLine(parsePerfTest)},
	{v1alpha1.FormatWRF, byLine(parseWRF)},
	{v1alpha1.FormatFluent, byLine(parseFluent)},
	{v1alpha1.FormatFIO, func(output []byte, _ []v1alpha1.OutputPattern, _ []v1alpha1.Metric) (Document, error) {
		return parseFIO(output)
	}},
	{v1alpha1.FormatRegex, func(output []byte, patterns []v1alpha1.OutputPattern, metrics []v1alpha1.Metric) (Document, error) {
		return parseRegex(patterns, metrics, strings.Join(textLines(output), "\n"))
	}},
}

// Formats are the output formats that Parse reads.
func Formats() []v1alpha1.OutputFormat {
	formats := make([]v1alpha1.OutputFormat, len(readers))
	for i, r := range readers {
		formats[i] = r.format
	}
	return formats
}

func readerOf(format v1alpha1.OutputFormat) (reader, bool) {
	i := slices.IndexFunc(readers, func(r reader) bool { return r.format == format })
	if i < 0 {
		return reader{}, false
	}
	return readers[i], true
}

// byLine is for the reports of third-party programs.
func byLine(parse func(lines []string) (Document, error)) func([]byte, []v1alpha1.OutputPattern, []v1alpha1.Metric) (Document, error) {
	return func(output []byte, _ []v1alpha1.OutputPattern, _ []v1alpha1.Metric) (Document, error) {
		return parse(textLines(output))
	}
}
