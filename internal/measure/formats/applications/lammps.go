package applications

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// lammpsLog is what was read of LAMMPS' output. Each run of its input replaces what the run before left.
type lammpsLog struct {
	logs.Log

	units               string
	starts, ends        int
	dangerous           int64
	warnings, lostAtoms int // each warning is of one of the two
	thermo              lammpsThermo
	run                 lammpsRun
}

// lammpsRun is a loop over time steps, and its speed.
type lammpsRun struct {
	seconds      float64
	steps, atoms int64
	stepRate     float64 // time steps per second; 0: its line is not there
	nsPerDay     float64 // 0: the units have no seconds
	cpuUse, comm float64 // percent; negative: not there
	last         map[string]float64
}

var (
	lammpsRate     = regexp.MustCompile(`(?:^|, )(\S+) timesteps/s(?:,|$)`)
	lammpsNS       = regexp.MustCompile(`^Performance: (\S+) ns/day, (\S+) hours/ns, `)
	lammpsAtomRate = regexp.MustCompile(`, (\S+) ([kMGTP]?)atom-step/s$`)
)

// LAMMPS reads what LAMMPS prints on its screen or into its log. It counts the last run of the input: the ones before it warm up. Newer
// versions print the rate of atoms too; it is computed for all, from the loop's time, steps and atoms.
func LAMMPS(lines []string) (result.Document, error) {
	var l lammpsLog
	return l.Read("lammps", lines, logs.Kinds{
		{Pattern: `^ERROR(?: on proc [0-9]+)?: (.+)$`, Read: logs.Refuse("LAMMPS stopped with the error %s")},
		{Pattern: `^LAMMPS \(([^()]{1,60})\)$`, Note: func(match []string) { l.starts, l.Version = l.starts+1, match[1] }},
		{Begins: "WARNING: Lost atoms:", Note: logs.Tally(&l.lostAtoms)},
		{Begins: "WARNING:", Note: logs.Tally(&l.warnings)},
		{Begins: "Total wall time:", Note: logs.Tally(&l.ends)},
		{Begins: "Loop time of", Pattern: `^Loop time of (\S+) on ([0-9]{1,9}) procs for ([0-9]{1,18}) steps with ([0-9]{1,18}) atoms$`, Read: l.readLoop},
		{Begins: "Performance:", Read: logs.Line(l.readPerformance)},
		{Begins: "Per MPI rank memory allocation", Note: func([]string) { l.thermo = lammpsThermo{reading: true} }},
		{If: &l.thermo.reading, Read: logs.Line(l.readThermo)},
		{Pattern: `^\s*Unit style\s*: ([a-z]+)$`, Note: logs.Text(&l.units)},
		{Pattern: `^Dangerous builds = ([0-9]{1,18})$`, Note: logs.Count(&l.dangerous)},
		{Pattern: `^(\S+)% CPU use with [0-9]{1,9} MPI tasks x ([0-9]{1,9}) OpenMP threads$`, Note: l.readCPU},
		{Pattern: `^Comm\s+\|.*\|\s*(\S+)$`, Note: l.Keep(&l.run.comm, logs.Number, "reading %s of LAMMPS' log: %w")},
	}, l.complete, l.document)
}

func (l *lammpsLog) readCPU(match []string) {
	l.run.cpuUse = l.Figure(logs.Number, match[1], "reading %s of LAMMPS' log: %w", result.Quote(match[0]))
	l.Setting("threads")(match[1:])
}

func (l *lammpsLog) readLoop(match []string) error {
	l.run = lammpsRun{seconds: l.Figure(logs.Number, match[1], "reading the time of LAMMPS' loop: %w"), cpuUse: -1, comm: -1, last: l.thermo.values}
	l.run.steps, _ = strconv.ParseInt(match[3], 10, 64) // 18 digits fit
	l.run.atoms, _ = strconv.ParseInt(match[4], 10, 64)
	l.Setting("ranks", "steps", "atoms")(match[1:])
	t := l.thermo
	l.thermo = lammpsThermo{}
	if t.values != nil && t.last-t.first != l.run.steps { // LAMMPS prints the first and the last step of a run: one that is missing was lost
		return result.Bad("the rows of a run of %d steps go from step %d to %d: rows are missing, or two outputs are mixed", l.run.steps, t.first, t.last)
	}
	return nil
}

