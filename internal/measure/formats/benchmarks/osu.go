package benchmarks

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// osuTest is one program of the OSU micro-benchmarks: what its table's columns are called here.
type osuTest struct {
	title   string   // in the output's head
	headers []string // of the value columns that count, without spaces; any of them may stand second
	metrics []osuMetric
}

// osuMetric is one column. With several columns of figures, they stand in the order of the metrics.
type osuMetric struct {
	name, unit string
	better     result.Better
	scale      float64
	small      bool // the figure of short messages is the headline, else of the longest
}

// OSU's MB is 1e6 bytes.
var osuTests = []osuTest{
	{"Latency", []string{"Latency(us)", "AvgLatency(us)"}, []osuMetric{{"latency", "us", result.BetterLower, 1, true}}},
	{"Bandwidth", []string{"Bandwidth(MB/s)"}, []osuMetric{{"bandwidth", "GB/s", result.BetterHigher, 1e-3, false}}},
	{"Bi-Directional Bandwidth", []string{"Bandwidth(MB/s)"}, []osuMetric{{"bidirectionalBandwidth", "GB/s", result.BetterHigher, 1e-3, false}}},
	{"Multiple Bandwidth / Message Rate", []string{"MB/s"}, []osuMetric{
		{"multiPairBandwidth", "GB/s", result.BetterHigher, 1e-3, false}, {"messageRate", "messages/s", result.BetterHigher, 1, true},
	}},
	{"Allreduce Latency", []string{"AvgLatency(us)", "Latency(us)"}, []osuMetric{{"allreduceLatency", "us", result.BetterLower, 1, true}}},
	{"All-to-All Personalized Exchange Latency", []string{"AvgLatency(us)", "Latency(us)"}, []osuMetric{{"alltoallLatency", "us", result.BetterLower, 1, true}}},
	{"Barrier Latency", []string{"AvgLatency(us)", "Latency(us)"}, []osuMetric{{"barrierLatency", "us", result.BetterLower, 1, true}}},
}

// osuTable is the output of one program.
type osuTable struct {
	test     osuTest
	columns  int // 0 until the head of the table was read
	hasSizes bool
	verified bool // it has a column that says whether the data was right
	rows     sweep
}

// osuReport is what was read so far.
type osuReport struct {
	logs.Log

	tables   []*osuTable
	verified bool
	failures []string
}

var (
	osuHead    = regexp.MustCompile(`^#\s+(Size\s|Avg Latency|Latency)`)
	osuGap     = regexp.MustCompile(`\s{2,}`)
	osuFigure  = regexp.MustCompile(`^[0-9]{1,15}\.[0-9]{2}$`)
	osuSize    = regexp.MustCompile(`^[0-9]{1,15}$`)
	osuRowLike = regexp.MustCompile(`[0-9]+\s+[0-9]+\.[0-9]`)
)

// OSU reads the tables of osu_latency, osu_bw, osu_bibw, osu_mbw_mr, osu_allreduce, osu_alltoall and osu_barrier, one of
// each at most. OSU marks no end: that a program stopped early shows in its exit code, and a table cut in the middle of a line
// in the line. Lines lost between show because sizes double.
func OSU(lines []string) (result.Document, error) {
	var report osuReport
	return report.Read("osu", logs.Trimmed(lines), logs.Kinds{
		{Pattern: `^# OSU MPI(?:-([A-Z]+))? (.+) Test(?: \(?[vV](?:ersion )?([0-9][0-9A-Za-z.]*)\)?)?$`, Read: report.readTitle},
		{Pattern: `^# \[ pairs: ([0-9]{1,9}) \] \[ window size: ([0-9]{1,9}) \]$`, Note: report.Setting("pairs", "window")},
		{Pattern: `^# Datatype: (MPI_[A-Z_0-9]{1,40})\.$`, Note: report.Words("datatype")},
		{Read: logs.Line(report.readTable)},
	}, report.document)
}

func (r *osuReport) readTable(line string) error {
	if len(r.tables) == 0 {
		return nil // what the launcher said before
	}
	table := r.tables[len(r.tables)-1]
	first, _, _ := strings.Cut(line, " ")
	switch {
	case osuHead.MatchString(line):
		return table.readHead(line)
	case strings.HasPrefix(line, "#"):
	case table.columns > 0 && (osuSize.MatchString(first) || osuFigure.MatchString(first)):
		return r.readRow(table, line)
	case osuRowLike.MatchString(line):
		return result.Bad("the row %s is garbled, or stands before its table's head", result.Quote(line))
	}
	return nil
}

