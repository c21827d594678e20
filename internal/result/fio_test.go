package result

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestParseFIO(t *testing.T) {
	output := captured(t, "fio-3.33.json")
	for name, text := range map[string]string{"alone": output, "after notes": "fio: note of something\n" + output} {
		t.Run(name, func(t *testing.T) {
			d := parseTool(t, v1alpha1.FormatFIO, text)
			got := figures(d)
			for name, want := range map[string]float64{
				"sequentialWriteBandwidth GB/s node": 1.83266, "sequentialReadBandwidth GB/s node": 1.659984,
				"randomReadRate operations/s node": 55320.83958, "randomWriteRate operations/s node": 29560.71964,
				"randomReadLatencyP99 us node": 4423.68, "randomWriteLatencyP99 us node": 8028.16,
			} {
				if got[name] != want {
					t.Errorf("%s is %v, want %v", name, got[name], want)
				}
			}
			if len(d.Checks) != 1 || !d.Checks[0].OK || d.Version != "3.33" || len(d.Measurements) != 16 {
				t.Errorf("checks %+v, version %s, %d measurements", d.Checks, d.Version, len(d.Measurements))
			}
		})
	}
}

func TestParseFIOFindsWrongData(t *testing.T) {
	says(t, parseTool(t, v1alpha1.FormatFIO, captured(t, "fio-3.33-damaged.json")), "data", "job verify of fio read back other data")
}

// A disk that dies fails job after job: what the first one proved stays proved.
func TestParseFIOFindsWrongDataBeforeAnotherError(t *testing.T) {
	output := swap(t, captured(t, "fio-3.33-damaged.json"), `"error" : 0`, `"error" : 5`)
	says(t, parseTool(t, v1alpha1.FormatFIO, output), "data", "job verify of fio read back other data")
}

func TestParseFIONamesJobsOfOnePattern(t *testing.T) {
	got := figures(parseTool(t, v1alpha1.FormatFIO, swap(t, captured(t, "fio-3.33.json"), `"rw" : "randread"`, `"rw" : "read"`)))
	if got["sequentialReadRate operations/s randomRead"] != 55320.83958 || got["sequentialReadBandwidth GB/s sequentialRead"] != 1.659984 {
		t.Errorf("%v", got)
	}
}

func TestParseFIORefuses(t *testing.T) {
	output := captured(t, "fio-3.33.json")
	refuses(t, v1alpha1.FormatFIO, map[string][2]string{
		"half of it":                {output[:len(output)/2], "expected the output of fio"},
		"two outputs":               {output + output, "expected the output of fio"},
		"another program's JSON":    {`{"jobs": []}`, "another program's"},
		"a job with an error":       {swap(t, captured(t, "fio-3.33-damaged.json"), `"error" : 84`, `"error" : 28`), "ended with error 28"},
		"a rate that is garbled":    {swap(t, output, `"bw_bytes" : 1832660441`, `"bw_bytes" : 183266044`), "do not agree"},
		"two jobs of one name":      {swap(t, output, `"jobname" : "randomRead"`, `"jobname" : "verify"`), "two jobs have the name"},
		"a check that read nothing": {swap(t, output, `"io_bytes" : 67108864`, `"io_bytes" : 0`), "read nothing"},
		"a pattern of trimming":     {swap(t, output, `"rw" : "randread"`, `"rw" : "trim"`), "access pattern"},
	})
}
