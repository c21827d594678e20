package benchmarks

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// ncclNames are the operations whose names differ from ours by more than underscores.
var ncclNames = map[string]string{"alltoall": "allToAll", "sendrecv": "sendRecv"}

// ncclLatencyBytes is the longest message of which the time counts; of longer ones the bandwidth does.
const ncclLatencyBytes = 64 << 10

// ncclRow is one line of a table: the figures out of place, then those in place.
type ncclRow struct {
	size   int64
	values [2][3]float64 // us, and GB/s of the algorithm and of the bus
}

// ncclColumns are what the figures measure. Times include the launches, as those of LaunchedLatency of our `collectives`.
var ncclColumns = []result.Measurement{
	{Name: "LaunchedLatency", Unit: "us", Better: result.BetterLower},
	{Name: "AlgorithmBandwidth", Unit: "GB/s", Better: result.BetterHigher},
	{Name: "BusBandwidth", Unit: "GB/s", Better: result.BetterHigher},
}

// ncclTable is the output of one program of nccl-tests.
type ncclTable struct {
	operation string // all_reduce; empty where an old version does not say
	columns   int    // 0 until the head was read
	groups    []int  // the column of each time: out of place, in place
	elements  bool   // the last column of a group counts wrong elements; in old versions it is the largest difference
	more      bool   // columns follow that are not ours
	kind      string // type, operation and root of all rows
	rows      []ncclRow
	sum       float64  // of their bus bandwidths
	bounds    string   // how many values were out of bounds; empty until the line was read
	average   *float64 // of all bus bandwidths; nil until the line was read
	verified  bool     // some elements were compared
	wrong     []string // sizes with wrong elements
}

type ncclReport struct {
	logs.Log

	before  bool // any table
	tables  []*ncclTable
	table   *ncclTable // the last of them
	started string     // the operation of the table to come
}

// ncclRowLike is what looks like a row, wherever it stands.
const ncclRowLike = `[0-9]+\s+[0-9]+\s+(?:u?int(?:8|32|64)|half|float|double|bfloat16|fp8_e[0-9]m[0-9]|f8e[0-9]m[0-9])\s`

var ncclProgram = regexp.MustCompile(`^[a-z][a-z_]*$`)

// NCCLTests reads the tables of all_reduce_perf, all_gather_perf and the other programs of nccl-tests, with one process or
// many: only the first of them prints. Parts are sizes. A table counts only with the average that ends it.
func NCCLTests(lines []string) (result.Document, error) {
	report := ncclReport{before: true}
	return report.Read("nccl-tests", logs.Trimmed(lines), logs.Kinds{
		{Pattern: `^# Collective test starting: (\S+)$`, Read: report.start},
		{Pattern: `^# ?nThread ([0-9]{1,6}) nGpus ([0-9]{1,6}) minBytes [0-9]+ maxBytes [0-9]+ step: .*warmup iters: [0-9]+ iters: ([0-9]{1,9})`,
			Read: report.begin},
		{Pattern: `^# nccl-tests version (\S+)`, Note: logs.Text(&report.Version)},
		{If: &report.before, Pattern: ncclRowLike, Read: logs.Refuse("the row %s stands before the head of nccl-tests: the beginning is missing")},
		{If: &report.before},
		{Pattern: `^#\s+size\s+count\s+type\s`, Read: logs.Line(report.readHead)},
		{Pattern: `^#\s+\(B\)\s+\(elements\)\s`, Read: logs.Line(report.readUnits)},
		{Pattern: `^[0-9]{1,18}\s+[0-9]{1,18}\s+[a-z][a-z0-9_]*\s`, Read: logs.Line(report.readRow)},
		{Pattern: `^# Out of bounds values : ([0-9]{1,18}) (OK|FAILED)$`, Read: report.readBounds},
		{Pattern: `^# Avg bus bandwidth\s+: (\S+)$`, Read: report.readAverage},
		{Pattern: ncclRowLike + `|# Avg bus bandwidth|# Out of bounds`, Read: logs.Refuse("the line %s is garbled: something else was printed into it")},
	}, report.document)
}