// readPerformance requires that the rates are those of the loop's time: a digit lost would pass otherwise.
func (l *lammpsLog) readPerformance(line string) error {
	match := lammpsRate.FindStringSubmatch(strings.TrimPrefix(line, "Performance: "))
	if match == nil || l.run.seconds <= 0 || l.run.steps == 0 {
		return result.Bad("the line %s has no time steps per second, or no \"Loop time of\" before it: it is cut off or garbled", result.Quote(line))
	}
	rate := l.Figure(logs.Positive, match[1], "reading the performance of LAMMPS: %w")
	loop := float64(l.run.steps) / l.run.seconds
	if !logs.Agree(rate, loop, 1e-5, 0.0006) {
		return result.Bad("LAMMPS reports %v time steps per second, but %d steps in %v s are %.6g: the line is garbled", rate, l.run.steps, l.run.seconds, loop)
	}
	l.run.stepRate = loop
	if match := lammpsNS.FindStringSubmatch(line); match != nil {
		l.run.nsPerDay = l.Figure(logs.Number, match[1], "reading LAMMPS' ns/day: %w")
	}
	match = lammpsAtomRate.FindStringSubmatch(line)
	if match == nil {
		return nil
	}
	printed := l.Figure(logs.Number, match[1], "reading LAMMPS' rate of atoms: %w")
	scale := map[string]float64{"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}[match[2]]
	if want := l.run.stepRate * float64(l.run.atoms) / scale; !logs.Agree(printed, want, 1e-5, 0.0006) {
		return result.Bad("LAMMPS reports %v %satom-step/s, but its loop of %d atoms makes %.6g: the line is garbled", printed, match[2], l.run.atoms, want)
	}
	return nil
}

func (l *lammpsLog) complete() error {
	switch {
	case l.starts > 1 || l.ends > 1:
		return result.Bad("there are %d outputs of LAMMPS in it: print one", max(l.starts, l.ends))
	case l.run.seconds == 0:
		return result.Bad("no run of LAMMPS (\"Loop time of ...\") is in it: it did not finish, or this is another program's output")
	case l.run.stepRate == 0:
		return result.Bad("the last run has no time steps per second (\"Performance: ...\"): the output is cut off, or it ends with a minimisation")
	case l.ends == 0:
		return result.Bad("LAMMPS' last line (\"Total wall time:\") is missing: it did not finish, or the output is cut off")
	}
	return nil
}

// lammpsScales are the units of temperature, energy and pressure by the input's unit style. Those of other styles are not kept.
var lammpsScales = map[string][3]string{
	"lj":   {"reduced", "reduced", "reduced"},
	"real": {"K", "kcal/mol", "atm"}, "metal": {"K", "eV", "bar"}, "electron": {"K", "Ha", "Pa"}, "si": {"K", "J", "Pa"},
}

func (l *lammpsLog) document() error {
	l.AddNode("atomStepRate", "Matom-step/s", result.BetterHigher, result.Part{Value: l.run.stepRate * float64(l.run.atoms) / 1e6})
	l.AddNode("stepRate", "steps/s", result.BetterHigher, result.Part{Value: l.run.stepRate})
	l.AddKnown("simulationRate", "ns/day", result.BetterHigher, cmp.Or(l.run.nsPerDay, -1))
	l.AddKnown("cpuUse", "%", result.BetterHigher, l.run.cpuUse)
	l.AddKnown("communicationShare", "%", result.BetterLower, l.run.comm)
	scales := lammpsScales[l.units]
	wrong := ""
	if l.lostAtoms > 0 {
		wrong = fmt.Sprintf("LAMMPS warned %d times of lost atoms: the simulation is unstable, so its speed means nothing", l.lostAtoms)
	}
	addPhysics(&l.Document, wrong, l.run.last, math.Inf(1), []physics{
		{"Temp", "temperature", scales[0]}, {"TotEng", "totalEnergy", scales[1]}, {"Press", "pressure", scales[2]},
	})
	if l.dangerous > 0 {
		l.Notes = append(l.Notes, fmt.Sprintf("LAMMPS counts %d dangerous builds of its neighbour lists: it may have missed forces", l.dangerous))
	}
	if n := l.warnings + l.lostAtoms; n > 0 {
		l.Notes = append(l.Notes, fmt.Sprintf("LAMMPS printed %d warnings; the log has them", n))
	}
	return nil
}

// lammpsThermo is the table that a run of LAMMPS prints while it runs: a head of names, then a row for every so many steps. Other commands
// may print between its rows.
type lammpsThermo struct {
	reading     bool
	names       []string
	first, last int64
	values      map[string]float64
}

func (l *lammpsLog) readThermo(line string) error {
	t := &l.thermo
	fields := strings.Fields(line)
	if t.names == nil {
		if len(fields) > 0 && fields[0] == "Step" {
			t.names = fields
		}
		return nil // another style of table, which tells no more than that it ran
	}
	if len(fields) == 0 {
		return nil
	}
	step, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return nil
	}
	if len(fields) != len(t.names) {
		return result.Bad("the row %s has %d columns, its head %d: it is cut off or garbled", result.Quote(line), len(fields), len(t.names))
	}
	if t.values == nil {
		t.first = step
	}
	t.last, t.values = step, map[string]float64{}
	for i, name := range t.names {
		t.values[name] = l.Figure(logs.NumberOrNaN, fields[i], "%w")
	}
	return nil
}
