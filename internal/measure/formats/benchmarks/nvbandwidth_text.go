package benchmarks

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// nvbText reads nvbandwidth's text, line by line.
type nvbText struct {
	nvbReport
	test   string     // that runs
	tables int        // of it that are complete
	table  *nvbMatrix // that is being read
	width  int        // its columns; 0 until its head was read
	over   bool       // the test was waived, or found wrong data
}

var (
	nvbDescription = regexp.MustCompile(`GPU\(column\).*\((GB/s|ns)\)$`)
	nvbHead        = regexp.MustCompile(`^[0-9]{1,4}(\s+[0-9]{1,4})*$`)
	nvbRow         = regexp.MustCompile(`^[0-9]{1,4}(\s+([0-9]{1,9}\.[0-9]{2}|N/A))+$`)
	nvbSum         = regexp.MustCompile(`^SUM (\S+) ([0-9]{1,12}\.[0-9]{2})$`)
	nvbRowLike     = regexp.MustCompile(`([0-9]+\.[0-9]+|N/A)\s+([0-9]+\.[0-9]+|N/A)`)
)

const (
	nvbWrongPattern = "Invalid value when checking the pattern"
	nvbFailed       = `^((?:(?i:error)\b|ASSERT in expression|\[CUDA_ERROR_).*)`
)

func readNVBText(lines []string) (result.Document, error) {
	var t nvbText
	return t.Read("nvbandwidth", lines, logs.Kinds{
		{Pattern: `^Running (\S+)\.$`, Read: t.begin},
		{Pattern: nvbWrongPattern, Note: t.wrongData},
		{Pattern: `^Waived[.:]`, Note: func([]string) { t.waived, t.over = t.waived+1, true }},
		{If: &t.over, Pattern: nvbFailed}, // of wrong data, the error says no more
		{Pattern: nvbFailed, Read: logs.Refuse("nvbandwidth reports an error: %s")},
		{Pattern: `^nvbandwidth Version: (\S+)$`, Note: logs.Text(&t.Version)},
		{Read: logs.Line(t.readTable)},
	}, t.finish, t.document)
}

func (t *nvbText) begin(match []string) error {
	test := match[1]
	if err := t.finish(); err != nil {
		return err
	}
	if !nvbKey.MatchString(test) {
		return result.Bad("the test's name %s is garbled", result.Quote(test))
	}
	t.test, t.tables, t.over = test, 0, false
	return nil
}

// wrongData ends a test: nvbandwidth stops at the first wrong value.
func (t *nvbText) wrongData([]string) {
	test := cmp.Or(t.test, "nvbandwidth")
	if !slices.Contains(t.wrong, test) {
		t.wrong = append(t.wrong, test)
	}
	t.table, t.over = nil, true
}

// finish requires that what the test began is complete.
func (t *nvbText) finish() error {
	if t.table != nil || (t.test != "" && t.tables == 0 && !t.over) {
		return result.Bad("the test %s has no SUM: the output is cut off", result.Quote(t.test))
	}
	return nil
}

func (t *nvbText) readTable(line string) error {
	switch {
	case nvbDescription.MatchString(line):
		if t.table != nil || t.test == "" {
			return result.Bad("the table %s does not follow the name of its test: the output is cut off, or that of two runs is mixed", result.Quote(line))
		}
		t.table, t.width = &nvbMatrix{description: line}, 0
		return nil
	case nvbSum.MatchString(line):
		return t.readSum(nvbSum.FindStringSubmatch(line))
	case t.table == nil:
		if t.test != "" && nvbRowLike.MatchString(line) {
			return result.Bad("the row %s stands in no table: it is garbled, or the output is cut off", result.Quote(line))
		}
		return nil
	case t.width == 0 && nvbHead.MatchString(line):
		return t.readHead(strings.Fields(line))
	case t.width > 0 && nvbRow.MatchString(line):
		return t.readRow(strings.Fields(line))
	}
	return result.Bad("in the table of %s stands %s: expected a row of numbers with two decimals, or N/A", result.Quote(t.test), result.Quote(line))
}

func (t *nvbText) readHead(columns []string) error {
	for i, column := range columns {
		if column != strconv.Itoa(i) {
			return result.Bad("the table of %s has a column %s where %d is expected", result.Quote(t.test), result.Quote(column), i)
		}
	}
	t.width = len(columns)
	return nil
}

func (t *nvbText) readRow(fields []string) error {
	if len(fields) != t.width+1 || fields[0] != strconv.Itoa(len(t.table.values)) {
		return result.Bad("in the table of %s, row %s has %d values, expected row %d with %d: lines are missing or garbled",
			result.Quote(t.test), result.Quote(fields[0]), len(fields)-1, len(t.table.values), t.width)
	}
	t.table.values = append(t.table.values, t.row(fields[1:]))
	return nil
}

func (t *nvbText) readSum(match []string) error {
	key := match[1]
	if t.table == nil || len(t.table.values) == 0 {
		return result.Bad("the sum of %s has no table before it", result.Quote(key))
	}
	if !nvbKey.MatchString(key) || (key != t.test && !strings.HasPrefix(key, t.test+"_")) {
		return result.Bad("the sum of %s ends the table of %s: the output of two runs is mixed", result.Quote(key), result.Quote(t.test))
	}
	t.table.key = key
	t.table.sum, _ = strconv.ParseFloat(match[2], 64) // of a number it is
	t.matrices = append(t.matrices, *t.table)
	t.tables++
	t.table = nil
	return nil
}

// row of numbers; NaN where nothing could be measured.
func (r *nvbReport) row(cells []string) []float64 {
	return list.Map(cells, func(cell string) float64 {
		if cell == "N/A" {
			return math.NaN()
		}
		return r.Figure(notNegative, cell, "reading a value of nvbandwidth: %w")
	})
}