// start reads the name that newer versions print first.
func (r *ncclReport) start(match []string) error {
	program := match[1]
	if r.started != "" {
		return result.Bad("%s starts twice before its table: nccl-tests under mpirun is to be built with MPI=1, or each process runs alone", result.Quote(program))
	}
	name := strings.TrimSuffix(strings.TrimSuffix(program, "_mpi"), "_perf")
	if !ncclProgram.MatchString(name) {
		return result.Bad("%s is not a program of nccl-tests", result.Quote(program))
	}
	r.started = name
	return nil
}

// begin starts a table with the line that every version prints.
func (r *ncclReport) begin(match []string) error {
	switch {
	case r.before:
		r.Setting("threads", "gpusPerThread", "iterations")(match)
	case r.table.average == nil:
		return result.Bad("a second test begins before the first has ended: the output is cut off, or that of several processes is mixed")
	case r.started == "":
		return result.Bad("several tests of a version of nccl-tests that does not name them: run one")
	}
	r.table, r.started, r.before = &ncclTable{operation: r.started}, "", false
	r.tables = append(r.tables, r.table)
	return nil
}

func (r *ncclReport) document() error {
	if len(r.tables) == 0 {
		return result.Bad("no output of nccl-tests (\"# nThread ...\") in it: it did not start, or this is another program's output")
	}
	verified := false
	var wrong []string
	for _, table := range r.tables {
		if err := table.complete(); err != nil {
			return err
		}
		r.Measurements = append(r.Measurements, table.measurements()...)
		verified = verified || table.verified
		wrong = append(wrong, table.wrong...)
		if len(table.wrong) == 0 && table.bounds != "0" {
			wrong = append(wrong, fmt.Sprintf("%s: %s values are out of bounds", table.title(), table.bounds))
		}
	}
	if verified || len(wrong) > 0 {
		r.AddCheck("dataIntegrity", strings.Join(wrong, "; "))
	}
	return nil
}

// complete requires the end of the table, and that its rows have the average that stands there: a lost row changes it.
func (t *ncclTable) complete() error {
	name := t.title()
	if t.average == nil || t.bounds == "" {
		return result.Bad("the end of %s (\"# Avg bus bandwidth\") is missing: the output is cut off", name)
	}
	if len(t.rows) == 0 {
		return result.Bad("%s has no row: it measured nothing", name)
	}
	// With several threads, the average is over all of them, and the rows are the first's.
	if mean := t.sum / float64(len(t.rows)*len(t.groups)); !(math.Abs(mean-*t.average) <= 0.01+0.02*math.Abs(*t.average)) {
		return result.Bad("the rows of %s have a mean bus bandwidth of %.2f GB/s, but its average says %.2f: rows are missing or garbled", name, mean, *t.average)
	}
	return nil
}

func (t *ncclTable) title() string {
	return cmp.Or(t.operation, "nccl-tests")
}

// measurements are named as those of `collectives`.
func (t *ncclTable) measurements() (all []result.Measurement) {
	prefix := cmp.Or(ncclNames[t.operation], lowerCamel(t.operation))
	for group, place := range []string{"", "InPlace"}[:len(t.groups)] {
		for column, m := range ncclColumns {
			name := prefix + place + m.Name
			m.Name = strings.ToLower(name[:1]) + name[1:]
			if m.Parts = t.parts(group, column); len(m.Parts) > 0 {
				all = append(all, m)
			}
		}
	}
	return all
}

// parts has the median of each size's rows: of short messages their latency, of longer ones their bandwidth, as in `collectives`.
// The empty message is left out.
func (t *ncclTable) parts(group, column int) []result.Part {
	of := func(row ncclRow) float64 { return row.values[group][column] }
	rows := list.Where(t.rows, func(row ncclRow) bool {
		return of(row) > 0 && row.size != 0 && (column == 0) == (row.size <= ncclLatencyBytes)
	})
	return list.Map(list.Groups(rows, func(row ncclRow) int64 { return row.size }), func(same []ncclRow) result.Part {
		return logs.Sampled(sizeName(same[0].size), list.Map(same, of))
	})
}

// sizeName writes a size as our programs do: 8B, 64KiB, 8GiB.
func sizeName(bytes int64) string {
	unit := 0
	for unit < 3 && bytes >= 1024 && bytes%1024 == 0 {
		bytes /= 1024
		unit++
	}
	return strconv.FormatInt(bytes, 10) + []string{"B", "KiB", "MiB", "GiB"}[unit]
}
