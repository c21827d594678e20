package applications

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// gromacsLog is what was read of mdrun's log.
type gromacsLog struct {
	logs.Log

	rate, hours         float64 // ns/day and hour/ns
	imbalance, pme      float64 // percent; negative: not there
	temperature, drift  float64 // K, kJ/mol/ps per atom; NaN: not there
	performances, ended int
	broken              int // warnings that constraints did not hold
	averages            int // lines that begin the averages
	energies            []string
	stopped             string
}

var gromacsPerformance = regexp.MustCompile(`^Performance:\s+(\S+)\s+(\S+)$`)

// gromacsColumn is how wide mdrun prints each energy of its log.
const gromacsColumn = 15

// GROMACS reads the log of GROMACS' mdrun, of 2018 and later: the rate of the simulation, and what tells whether it can be believed.
// Averages are over all steps, as mdrun prints them at the end. Temperature and drift of the energy depend on what was simulated, so that
// the Benchmark says which are right.
func GROMACS(lines []string) (result.Document, error) {
	g := gromacsLog{imbalance: -1, pme: -1, temperature: math.NaN(), drift: math.NaN()}
	return g.Read("gromacs", logs.Trimmed(lines), logs.Kinds{
		{Pattern: `LINCS WARNING|[Ww]ater .*can not be settled\.$`, Note: logs.Tally(&g.broken)}, // bonds, and rigid water
		{Pattern: `A V E R A G E S`, Note: logs.Tally(&g.averages)},
		{Begins: "Finished mdrun on rank 0", Note: logs.Tally(&g.ended)},
		{Begins: "Performance:", Read: logs.Line(g.readPerformance)},
		{Pattern: `^Average load imbalance:\s+(\S+?) ?%\.?$`, Note: g.Keep(&g.imbalance, logs.Number, "reading %s of mdrun's log: %w")},
		{Pattern: `^PME (?:GPU )?mesh(?: \*)?\s.*\s(\S+)$`, Note: g.Keep(&g.pme, logs.Number, "reading %s of mdrun's log: %w")},
		{Pattern: `^Conserved energy drift:\s+(\S+) kJ/mol/ps per atom$`, Note: g.Keep(&g.drift, logs.Number, "reading %s of mdrun's log: %w")},
		{Pattern: `^GROMACS version:\s+(?:VERSION )?([0-9][0-9A-Za-z._+-]*)$`, Note: logs.Text(&g.Version)},
		{Pattern: `^Received the ([A-Z]+) signal, stopping`, Note: logs.Text(&g.stopped)},
		{Pattern: `^There are:\s+([0-9]{1,12}) Atoms$`, Note: g.Setting("atoms")},
		{Pattern: `^On ([0-9]{1,9}) MPI ranks?\b`, Note: g.Setting("ranks")},
		{Read: logs.Line(g.readEnergies)},
	}, g.document)
}

// readEnergies finds the temperature among the averages: below a line of names stands one of values, in columns of 15 characters.
func (g *gromacsLog) readEnergies(line string) error {
	names := g.energies
	g.energies = nil
	if g.averages == 0 {
		return nil
	}
	for i, name := range names {
		if strings.TrimSpace(name) != "Temperature" {
			continue
		}
		values := columns(line)
		if len(values) != len(names) {
			return result.Bad("below the names of %d averages stand %d values: the log is cut off or garbled", len(names), len(values))
		}
		g.temperature = g.Figure(logs.Number, values[i], "reading the average temperature: %w")
	}
	g.energies = columns(line)
	return nil
}

// columns are the energies of a line, the last one first: it has no spaces before the first any more.
func columns(line string) (all []string) {
	for ; line != ""; line = line[:max(0, len(line)-gromacsColumn)] {
		all = append(all, line[max(0, len(line)-gromacsColumn):])
	}
	return all
}

// readPerformance requires that the two rates say the same, each rounded to three decimals: a digit lost would pass otherwise.
func (g *gromacsLog) readPerformance(line string) error {
	match := gromacsPerformance.FindStringSubmatch(line)
	if match == nil {
		return result.Bad("the line %s has not two rates: it is cut off or garbled", result.Quote(line))
	}
	g.rate = g.Figure(logs.Positive, match[1], "reading the performance of mdrun: %w")
	g.hours = g.Figure(logs.Number, match[2], "reading the performance of mdrun: %w")
	if low, high := 24/(g.hours+0.0006), 24/math.Max(g.hours-0.0006, 1e-9); g.hours < 0 || g.rate < low*0.999-0.0006 || g.rate > high*1.001+0.0006 {
		return result.Bad("mdrun reports %v ns/day and %v hours/ns, which do not agree: the line is garbled", g.rate, g.hours)
	}
	g.performances++
	return nil
}

func (g *gromacsLog) complete() error {
	switch {
	case g.performances > 1 || g.ended > 1:
		return result.Bad("there are two logs of mdrun in it: print only the newest (mdrun appends to its log)")
	case g.performances == 0 && g.stopped != "":
		return result.Bad("mdrun was ended by %s before it could report its performance: give it more time, or let it end by -maxh", g.stopped)
	case g.performances == 0:
		return result.Bad("mdrun's performance (\"Performance: ... ns/day\") is not in it: it did not finish, or this is another program's output")
	case g.ended == 0:
		return result.Bad("the log's last line (\"Finished mdrun\") is missing: mdrun did not finish, or the log is cut off")
	}
	return nil
}

// document says that data is wrong whatever else went wrong: mdrun mostly crashes of it.
func (g *gromacsLog) document() error {
	err := g.complete()
	switch {
	case err == nil:
		g.AddNode("simulationRate", "ns/day", result.BetterHigher, result.Part{Value: g.rate})
		g.AddKnown("loadImbalance", "%", result.BetterLower, g.imbalance)
		g.AddKnown("pmeShare", "%", result.BetterLower, g.pme)
		if !math.IsNaN(g.temperature) { // one below zero is wrong, and judged
			g.AddNode("temperature", "K", result.BetterLower, result.Part{Value: g.temperature})
		}
		g.AddKnown("energyDrift", "kJ/mol/ps", result.BetterLower, math.Abs(g.drift))
	case g.broken == 0:
		return err
	default:
		g.Parameters = nil
	}
	wrong := ""
	if g.broken > 0 {
		wrong = fmt.Sprintf("GROMACS warned %d times that bonds could not be kept at their lengths (LINCS "+
			"WARNING, or water that can not be settled): the forces are wrong, or the time step is too long for this input", g.broken)
	}
	g.AddCheck("constraints", wrong)
	return nil
}
