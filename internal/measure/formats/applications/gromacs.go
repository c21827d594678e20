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
	version             string
	atoms, ranks        int64
	rate, hours         float64 // ns/day and hour/ns
	imbalance, pme      float64 // percent; negative: not there
	temperature, drift  float64 // K, kJ/mol/ps per atom; NaN: not there
	performances, ended int
	broken              int // warnings that constraints did not hold
	averages            int // lines that begin the averages
	energies            []string
	stopped             string
}

var (
	gromacsVersion     = regexp.MustCompile(`^GROMACS version:\s+(?:VERSION )?([0-9][0-9A-Za-z._+-]*)$`)
	gromacsAtoms       = regexp.MustCompile(`^There are:\s+([0-9]{1,12}) Atoms$`)
	gromacsRanks       = regexp.MustCompile(`^On ([0-9]{1,9}) MPI ranks?\b`)
	gromacsImbalance   = regexp.MustCompile(`^Average load imbalance:\s+(\S+?) ?%\.?$`)
	gromacsPME         = regexp.MustCompile(`^PME (?:GPU )?mesh(?: \*)?\s.*\s(\S+)$`)
	gromacsDrift       = regexp.MustCompile(`^Conserved energy drift:\s+(\S+) kJ/mol/ps per atom$`)
	gromacsPerformance = regexp.MustCompile(`^Performance:\s+(\S+)\s+(\S+)$`)
	gromacsBroken      = regexp.MustCompile(`LINCS WARNING|[Ww]ater .*can not be settled\.$`) // bonds, and rigid water
	gromacsAverages    = regexp.MustCompile(`A V E R A G E S`)
	gromacsStopped     = regexp.MustCompile(`^Received the ([A-Z]+) signal, stopping`)
)

// gromacsColumn is how wide mdrun prints each energy of its log.
const gromacsColumn = 15

// GROMACS reads the log of GROMACS' mdrun, of 2018 and later: the rate of the simulation, and what tells whether it can be believed.
// Averages are over all steps, as mdrun prints them at the end. Temperature and drift of the energy depend on what was simulated, so that
// the Benchmark says which are right.
func GROMACS(lines []string) (result.Document, error) {
	log := gromacsLog{imbalance: -1, pme: -1, temperature: math.NaN(), drift: math.NaN()}
	kinds := logs.Kinds{
		{Pattern: gromacsBroken, Read: logs.Tally(&log.broken)},
		{Pattern: gromacsAverages, Read: logs.Tally(&log.averages)},
		{Begins: "Finished mdrun on rank 0", Read: logs.Tally(&log.ended)},
		{Begins: "Performance:", Read: logs.Line(log.readPerformance)},
		{Pattern: gromacsImbalance, Read: logs.Figure(&log.imbalance, "reading %s of mdrun's log: %w")},
		{Pattern: gromacsPME, Read: logs.Figure(&log.pme, "reading %s of mdrun's log: %w")},
		{Pattern: gromacsDrift, Read: logs.Figure(&log.drift, "reading %s of mdrun's log: %w")},
		{Pattern: gromacsVersion, Read: logs.Text(&log.version)},
		{Pattern: gromacsStopped, Read: logs.Text(&log.stopped)},
		{Pattern: gromacsAtoms, Read: logs.Count(&log.atoms)},
		{Pattern: gromacsRanks, Read: logs.Count(&log.ranks)},
	}
	for _, line := range lines {
		if err := log.readEnergies(line); err != nil {
			return result.Document{}, err
		}
		if err := kinds.Take(strings.TrimSpace(line)); err != nil {
			return result.Document{}, err
		}
	}
	if err := log.complete(); err != nil && log.broken == 0 {
		return result.Document{}, err
	} else if err != nil { // wrong data is proved, whatever else went wrong: mdrun mostly crashes of it
		return result.Document{Schema: result.Schema, Benchmark: "gromacs", Version: log.version, Checks: []result.Check{log.constraints()}}, nil
	}
	return log.document(), nil
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
		value, err := logs.Number(values[i])
		if err != nil {
			return fmt.Errorf("reading the average temperature: %w", err)
		}
		g.temperature = value
	}
	g.energies = columns(line)
	return nil
}

// columns are the energies of a line.
func columns(line string) []string {
	var all []string
	for line = strings.TrimRight(line, " "); len(line) >= gromacsColumn; line = line[gromacsColumn:] {
		all = append(all, line[:gromacsColumn])
	}
	return all
}

// readPerformance requires that the two rates say the same, each rounded to three decimals: a digit lost would pass otherwise.
func (g *gromacsLog) readPerformance(line string) error {
	match := gromacsPerformance.FindStringSubmatch(line)
	if match == nil {
		return result.Bad("the line %s has not two rates: it is cut off or garbled", result.Quote(line))
	}
	var err error
	if g.rate, err = logs.Positive(match[1]); err == nil {
		g.hours, err = logs.Number(match[2])
	}
	if err != nil {
		return fmt.Errorf("reading the performance of mdrun: %w", err)
	}
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

func (g *gromacsLog) document() result.Document {
	d := result.Document{Schema: result.Schema, Benchmark: "gromacs", Version: g.version, Parameters: map[string]any{}}
	d.AddCount("atoms", g.atoms)
	d.AddCount("ranks", g.ranks)
	d.AddNode("simulationRate", "ns/day", result.BetterHigher, result.Part{Value: g.rate})
	if g.imbalance >= 0 {
		d.AddNode("loadImbalance", "%", result.BetterLower, result.Part{Value: g.imbalance})
	}
	if g.pme >= 0 {
		d.AddNode("pmeShare", "%", result.BetterLower, result.Part{Value: g.pme})
	}
	if !math.IsNaN(g.temperature) {
		d.AddNode("temperature", "K", result.BetterLower, result.Part{Value: g.temperature})
	}
	if !math.IsNaN(g.drift) {
		d.AddNode("energyDrift", "kJ/mol/ps", result.BetterLower, result.Part{Value: math.Abs(g.drift)})
	}
	d.Checks = []result.Check{g.constraints()}
	return d
}

func (g *gromacsLog) constraints() result.Check {
	if g.broken == 0 {
		return result.Check{Name: "constraints", OK: true}
	}
	return result.Check{Name: "constraints", Message: fmt.Sprintf("GROMACS warned %d times that bonds could not be kept at their lengths (LINCS "+
		"WARNING, or water that can not be settled): the forces are wrong, or the time step is too long for this input", g.broken)}
}
