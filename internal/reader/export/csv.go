package export

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/catalogue"
)

type csvColumn struct {
	name string
	cell func(*Table, *value) string
}

// csvColumns are those of a table with a row for each value.
var csvColumns = []csvColumn{
	{"cluster", func(t *Table, _ *value) string { return t.cluster }},
	{"run", func(t *Table, _ *value) string { return t.run.Name }},
	{"runUID", func(t *Table, _ *value) string { return string(t.run.UID) }},
	{"node", func(_ *Table, v *value) string { return v.Result.Node.Name }},
	{"group", func(_ *Table, v *value) string { return v.group() }},
	{"benchmark", func(_ *Table, v *value) string { return v.Benchmark.Name }},
	{"attempt", func(_ *Table, v *value) string { return strconv.Itoa(int(v.Attempt.Number)) }},
	{"round", func(_ *Table, v *value) string { return count(v.Attempt.Round) }},
	{"kind", func(_ *Table, v *value) string { return v.Kind }},
	{"metric", func(_ *Table, v *value) string { return v.Metric }},
	{"at", func(_ *Table, v *value) string { return v.At }},
	{"value", func(_ *Table, v *value) string { return v.Value }},
	{"unit", func(_ *Table, v *value) string { return v.Unit }},
	{"samples", func(_ *Table, v *value) string { return count(v.part().Samples) }},
	{"spread", func(_ *Table, v *value) string { return string(v.part().Spread) }},
	{"verdict", func(_ *Table, v *value) string { return string(v.Benchmark.Verdict) }},
	{"reason", func(_ *Table, v *value) string { return v.Benchmark.Reason }},
	{"rules", func(_ *Table, v *value) string { return v.rules() }},
	{"launched", func(_ *Table, v *value) string { return stamp(v.Attempt.LaunchTime) }},
	{"started", func(_ *Table, v *value) string { return stamp(v.Attempt.StartTime) }},
	{"ended", func(_ *Table, v *value) string { return stamp(v.Attempt.EndTime) }},
	{"uuids", func(_ *Table, v *value) string { return v.uuiDs() }},
	{"devices", func(_ *Table, v *value) string { return v.machine().Devices }},
	{"driver", func(_ *Table, v *value) string { return v.machine().Driver }},
	{"kernel", func(_ *Table, v *value) string { return v.machine().Kernel }},
	{"bootID", func(_ *Table, v *value) string { return v.machine().BootID }},
	{"configuration", func(_ *Table, v *value) string { return v.Attempt.Configuration }},
	{"imageID", func(_ *Table, v *value) string { return v.Attempt.ImageID }},
	{"version", func(_ *Table, v *value) string { return v.Attempt.Version }},
}

// begun is the run whose values follow.
type begun struct {
	cluster string
	run     *v1alpha1.ValidationRun
}

// Begin remembers whose values follow.
func (b *begun) Begin(cluster string, run *v1alpha1.ValidationRun, _ *catalogue.Snapshot) error {
	b.cluster, b.run = cluster, run
	return nil
}

// Table writes runs as CSV, a row for each value. It cannot be read back.
type Table struct {
	begun
	out *csv.Writer
}

var _ Writer = (*Table)(nil)

// NewTable begins a table with its header.
func NewTable(w io.Writer) (*Table, error) {
	t := &Table{out: csv.NewWriter(w)}
	return t, t.out.Write(list.Map(csvColumns, func(c csvColumn) string { return c.name }))
}

// Add writes the values of a result. What else is known of a run has none that its results do not have.
func (t *Table) Add(p Piece) error {
	row := make([]string, len(csvColumns)) // one for all: a large run has millions
	for v := range valuesOf(p.Result) {
		for i, c := range csvColumns {
			row[i] = Cell(c.cell(t, v))
		}
		if err := t.out.Write(row); err != nil {
			return err
		}
	}
	return nil
}

// Close writes what is left.
func (t *Table) Close() error {
	t.out.Flush()
	return t.out.Error()
}

func (v *value) part() v1alpha1.PartValue { return ptr.Deref(v.Part, v1alpha1.PartValue{}) }

// count that is empty where it is not known.
func count(n int32) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(int(n))
}

func stamp(t *metav1.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
