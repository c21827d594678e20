package formats

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/measuretest"
	"github.com/assay-dev/assay/test/testdata"
)

// osuFigures are the headlines of a document and what its by-size measurements hold for one size.
func osuFigures(d result.Document, size string) map[string]float64 {
	figures := map[string]float64{}
	for _, m := range d.Measurements {
		for _, part := range m.Parts {
			if part.At == result.GroupPart || part.At == size {
				figures[m.Name+" "+m.Unit+" "+string(m.Better)+" "+part.At] = round6(part.Value)
			}
		}
	}
	return figures
}

func TestParseOSUReadsDocumentedOutputs(t *testing.T) {
	for name, test := range map[string]struct {
		file       string
		version    string
		parameters map[string]any
		figures    map[string]float64
		sizes      int
	}{
		"latency": {
			"osu-latency-documented.txt", "7.4", map[string]any{"datatype": "MPI_CHAR"},
			map[string]float64{"latency us lower all": 0.17, "latencyBySize us lower 4194304 B": 492.54}, 23,
		},
		"bandwidth": {
			"osu-bw-documented.txt", "7.4", map[string]any{"datatype": "MPI_CHAR"},
			map[string]float64{"bandwidth GB/s higher all": 9.73688, "bandwidthBySize GB/s higher 4194304 B": 9.73688}, 23,
		},
		"both ways, GPU buffers": {
			"osu-bibw-documented.txt", "5.8", map[string]any{"buffers": "cuda"},
			map[string]float64{"bidirectionalBandwidth GB/s higher all": 16.9682, "bidirectionalBandwidthBySize GB/s higher 4194304 B": 16.9682}, 23,
		},
		"message rate": {
			"osu-mbw-mr-documented.txt", "7.5",
			map[string]any{"datatype": "MPI_CHAR", "pairs": json.Number("1"), "window": json.Number("64")},
			map[string]float64{
				"multiPairBandwidth GB/s higher all": 8.95484, "multiPairBandwidthBySize GB/s higher 4194304 B": 8.95484,
				"messageRate messages/s higher all": 12245700, "messageRateBySize messages/s higher 4194304 B": 2135,
			}, 23,
		},
		"allreduce with -f": {
			"osu-allreduce-full-documented.txt", "7.4", map[string]any{"datatype": "MPI_INT"},
			map[string]float64{"allreduceLatency us lower all": 0.58}, 19,
		},
		"alltoall": {
			"osu-alltoall-documented.txt", "5.8", nil,
			map[string]float64{"alltoallLatency us lower all": 0.63}, 21,
		},
		"barrier": {
			"osu-barrier-documented.txt", "5.8", nil,
			map[string]float64{"barrierLatency us lower all": 0.55}, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Parse(v1alpha1.FormatOSU, nil, nil, []byte(testdata.Output(test.file)))
			if err != nil {
				t.Fatal(err)
			}
			if d.Version != test.version || !cmp.Equal(d.Parameters, test.parameters) {
				t.Errorf("version %q, parameters %v, want %q and %v", d.Version, d.Parameters, test.version, test.parameters)
			}
			if diff := cmp.Diff(test.figures, osuFigures(d, "4194304 B")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if sizes := len(d.Measurements[len(d.Measurements)-1].Parts); test.sizes > 0 && sizes != test.sizes {
				t.Errorf("%d sizes, want %d", sizes, test.sizes)
			}
			if len(d.Checks) != 0 {
				t.Errorf("checks %v of an output that verified nothing", d.Checks)
			}
		})
	}
}

