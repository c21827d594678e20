package formats

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/testdata"
)

func TestParseGROMACSReadsCapturedLogs(t *testing.T) {
	threads, mpi := testdata.Output("gromacs-2022-threads.txt"), testdata.Output("gromacs-2022-mpi.txt")
	node := func(name, unit string, better result.Better, value float64) result.Measurement {
		return result.Measurement{Name: name, Unit: unit, Better: better, Parts: []result.Part{{At: result.NodePart, Value: value}}}
	}
	for name, test := range map[string]struct {
		log        string
		version    string
		parameters map[string]any
		want       []result.Measurement
	}{
		"two threads": {threads, "2022.5-Debian_2022.5_2", map[string]any{"atoms": json.Number("17496"), "ranks": json.Number("1")}, []result.Measurement{
			node("simulationRate", "ns/day", result.BetterHigher, 6.076), node("pmeShare", "%", result.BetterLower, 17.2),
			node("temperature", "K", result.BetterLower, 301.593), node("energyDrift", "kJ/mol/ps", result.BetterLower, 0.00265)}},
		"two ranks": {mpi, "2022.5-Debian_2022.5_2", map[string]any{"atoms": json.Number("17496"), "ranks": json.Number("2")}, []result.Measurement{
			node("simulationRate", "ns/day", result.BetterHigher, 13.53), node("loadImbalance", "%", result.BetterLower, 4), node("pmeShare", "%", result.BetterLower, 20.7),
			node("temperature", "K", result.BetterLower, 302.109), node("energyDrift", "kJ/mol/ps", result.BetterLower, 0.000611)}},
		"as 2018 printed it": {older(t, mpi), "2018.3", map[string]any{"atoms": json.Number("17496"), "ranks": json.Number("2")}, []result.Measurement{
			node("simulationRate", "ns/day", result.BetterHigher, 13.53), node("loadImbalance", "%", result.BetterLower, 4), node("pmeShare", "%", result.BetterLower, 20.7),
			node("temperature", "K", result.BetterLower, 302.109)}},
		"with PME on GPUs of its own": {swap(t, mpi, " PME mesh   ", " PME GPU mesh *"), "2022.5-Debian_2022.5_2",
			map[string]any{"atoms": json.Number("17496"), "ranks": json.Number("2")}, []result.Measurement{
				node("simulationRate", "ns/day", result.BetterHigher, 13.53), node("loadImbalance", "%", result.BetterLower, 4), node("pmeShare", "%", result.BetterLower, 20.7),
				node("temperature", "K", result.BetterLower, 302.109), node("energyDrift", "kJ/mol/ps", result.BetterLower, 0.000611)}},
	} {
		t.Run(name, func(t *testing.T) {
			d := parseTool(t, v1alpha1.FormatGROMACS, test.log)
			if d.Version != test.version {
				t.Errorf("version %q, want %q", d.Version, test.version)
			}
			if diff := cmp.Diff(test.want, d.Measurements); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(test.parameters, d.Parameters); diff != "" {
				t.Errorf("parameters -want +got:\n%s", diff)
			}
			if diff := cmp.Diff([]result.Check{{Name: "constraints", OK: true}}, d.Checks); diff != "" {
				t.Errorf("checks -want +got:\n%s", diff)
			}
		})
	}
}

// TestParseGROMACSReadsATemperatureBelowZero, which no simulation has: it is measured, and judged, and not left out.
func TestParseGROMACSReadsATemperatureBelowZero(t *testing.T) {
	d := parseTool(t, v1alpha1.FormatGROMACS, swap(t, testdata.Output("gromacs-2022-mpi.txt"), "    3.02109e+02", "   -3.02109e+02"))
	i := slices.IndexFunc(d.Measurements, func(m result.Measurement) bool { return m.Name == "temperature" })
	if i < 0 || d.Measurements[i].Parts[0].Value != -302.109 {
		t.Errorf("measurements %+v", d.Measurements)
	}
}

// older is the log as GROMACS 2018 would have printed it: another version, a space before the percent sign, and no drift.
func older(t *testing.T, log string) string {
	t.Helper()
	log = strings.ReplaceAll(log, "2022.5-Debian_2022.5_2", "2018.3")
	log = swap(t, log, "Average load imbalance: 4.0%.", "Average load imbalance: 4.0 %.")
	before, after, _ := strings.Cut(log, "Energy conservation over")
	_, after, _ = strings.Cut(after, "per atom\n")
	return before + after
}

func TestParseGROMACSTellsOfBrokenConstraints(t *testing.T) {
	log := swap(t, testdata.Output("gromacs-2022-mpi.txt"), "   Total Energy", "Step 12, time 0.024 (ps)  LINCS WARNING\n   Total Energy")
	d := parseTool(t, v1alpha1.FormatGROMACS, log)
	says(t, d, "constraints", "1 times")
}

// Water is kept rigid by SETTLE, which warns in other words; mdrun 2022 crashed of it a moment later.
func TestParseGROMACSTellsOfWaterThatIsNotSettled(t *testing.T) {
	log := testdata.Output("gromacs-2022-mpi.txt")
	started := strings.Index(log, "Started mdrun")
	for name, output := range map[string]string{
		"to the end":  swap(t, log, "   Total Energy", "step 10: One or more water molecules can not be settled.\n   Total Energy"),
		"and crashes": log[:started] + "\nstep 0: One or more water molecules can not be settled.\nCheck for bad contacts and/or reduce the timestep if appropriate.\n",
		"before 2020": log[:started] + "\nstep 0: Water molecule starting at atom 4 can not be settled.\n",
	} {
		t.Run(name, func(t *testing.T) {
			says(t, parseTool(t, v1alpha1.FormatGROMACS, output), "constraints", "settled")
		})
	}
}

func TestParseGROMACSRefuses(t *testing.T) {
	log := testdata.Output("gromacs-2022-mpi.txt")
	refuses(t, v1alpha1.FormatGROMACS, map[string][2]string{
		"another program's output":  {testdata.Output("stream.txt"), "is not in it"},
		"a run that was ended":      {testdata.Output("gromacs-2022-terminated.txt"), "mdrun was ended by TERM"},
		"a log without its end":     {log[:strings.Index(log, "Finished mdrun")], "cut off"},
		"a log without performance": {log[:strings.Index(log, "Performance:")], "did not finish"},
		"two logs":                  {log + log, "two logs"},
		"a digit lost":              {swap(t, log, "13.530        1.774", "3.530        1.774"), "do not agree"},
		"a rate that is none":       {swap(t, log, "13.530        1.774", "nan        1.774"), "not a finite number"},
		"one rate":                  {swap(t, log, "13.530        1.774", "13.530"), "not two rates"},
		"an average that is none":   {swapLast(t, log, "3.02109e+02", "       -nan"), "average temperature"},
		"averages cut off":          {swapLast(t, log, "    3.02109e+02", ""), "garbled"},
	})
}

func swapLast(t *testing.T, text, old, with string) string {
	t.Helper()
	i := strings.LastIndex(text, old)
	if i < 0 {
		t.Fatalf("%q is not there", old)
	}
	return text[:i] + with + text[i+len(old):]
}
