package export

import (
	"bufio"
	"cmp"
	"io"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/quantity"
)

// openMetricsName of the one metric of an export.
const openMetricsName = "assay_measured_value"

// NewSamples writes the numbers of runs as OpenMetrics, each at the time of its measurement, as Prometheus takes in what is past. Facts and
// checks are no numbers. It cannot be read back. (The libraries that write OpenMetrics want all samples of a metric at once; those of a
// large run are too many.)
func NewSamples(w io.Writer) (Writer, error) {
	out := bufio.NewWriter(w)
	write := func(text string) error {
		_, err := out.WriteString(text)
		return err
	}
	samples := &values{
		write: func(v *value) error {
			number, ok := quantity.ParseDecimal(v.Value)
			if !ok || v.Part == nil {
				return nil
			}
			return write(v.sample(number))
		},
		end: func() error { return cmp.Or(write("# EOF\n"), out.Flush()) },
	}
	return samples, write("# HELP " + openMetricsName +
		" Value of a part of a node by one attempt of a benchmark, in the unit that its label says.\n# TYPE " + openMetricsName + " gauge\n")
}

// sample is one line.
func (v *value) sample(number float64) string {
	var line strings.Builder
	line.WriteString(openMetricsName)
	separator := "{"
	for _, l := range [][2]string{
		{"cluster", v.Cluster}, {"run", v.Run.Name}, {"node", v.Result.Node.Name}, {"group", v.group()}, {"benchmark", v.Benchmark.Name},
		{"attempt", strconv.Itoa(int(v.Attempt.Number))}, {"kind", v.Kind}, {"metric", v.Metric}, {"at", v.At}, {"unit", v.Unit},
		{"verdict", string(v.Benchmark.Verdict)}, {"driver", v.machine().Driver}, {"uuids", v.uuiDs()},
	} {
		if l[1] != "" {
			line.WriteString(separator + l[0] + `="` + labelEscapes.Replace(OneLine(l[1])) + `"`)
			separator = ","
		}
	}
	line.WriteString("} " + strconv.FormatFloat(number, 'g', -1, 64))
	if t := v.time(); t != nil {
		line.WriteString(" " + strconv.FormatInt(t.Unix(), 10))
	}
	line.WriteString("\n")
	return line.String()
}

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