func TestParseOSUTellsWrongData(t *testing.T) {
	output := testdata.Output("osu-bw-validation-documented.txt")
	d, err := Parse(v1alpha1.FormatOSU, nil, nil, []byte(output))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]result.Check{{Name: "dataIntegrity", Message: "Bandwidth of 65536 bytes"}}, d.Checks); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if d, err = Parse(v1alpha1.FormatOSU, nil, nil, []byte(strings.ReplaceAll(output, "Fail", "Pass"))); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]result.Check{{Name: "dataIntegrity", OK: true}}, d.Checks); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseOSUHeadlines(t *testing.T) {
	head := "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n"
	for name, test := range map[string]struct {
		output string
		want   map[string]float64
	}{
		"the empty message is not the shortest": {head + "0   1.00\n1   2.00\n2   3.00\n", map[string]float64{"latency us lower all": 2}},
		"sizes from 16 on":                      {head + "16   2.00\n32   3.00\n", map[string]float64{"latency us lower all": 2}},
		"two tests, and what a launcher says": {
			"Warning: no device\n" + head + "8   2.00\n\n# OSU MPI Barrier Latency Test v7.4\n# Avg Latency(us)\n      4.50\nreal 0m2s\n",
			map[string]float64{"latency us lower all": 2, "barrierLatency us lower all": 4.5},
		},
		"no version, as long ago": {"# OSU MPI Latency Test\n# Size          Latency (us)\n8   2.00\n", map[string]float64{"latency us lower all": 2}},
		"carriage returns":        {strings.ReplaceAll(head+"8   2.00\n", "\n", "\r\n"), map[string]float64{"latency us lower all": 2}},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Parse(v1alpha1.FormatOSU, nil, nil, []byte(test.output))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, osuFigures(d, "none")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestParseOSURefusesWhatIsCutOffOrGarbled(t *testing.T) {
	bandwidth := testdata.Output("osu-bw-documented.txt")
	full := testdata.Output("osu-allreduce-full-documented.txt")
	for name, test := range map[string]struct {
		output string
		want   string
	}{
		"another program's output":       {"hello\n8   1.00\n", "no output of an OSU test"},
		"only a title":                   {"# OSU MPI Bandwidth Test v7.4\n", "has no row"},
		"only a head":                    {"# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n", "has no row"},
		"cut in a figure":                {strings.TrimSpace(bandwidth)[:len(strings.TrimSpace(bandwidth))-1], "two decimals"},
		"cut before a figure":            {strings.TrimSuffix(strings.TrimSpace(bandwidth), "9736.88"), "columns"},
		"cut in a row of -f":             {strings.TrimSpace(full)[:len(strings.TrimSpace(full))-15], "columns"},
		"a row lost":                     {strings.Replace(bandwidth, "\n16 ", "\n#16 ", 1), "rows are missing"},
		"a row with text in front":       {strings.Replace(bandwidth, "\n4194304 ", "\nwarning: 4194304 ", 1), "garbled"},
		"rows of two processes":          {strings.Replace(bandwidth, "\n16 ", "\n8   99.00\n16 ", 1), "rows are missing"},
		"rows before their head":         {"# OSU MPI Bandwidth Test v7.4\n8   99.00\n", "stands before its table's head"},
		"two heads":                      {strings.Replace(bandwidth, "# Size", "# Size      Bandwidth (MB/s)\n# Size", 1), "two heads"},
		"twice":                          {bandwidth + bandwidth, "print one of each"},
		"not a number":                   {strings.Replace(bandwidth, "9736.88", "nan", 1), "two decimals"},
		"negative":                       {strings.Replace(bandwidth, "9736.88", "-9736.88", 1), "two decimals"},
		"nothing measured":               {strings.Replace(bandwidth, "9736.88", "0.00", 1), "no measurement"},
		"a head without its last metric": {"# OSU MPI Multiple Bandwidth / Message Rate Test v7.4\n# Size                  MB/s\n8   2.00\n", "too few columns"},
		"another test's table":           {strings.Replace(bandwidth, "Bandwidth Test", "Latency Test", 1), "not that of the OSU test"},
		"a test that is not read":        {strings.Replace(bandwidth, "Bandwidth Test", "Scatter Latency Test", 1), "is not supported"},
		"validation without a word":      {"# OSU MPI Bandwidth Test v7.5\n# Size      Bandwidth (MB/s)        Validation\n8   2.00   Perhaps\n", "expected Pass or Fail"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(v1alpha1.FormatOSU, nil, nil, []byte(test.output))
			measuretest.WantError(t, err, test.want)
			if !errors.Is(err, result.ErrBadOutput) {
				t.Errorf("the error %v is not ErrBadOutput", err)
			}
		})
	}
}
