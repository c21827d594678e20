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
)

type csvColumn struct {
	name string
	cell func(*value) string
}

// csvColumns are those of a table with a row for each value.
var csvColumns = []csvColumn{
	{"cluster", func(v *value) string { return v.Cluster }},
	{"run", func(v *value) string { return v.Run.Name }},
	{"runUID", func(v *value) string { return string(v.Run.UID) }},
	{"node", func(v *value) string { return v.Result.Node.Name }},
	{"group", (*value).group},
	{"benchmark", func(v *value) string { return v.Benchmark.Name }},
	{"attempt", func(v *value) string { return strconv.Itoa(int(v.Attempt.Number)) }},
	{"round", func(v *value) string { return count(v.Attempt.Round) }},
	{"kind", func(v *value) string { return v.Kind }},
	{"metric", func(v *value) string { return v.Metric }},
	{"at", func(v *value) string { return v.At }},
	{"value", func(v *value) string { return v.Value }},
	{"unit", func(v *value) string { return v.Unit }},
	{"samples", func(v *value) string { return count(v.part().Samples) }},
	{"spread", func(v *value) string { return string(v.part().Spread) }},
	{"verdict", func(v *value) string { return string(v.Benchmark.Verdict) }},
	{"reason", func(v *value) string { return v.Benchmark.Reason }},
	{"rules", (*value).rules},
	{"launched", func(v *value) string { return stamp(v.Attempt.LaunchTime) }},
	{"started", func(v *value) string { return stamp(v.Attempt.StartTime) }},
	{"ended", func(v *value) string { return stamp(v.Attempt.EndTime) }},
	{"uuids", (*value).uuiDs},
	{"devices", func(v *value) string { return v.machine().Devices }},
	{"driver", func(v *value) string { return v.machine().Driver }},
	{"kernel", func(v *value) string { return v.machine().Kernel }},
	{"bootID", func(v *value) string { return v.machine().BootID }},
	{"configuration", func(v *value) string { return v.Attempt.Configuration }},
	{"imageID", func(v *value) string { return v.Attempt.ImageID }},
	{"version", func(v *value) string { return v.Attempt.Version }},
}

// NewTable writes runs as CSV, a row for each value. It cannot be read back.
func NewTable(w io.Writer) (Writer, error) {
	out := csv.NewWriter(w)
	row := make([]string, len(csvColumns)) // one for all: a large run has millions
	table := &values{
		write: func(v *value) error {
			for i, c := range csvColumns {
				row[i] = Cell(c.cell(v))
			}
			return out.Write(row)
		},
		end: func() error {
			out.Flush()
			return out.Error()
		},
	}
	return table, out.Write(list.Map(csvColumns, func(c csvColumn) string { return c.name }))
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
