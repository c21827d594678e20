package applications

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// namdLog is what was read of NAMD's output.
type namdLog struct {
	logs.Log

	starts, ends int
	timestep     float64   // fs; 0: not there
	benchmarks   []float64 // ns/day
	average      float64   // ns/day over the whole run; 0: not there
	columns      []string  // of the table of energies
	energies     map[string]float64
}

// namdFactor times ns/day and s/step is the time step in fs.
const namdFactor = 1e6 / 86400

// namdGreatest: NAMD prints what is greater, infinity too, as 9999999999.9999.
const namdGreatest = 9999999999

// NAMD reads what NAMD 2 and 3 print. The rate is the average that NAMD 3 keeps over the whole run (PERFORMANCE), else the median of the
// benchmark times, which NAMD 2 prints in days/ns.
func NAMD(lines []string) (result.Document, error) {
	var n namdLog
	return n.Read("namd", lines, logs.Kinds{
		{Pattern: `^(?:Reason: )?(?:FATAL )?ERROR: (.+)$`, Read: logs.Refuse("NAMD stopped with the error %s")},
		{Pattern: `^Info: NAMD (\S{1,40}) for \S+$`, Note: func(match []string) { n.starts, n.Version = n.starts+1, match[1] }},
		{Pattern: `^WallClock: \S+\s+CPUTime: \S+\s+Memory: \S+ MB$`, Note: logs.Tally(&n.ends)},
		{Begins: "Info: Benchmark time:", Pattern: `^Info: Benchmark time: ([0-9]{1,9}) CPUs (\S+) s/step (\S+) (days/ns|ns/day) \S+ MB memory$`,
			Read: n.readBenchmark},
		{Begins: "PERFORMANCE:", Pattern: `^PERFORMANCE: [0-9]+\s+averaging (\S+) ns/day, (\S+) sec/step with standard deviation \S+$`, Read: n.readAverage},
		{Begins: "ETITLE:", Note: func(match []string) { n.columns = strings.Fields(match[0]) }},
		{Begins: "ENERGY:", Read: logs.Line(n.readEnergy)},
		{Pattern: `^Info: TIMESTEP\s+(\S+)$`, Note: n.Keep(&n.timestep, logs.Positive, "reading %s of NAMD: %w")},
		{Pattern: `^Info: ([0-9]{1,12}) ATOMS$`, Note: n.Setting("atoms")},
	}, n.complete, n.document)
}

func (n *namdLog) readBenchmark(match []string) error {
	rate, err := n.rate(match[0], match[2], match[3], match[4] == "days/ns")
	if err != nil {
		return err
	}
	n.benchmarks = append(n.benchmarks, rate)
	n.Setting("cpus")(match)
	return nil
}

func (n *namdLog) readAverage(match []string) (err error) {
	n.average, err = n.rate(match[0], match[2], match[1], false)
	return err
}

// rate requires that both figures of a line make the same time step, in this line and all others: a digit lost would pass otherwise.
func (n *namdLog) rate(line, secondsPerStep, rate string, inverse bool) (float64, error) {
	seconds := n.Figure(logs.Positive, secondsPerStep, "reading %s of NAMD: %w", result.Quote(line))
	value := n.Figure(logs.Positive, rate, "reading %s of NAMD: %w", result.Quote(line))
	if inverse {
		value = 1 / value
	}
	timestep := value * seconds * namdFactor
	n.timestep = cmp.Or(n.timestep, timestep)
	if !logs.Agree(timestep, n.timestep, 3e-5, 0) {
		return 0, result.Bad("the figures of %s make a time step of %.6g fs, but it is %.6g fs: the line is garbled", result.Quote(line), timestep, n.timestep)
	}
	return value, nil
}

func (n *namdLog) readEnergy(line string) error {
	fields := strings.Fields(line)
	if len(n.columns) == 0 || len(fields) != len(n.columns) {
		return result.Bad("the row %s has %d columns, its head (ETITLE) %d: it is cut off or garbled", result.Quote(line), len(fields), len(n.columns))
	}
	n.energies = map[string]float64{}
	for _, name := range []string{"TEMP", "TOTAL"} {
		column := slices.Index(n.columns, name)
		if column < 0 {
			return result.Bad("the table of energies has no TEMP or no TOTAL: its head (ETITLE) is garbled")
		}
		n.energies[name] = n.Figure(logs.NumberOrNaN, fields[column], "reading NAMD's energies: %w")
	}
	return nil
}

func (n *namdLog) complete() error {
	switch {
	case n.starts > 1 || n.ends > 1:
		return result.Bad("there are %d outputs of NAMD in it: print one", max(n.starts, n.ends))
	case n.average == 0 && len(n.benchmarks) == 0:
		return result.Bad("no \"Info: Benchmark time:\" or \"PERFORMANCE:\" is in it: NAMD did not get that far, or this is another program's output")
	case n.ends == 0:
		return result.Bad("NAMD's last line (\"WallClock: ...\") is missing: it did not finish, or the output is cut off")
	}
	return nil
}

func (n *namdLog) document() error {
	rate := result.Part{Value: n.average}
	if n.average == 0 {
		rate = logs.Sampled(result.NodePart, n.benchmarks)
	}
	n.AddNode("simulationRate", "ns/day", result.BetterHigher, rate)
	n.AddNode("stepTime", "ms", result.BetterLower, result.Part{Value: 1e3 * n.timestep / (rate.Value * namdFactor)})
	if n.energies != nil {
		addPhysics(&n.Document, "", n.energies, namdGreatest, []physics{{"TEMP", "temperature", "K"}, {"TOTAL", "totalEnergy", "kcal/mol"}})
	}
	return nil
}
