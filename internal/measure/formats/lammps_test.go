package formats

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/testdata"
)

func TestParseLAMMPSReadsCapturedOutputs(t *testing.T) {
	const version2021 = "29 Sep 2021 - Update 2"
	parameters := func(ranks, steps string) map[string]any {
		return map[string]any{"atoms": json.Number("32000"), "steps": json.Number(steps), "ranks": json.Number(ranks), "threads": json.Number("1")}
	}
	for name, test := range map[string]struct {
		file, version string
		parameters    map[string]any
		figures       map[string]float64
	}{
		"one rank, without a rate of atoms": {"lammps-2021.txt", version2021, parameters("1", "100"), map[string]float64{
			"atomStepRate Matom-step/s": 2.10923, "stepRate steps/s": 65.9135, "cpuUse %": 88.6, "communicationShare %": 0.99,
			"temperature reduced": 0.757453, "totalEnergy reduced": -4.62236, "pressure reduced": 0.207261}},
		"two ranks": {"lammps-2021-mpi.txt", version2021, parameters("2", "100"), map[string]float64{
			"atomStepRate Matom-step/s": 0.395330, "stepRate steps/s": 12.3541, "cpuUse %": 26.9, "communicationShare %": 57.4,
			"temperature reduced": 0.757453, "totalEnergy reduced": -4.62236, "pressure reduced": 0.207261}},
		"with a rate of atoms": {"lammps-2025.txt", "22 Jul 2025 - Update 4", parameters("1", "100"), map[string]float64{
			"atomStepRate Matom-step/s": 2.45895, "stepRate steps/s": 76.8421, "cpuUse %": 86.6, "communicationShare %": 1.1,
			"temperature reduced": 0.757453, "totalEnergy reduced": -4.62236, "pressure reduced": 0.207261}},
	} {
		t.Run(name, func(t *testing.T) {
			reads(t, parseTool(t, v1alpha1.FormatLAMMPS, testdata.Output(test.file)), test.version, test.parameters, test.figures)
		})
	}
}

func TestParseLAMMPSCountsTheLastRun(t *testing.T) {
	d := parseTool(t, v1alpha1.FormatLAMMPS, testdata.Output("lammps-2021-two-runs.txt"))
	if d.Parameters["steps"] != json.Number("40") {
		t.Errorf("steps %v, want those of the second run, 40", d.Parameters["steps"])
	}
}

func TestParseLAMMPSKnowsUnitsWithSeconds(t *testing.T) {
	log := swap(t, testdata.Output("lammps-2025.txt"), "Unit style    : lj", "Unit style    : metal")
	log = swap(t, log, "Performance: 33195.886 tau/day, ", "Performance: 13.277 ns/day, 1.808 hours/ns, ")
	got := figures(parseTool(t, v1alpha1.FormatLAMMPS, log))
	for _, name := range []string{"simulationRate ns/day node", "temperature K node", "totalEnergy eV node", "pressure bar node"} {
		if _, ok := got[name]; !ok {
			t.Errorf("no %s among %v", name, got)
		}
	}
}

func TestParseLAMMPSKeepsNoFigureOfUnknownUnits(t *testing.T) {
	log := swap(t, testdata.Output("lammps-2025.txt"), "Unit style    : lj", "Unit style    : micro")
	for name := range figures(parseTool(t, v1alpha1.FormatLAMMPS, log)) {
		if strings.HasPrefix(name, "temperature") || strings.HasPrefix(name, "pressure") {
			t.Errorf("%s is reported, but its unit is not known", name)
		}
	}
}

func TestParseLAMMPSTellsOfWrongPhysics(t *testing.T) {
	log := testdata.Output("lammps-2025.txt")
	lost := swap(t, log, "Loop time of", "WARNING: Lost atoms: original 32000 current 31990 (src/thermo.cpp:494)\nLoop time of")
	says(t, parseTool(t, v1alpha1.FormatLAMMPS, lost), "physics", "lost atoms")
	blown := swap(t, log, "-4.6223613      0.20726105", "-nan            0.20726105")
	says(t, parseTool(t, v1alpha1.FormatLAMMPS, blown), "physics", "TotEng is not a finite number")
	doubtful := parseTool(t, v1alpha1.FormatLAMMPS, swap(t, log, "Dangerous builds not checked", "Dangerous builds = 7"))
	if len(doubtful.Notes) != 1 || !strings.Contains(doubtful.Notes[0], "7 dangerous builds") {
		t.Errorf("notes are %q", doubtful.Notes)
	}
}

func TestParseLAMMPSRefuses(t *testing.T) {
	log := testdata.Output("lammps-2025.txt")
	refuses(t, v1alpha1.FormatLAMMPS, map[string][2]string{
		"another program's output":         {testdata.Output("stream.txt"), "is in it"},
		"a run that LAMMPS gave up":        {testdata.Output("lammps-2021-lost-atoms.txt"), "Lost atoms: original 32000 current"},
		"an error of one rank":             {swap(t, log, "Total wall", "ERROR on proc 3: Bond atoms 4 5 missing\nTotal wall"), "Bond atoms"},
		"an output without its end":        {log[:strings.Index(log, "Total wall time")], "last line"},
		"an output without performance":    {swap(t, log, "Performance: 33195.886 tau/day, 76.842 timesteps/s, 2.459 Matom-step/s", ""), "no time steps per second"},
		"two outputs":                      {log + log, "2 outputs"},
		"a digit of the rate lost":         {swap(t, log, "76.842 time", "6.842 time"), "reports 6.842"},
		"a digit of the loop's time lost":  {swap(t, log, "1.30137", "1.3013"), "garbled"},
		"a digit of the atoms lost":        {swap(t, log, "with 32000 atoms", "with 3200 atoms"), "garbled"},
		"a rate that is none":              {swap(t, log, "76.842 time", "inf time"), "not a finite number"},
		"a loop cut off":                   {swap(t, log, "1 procs for 100 steps with 32000 atoms", "1 procs for"), "cut off"},
		"a row of the table cut off":       {swap(t, log, "-4.6223613      0.20726105", "-4.6223613"), "5 columns"},
		"the last row of the table lost":   {swap(t, log, "       100   0.7574531     -5.7585055      0             -4.6223613      0.20726105", ""), "rows are missing"},
		"a performance line without rates": {swap(t, log, "tau/day, 76.842 timesteps/s, 2.459 Matom-step/s", "tau"), "cut off"},
	})
}