func (r *osuReport) readTitle(match []string) error {
	memory, title := match[1], match[2]
	if slices.ContainsFunc(r.tables, func(t *osuTable) bool { return t.test.title == title }) {
		return result.Bad("two outputs of the test %s: print one of each", result.Quote(title))
	}
	i := slices.IndexFunc(osuTests, func(test osuTest) bool { return test.title == title })
	if i < 0 {
		return result.Bad("the OSU test %s is not supported: only latency, bw, bibw, mbw_mr, allreduce, alltoall and barrier are", result.Quote(title))
	}
	if memory != "" {
		r.AddParameter("buffers", strings.ToLower(memory))
	}
	r.Version = match[3]
	r.tables = append(r.tables, &osuTable{test: osuTests[i]})
	return nil
}

func (t *osuTable) readHead(line string) error {
	if t.columns > 0 {
		return result.Bad("the test %s has two heads of a table: the output of several processes is mixed", result.Quote(t.test.title))
	}
	columns := osuGap.Split(strings.TrimSpace(strings.TrimPrefix(line, "#")), -1)
	t.hasSizes = columns[0] == "Size"
	first := 0
	if t.hasSizes {
		first = 1
	}
	if len(columns) < first+len(t.test.metrics) {
		return result.Bad("the table's head %s has too few columns", result.Quote(line))
	}
	known := slices.Contains(t.test.headers, strings.ReplaceAll(columns[first], " ", ""))
	if !known || t.hasSizes == (t.test.title == "Barrier Latency") || (len(t.test.metrics) == 2 && columns[2] != "Messages/s") {
		return result.Bad("the table's head %s is not that of the OSU test %s", result.Quote(line), result.Quote(t.test.title))
	}
	t.columns = len(columns)
	t.verified = columns[len(columns)-1] == "Validation"
	return nil
}

func (r *osuReport) readRow(t *osuTable, line string) error {
	fields := strings.Fields(line)
	if len(fields) != t.columns {
		return result.Bad("the row %s has %d columns, its head %d: it is cut off or garbled", result.Quote(line), len(fields), t.columns)
	}
	var row sweepRow
	if t.hasSizes {
		if !osuSize.MatchString(fields[0]) {
			return result.Bad("the row %s begins with %s, which is not a size", result.Quote(line), result.Quote(fields[0]))
		}
		row.size, _ = strconv.ParseInt(fields[0], 10, 64) // 15 digits fit
		fields = fields[1:]
	}
	for _, field := range fields[:len(t.test.metrics)] {
		if !osuFigure.MatchString(field) { // OSU prints two decimals: fewer were cut off
			return result.Bad("the row %s has %s where a figure with two decimals is expected", result.Quote(line), result.Quote(field))
		}
		value, _ := strconv.ParseFloat(field, 64) // of a number it is
		row.values = append(row.values, value)
	}
	if t.verified {
		r.verified = true
		switch verdict := fields[len(fields)-1]; verdict {
		case "Pass":
		case "Fail":
			r.failures = append(r.failures, fmt.Sprintf("%s of %d bytes", t.test.title, row.size))
		default:
			return result.Bad("the validation of the row of %d bytes is %s, expected Pass or Fail", row.size, result.Quote(verdict))
		}
	}
	return t.rows.add(row)
}

func (r *osuReport) document() error {
	if len(r.tables) == 0 {
		return result.Bad("no output of an OSU test (\"# OSU MPI ... Test\") in it: it did not start, or this is another program's output")
	}
	for _, table := range r.tables {
		if len(table.rows) == 0 {
			return result.Bad("the OSU test %s has no row: the output is cut off", result.Quote(table.test.title))
		}
		if err := table.addTo(&r.Document); err != nil {
			return err
		}
	}
	if r.verified {
		r.AddCheck("dataIntegrity", strings.Join(r.failures, "; "))
	}
	return nil
}

// addTo leaves out sizes whose figure two decimals show as 0.
func (t *osuTable) addTo(d *result.Document) error {
	for i, m := range t.test.metrics {
		headline := t.rows.headline(m.small).values[i]
		if headline <= 0 {
			return result.Bad("%s is 0 in OSU's two decimals, which is no measurement", m.name)
		}
		d.AddPart(m.name, m.unit, m.better, result.Part{At: result.GroupPart, Value: headline * m.scale, Samples: 1})
		for _, row := range t.rows {
			if t.hasSizes && row.values[i] > 0 {
				d.AddPart(m.name+"BySize", m.unit, m.better, result.Part{At: fmt.Sprintf("%d B", row.size), Value: row.values[i] * m.scale, Samples: 1})
			}
		}
	}
	return nil
}
