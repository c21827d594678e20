package formats

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/testdata"
)

func TestParseWRFReadsDomains(t *testing.T) {
	for file, test := range map[string]struct {
		version    string
		parameters map[string]any
		figures    map[string]float64
	}{
		// Without the first step of 3.10273 s: 2.2, 2.1, 2.3, 2.2, 2.2 s for 360 s.
		"wrf-documented.txt": {"4.4", map[string]any{"ranks": json.Number("48"), "domain1Steps": json.Number("6")}, map[string]float64{
			"stepTime s domain1": 2.2, "stepTimeMedian s domain1": 2.2, "simulationSpeed s/s domain1": 32.7273}},
		// A step of 60 s of the outer domain has three of the inner one.
		"wrf-nested-documented.txt": {"4.4", map[string]any{"ranks": json.Number("48"), "domain1Steps": json.Number("3"), "domain2Steps": json.Number("9")}, map[string]float64{
			"stepTime s domain1": 1.6, "stepTimeMedian s domain1": 1.6, "simulationSpeed s/s domain1": 37.5,
			"stepTime s domain2": 0.4, "stepTimeMedian s domain2": 0.4, "simulationSpeed s/s domain2": 50}},
	} {
		t.Run(file, func(t *testing.T) {
			reads(t, parseTool(t, v1alpha1.FormatWRF, testdata.Output(file)), test.version, test.parameters, test.figures)
		})
	}
}

// Lines that users of WRF and AceCAST have published: of versions 3 and 4, with an adaptive time step, and with fractions of a second.
func TestParseWRFReadsRealLines(t *testing.T) {
	for name, lines := range map[string][2]string{
		"fixed": {"Timing for main: time 2019-11-26_12:01:12 on domain   1:  114.10273 elapsed seconds",
			"Timing for main: time 2019-11-26_12:02:24 on domain   1:   95.48775 elapsed seconds"},
		"adaptive": {"Timing for main (dt= 10.00): time 2020-12-09_00:00:10 on domain   1:   21.61837 elapsed seconds",
			"Timing for main (dt=  1.00): time 2020-12-09_00:00:11 on domain   1:   95.48775 elapsed seconds"},
		"narrow": {"Timing for main: time 2016-10-07_23:50:00 on domain 1: 0.25548 elapsed seconds",
			"Timing for main: time 2016-10-07_23:52:30 on domain 1: 95.48775 elapsed seconds"},
		"fractions": {"Timing for main: time 2016-10-07_23:50:00+01/03 on domain 1: 0.25548 elapsed seconds",
			"Timing for main: time 2016-10-07_23:50:00+02/03 on domain 1: 95.48775 elapsed seconds"},
	} {
		t.Run(name, func(t *testing.T) {
			d := parseTool(t, v1alpha1.FormatWRF, lines[0]+"\n"+lines[1]+"\nd01 2019-11-27_00:00:00 wrf: SUCCESS COMPLETE WRF\n")
			if got := d.Measurements[0].Parts[0].Value; got != 95.48775 {
				t.Errorf("step time %v, want 95.48775", got)
			}
		})
	}
}

func TestParseWRFNotesInstability(t *testing.T) {
	log := swap(t, testdata.Output("wrf-documented.txt"), "Timing for Writing", "d01 2019-11-26_12:03:36            15  points exceeded cfl=2 in domain d01 at time 2019-11-26_12:03:36 hours\nTiming for Writing")
	if notes := parseTool(t, v1alpha1.FormatWRF, log).Notes; len(notes) != 1 || !strings.Contains(notes[0], "1 times") {
		t.Errorf("notes are %q", notes)
	}
}

func TestParseWRFRefuses(t *testing.T) {
	log := testdata.Output("wrf-documented.txt")
	refuses(t, v1alpha1.FormatWRF, map[string][2]string{
		"another program's output":   {testdata.Output("stream.txt"), "did not get that far"},
		"a log without its end":      {log[:strings.LastIndex(log, "d01 ")], "did not finish"},
		"two logs":                   {log + log, "mixed"},
		"two ends":                   {log + "d01 2019-11-26_12:07:12 wrf: SUCCESS COMPLETE WRF\n", "2 logs"},
		"a fatal error":              {swap(t, log, "Timing for Writing", "-------------- FATAL CALLED ---------------\nTiming for Writing"), "fatal error"},
		"a line cut off":             {swap(t, log, "   2.10000 elapsed seconds", "   2.1"), "cut off"},
		"lines that ran together":    {swap(t, log, "   2.10000 elapsed seconds\n", "   2.10"), "cut off"},
		"a time that is none":        {swap(t, log, "_12:03:36 on", "_12:63:36 on"), "is not like"},
		"steps out of order":         {swap(t, log, "_12:03:36 on", "_12:01:36 on"), "mixed"},
		"seconds that are none":      {swap(t, log, "2.10000", "*******"), "not a number"},
		"seconds that are not there": {swap(t, log, "2.10000", "0.00000"), "not greater than zero"},
		"one step": {"Timing for main: time 2019-11-26_12:01:12 on domain   1:  114.10273 elapsed seconds\nd01 2019-11-26_12:01:12 wrf: SUCCESS COMPLETE WRF\n",
			"simulate longer"},
	})
}
