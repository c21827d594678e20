package formats

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/test/testdata"
)

func TestParseNAMDReadsBothVersions(t *testing.T) {
	parameters := func(cpus string) map[string]any {
		return map[string]any{"atoms": json.Number("92224"), "cpus": json.Number(cpus)}
	}
	for file, test := range map[string]struct {
		version    string
		parameters map[string]any
		figures    map[string]float64
	}{
		// The median of 30.1127, 29.9812 and 29.9533 ms, in days/ns.
		"namd2-documented.txt": {"2.14", parameters("16"), map[string]float64{
			"simulationRate ns/day": 2.88180, "stepTime ms": 29.9812, "temperature K": 298.02, "totalEnergy kcal/mol": -222495}},
		// The average of 20,000 steps of 2 fs, not the benchmark times of the beginning.
		"namd3-documented.txt": {"3.0.1", parameters("1"), map[string]float64{
			"simulationRate ns/day": 171.305, "stepTime ms": 1.00873, "temperature K": 298.02, "totalEnergy kcal/mol": -222495}},
	} {
		t.Run(file, func(t *testing.T) {
			reads(t, parseTool(t, v1alpha1.FormatNAMD, testdata.Output(file)), test.version, test.parameters, test.figures)
		})
	}
}

// Lines that users of NAMD 2.14 and 3.0 have published.
func TestParseNAMDReadsRealLines(t *testing.T) {
	const end = "\nWallClock: 7.979589  CPUTime: 7.896567  Memory: 9268.125000 MB\n"
	for line, want := range map[string]float64{
		"Info: Benchmark time: 128 CPUs 0.00125643 s/step 0.014542 days/ns 1034.08 MB memory":                             68.7663,
		"Info: Benchmark time: 16 CPUs 0.0299812 s/step 0.347005 days/ns 1257.94 MB memory":                               2.88180,
		"Info: Benchmark time: 1 CPUs 0.0104954 s/step 8.23218 ns/day 0 MB memory":                                        8.23218,
		"PERFORMANCE: 500  averaging 64.0782 ns/day, 0.00134835 sec/step with standard deviation 0.00033024":              64.0782,
		"PERFORMANCE: 34000  averaging 23.789 ns/day, 0.00726387 sec/step with standard deviation 3.76697e-05\nTIMING: 1": 23.789,
	} {
		got := parseTool(t, v1alpha1.FormatNAMD, line+end).Measurements[0].Parts[0].Value
		if !logs.Agree(got, want, 1e-5, 0) {
			t.Errorf("%s: %v ns/day, want %v", line, got, want)
		}
	}
}

func TestParseNAMDTellsOfWrongPhysics(t *testing.T) {
	for _, wrong := range []string{"nan", "9999999999.9999", "-9999999999.9999"} {
		log := swapLast(t, testdata.Output("namd3-documented.txt"), "   298.0200", " "+wrong)
		says(t, parseTool(t, v1alpha1.FormatNAMD, log), "physics", "TEMP is not a finite number")
	}
}

func TestParseNAMDRefuses(t *testing.T) {
	log := testdata.Output("namd2-documented.txt")
	newer := testdata.Output("namd3-documented.txt")
	refuses(t, v1alpha1.FormatNAMD, map[string][2]string{
		"another program's output":          {testdata.Output("lammps-2025.txt"), "is in it"},
		"an output without its end":         {log[:strings.Index(log, "WallClock")], "last line"},
		"an output before its measurements": {log[:strings.Index(log, "Info: Benchmark")], "did not get that far"},
		"two outputs":                       {log + log, "2 outputs"},
		"a fatal error":                     {swap(t, log, "WRITING EXT", "FATAL ERROR: Low global CUDA exclusion count!\nWRITING EXT"), "Low global"},
		"an error and its end":              {swap(t, log, "WRITING EXT", "ERROR: Exiting prematurely; see error messages above.\nWRITING EXT"), "Exiting"},
		"a digit of a rate lost":            {swap(t, log, "0.347005", "0.34705"), "garbled"},
		"a digit of the average lost":       {swap(t, newer, "averaging 171.1", "averaging 17.1"), "time step of"},
		"another time step":                 {swap(t, newer, "TIMESTEP               2", "TIMESTEP               1"), "but it is 1 fs"},
		"a time step that is none":          {swap(t, newer, "TIMESTEP               2", "TIMESTEP               nan"), "not a finite number"},
		"a benchmark line cut off":          {swap(t, log, " s/step 0.347005 days/ns 1257.94 MB memory", " s/step"), "cut off"},
		"an average cut off":                {swap(t, newer, " sec/step with standard", ""), "cut off"},
		"a row of energies cut off":         {swapLast(t, log, "     -2247.8900     -2323.0800", ""), "19 columns"},
		"a head of energies garbled":        {swap(t, log, "           TEMP ", "           TEM# "), "ETITLE"},
	})
}
