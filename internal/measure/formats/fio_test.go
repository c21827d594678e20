package formats

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/testdata"
)

func TestParseFIO(t *testing.T) {
	output := testdata.Output("fio-3.33.json")
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
	says(t, parseTool(t, v1alpha1.FormatFIO, testdata.Output("fio-3.33-damaged.json")), "data", "job verify of fio read back other data")
}

// A disk that dies fails job after job: what the first one proved stays proved.
func TestParseFIOFindsWrongDataBeforeAnotherError(t *testing.T) {
	output := swap(t, testdata.Output("fio-3.33-damaged.json"), `"error" : 0`, `"error" : 5`)
	says(t, parseTool(t, v1alpha1.FormatFIO, output), "data", "job verify of fio read back other data")
}

// Several jobs may verify: they are one check, which fails by any of them and names all that failed.
func TestParseFIOWithTwoJobsThatVerify(t *testing.T) {
	good, damaged := testdata.Output("fio-3.33.json"), testdata.Output("fio-3.33-damaged.json")
	second := func(output string) string {
		return swap(t, output, `"rw" : "randread"`, `"rw" : "randread", "verify" : "crc32c"`)
	}
	d := parseTool(t, v1alpha1.FormatFIO, second(good))
	if len(d.Checks) != 1 || !d.Checks[0].OK || len(d.Measurements) != 12 {
		t.Errorf("checks %+v and %d measurements, want one that holds, and those of the three other jobs", d.Checks, len(d.Measurements))
	}
	for sentence, c := range map[string]struct {
		output string
		want   []string
	}{
		"the first one failed": {second(swap(t, good, `"error" : 0`, `"error" : 84`)), []string{"job verify of fio"}},
		"the last one failed":  {failing(t, second(good), "randomRead"), []string{"job randomRead of fio"}},
		"both failed":          {failing(t, second(swap(t, good, `"error" : 0`, `"error" : 84`)), "randomRead"), []string{"job verify of fio", "job randomRead of fio"}},
		"another one failed":   {second(damaged), []string{"job verify of fio"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			for _, want := range c.want {
				says(t, parseTool(t, v1alpha1.FormatFIO, c.output), "data", want)
			}
		})
	}
}

// failing is the output where the job of this name read back other data than it wrote.
func failing(t *testing.T, output, job string) string {
	t.Helper()
	before, after, found := strings.Cut(output, `"jobname" : "`+job+`"`)
	if !found {
		t.Fatalf("no job %s", job)
	}
	return before + `"jobname" : "` + job + `"` + swap(t, after, `"error" : 0`, `"error" : 84`)
}

func TestParseFIONamesJobsOfOnePattern(t *testing.T) {
	got := figures(parseTool(t, v1alpha1.FormatFIO, swap(t, testdata.Output("fio-3.33.json"), `"rw" : "randread"`, `"rw" : "read"`)))
	if got["sequentialReadRate operations/s randomRead"] != 55320.83958 || got["sequentialReadBandwidth GB/s sequentialRead"] != 1.659984 {
		t.Errorf("%v", got)
	}
}

func TestParseFIORefuses(t *testing.T) {
	output := testdata.Output("fio-3.33.json")
	refuses(t, v1alpha1.FormatFIO, map[string][2]string{
		"half of it":                {output[:len(output)/2], "expected the output of fio"},
		"two outputs":               {output + output, "expected the output of fio"},
		"another program's JSON":    {`{"jobs": []}`, "another program's"},
		"a job with an error":       {swap(t, testdata.Output("fio-3.33-damaged.json"), `"error" : 84`, `"error" : 28`), "ended with error 28"},
		"a rate that is garbled":    {swap(t, output, `"bw_bytes" : 1832660441`, `"bw_bytes" : 183266044`), "do not agree"},
		"two jobs of one name":      {swap(t, output, `"jobname" : "randomRead"`, `"jobname" : "verify"`), "two jobs have the name"},
		"a check that read nothing": {swap(t, output, `"io_bytes" : 67108864`, `"io_bytes" : 0`), "read nothing"},
		"a pattern of trimming":     {swap(t, output, `"rw" : "randread"`, `"rw" : "trim"`), "access pattern"},
	})
}
