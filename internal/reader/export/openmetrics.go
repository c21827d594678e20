package export

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/quantity"
)

// openMetricsName of the one metric of an export.
const openMetricsName = "assay_measured_value"

// Samples writes the numbers of runs as OpenMetrics, each at the time of its measurement, as Prometheus takes in what is past. Facts and
// checks are no numbers. It cannot be read back. (The libraries that write OpenMetrics want all samples of a metric at once; those of a
// large run are too many.)
type Samples struct {
	begun
	out *bufio.Writer
}

var _ Writer = (*Samples)(nil)

// NewSamples begins a text.
func NewSamples(w io.Writer) (*Samples, error) {
	s := &Samples{out: bufio.NewWriter(w)}
	_, err := s.out.WriteString("# HELP " + openMetricsName +
		" Value of a part of a node by one attempt of a benchmark, in the unit that its label says.\n# TYPE " + openMetricsName + " gauge\n")
	return s, err
}

// Add writes the numbers of a result.
func (s *Samples) Add(p Piece) error {
	for v := range valuesOf(p.Result) {
		if number, ok := quantity.ParseDecimal(v.Value); ok && v.Part != nil {
			if _, err := s.out.WriteString(s.sample(v, number)); err != nil {
				return err
			}
		}
	}
	return nil
}

// sample is one line.
func (s *Samples) sample(v *value, number float64) string {
	var line strings.Builder
	line.WriteString(openMetricsName)
	separator := "{"
	for _, l := range [][2]string{
		{"cluster", s.cluster}, {"run", s.run.Name}, {"node", v.Result.Node.Name}, {"group", v.group()}, {"benchmark", v.Benchmark.Name},
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

// Close ends the text.
func (s *Samples) Close() error {
	if _, err := s.out.WriteString("# EOF\n"); err != nil {
		return err
	}
	return s.out.Flush()
}
