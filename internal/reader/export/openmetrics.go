package export

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/quantity"
)

// openMetricsName of the one metric of an export.
const openMetricsName = "assay_measured_value"

// Samples writes the numbers of runs as OpenMetrics, each at the time of its measurement, as Prometheus takes in what is past. Facts and
// checks are no numbers. It cannot be read back. (The libraries that write OpenMetrics want all samples of a metric at once; those of a
// large run are too many.)
type Samples struct {
	out     *bufio.Writer
	cluster string
	run     *v1alpha1.ValidationRun
}

var _ Sink = (*Samples)(nil)

// NewSamples begins a text.
func NewSamples(w io.Writer) (*Samples, error) {
	s := &Samples{out: bufio.NewWriter(w)}
	_, err := s.out.WriteString("# HELP " + openMetricsName +
		" Value of a part of a node by one attempt of a benchmark, in the unit that its label says.\n# TYPE " + openMetricsName + " gauge\n")
	return s, err
}

// Begin remembers whose values follow.
func (s *Samples) Begin(cluster string, run *v1alpha1.ValidationRun, _ *catalogue.Snapshot) error {
	s.cluster, s.run = cluster, run
	return nil
}

// Result writes its numbers.
func (s *Samples) Result(r *v1alpha1.ValidationResult) error {
	return eachValue(r, func(v *value) error {
		number, ok := quantity.ParseDecimal(v.Value)
		if !ok || v.Part == nil {
			return nil
		}
		_, err := s.out.WriteString(s.sample(v, number))
		return err
	})
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

// Validation has nothing that results do not have.
func (s *Samples) Validation(*v1alpha1.NodeValidation) error { return nil }

// History has nothing that results of its runs do not have.
func (s *Samples) History(*v1alpha1.NodeHistory) error { return nil }

// Places are no values either.
func (s *Samples) Places(Places) error { return nil }

// Close ends the text.
func (s *Samples) Close() error {
	if _, err := s.out.WriteString("# EOF\n"); err != nil {
		return err
	}
	return s.out.Flush()
}
