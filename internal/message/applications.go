package message

import "fmt"

// What the logs of applications say beside their numbers.

// LAMMPSLostAtoms is for a simulation from which atoms disappeared.
func LAMMPSLostAtoms(count int) string {
	return fmt.Sprintf("LAMMPS warned %d times of lost atoms: the simulation is unstable, so its speed means nothing", count)
}

// NotFinite is for a simulation that blew up.
func NotFinite(column string) string {
	return fmt.Sprintf("the last %s is not a finite number: the simulation is unstable, or the arithmetic is wrong", column)
}

// LAMMPSDangerousBuilds is a note about lists of neighbours.
func LAMMPSDangerousBuilds(count int64) string {
	return fmt.Sprintf("LAMMPS counts %d dangerous builds of its neighbour lists: it may have missed forces", count)
}

// LAMMPSWarnings is a note that the log has warnings.
func LAMMPSWarnings(count int) string {
	return fmt.Sprintf("LAMMPS printed %d warnings; the log has them", count)
}

// HPCCResiduals is for tests of hpcc whose result is wrong.
func HPCCResiduals(tests int64) string {
	return fmt.Sprintf("%d tests of HPL or PTRANS computed a wrong result", tests)
}

// HPCCUpdates is for a table of RandomAccess with too many wrong words.
func HPCCUpdates(share, allowed float64) string {
	return fmt.Sprintf("RandomAccess left %.3g%% of its table wrong, at most %.3g%% are allowed", share*100, allowed*100)
}

// HPCCFailed is for a part of hpcc that found wrong data and does not say which it was.
func HPCCFailed() string {
	return "hpcc reports Success=0: one of its parts computed wrong data, and its output says which"
}

// PerfTestSlowCPU is a note about latencies that perftest took with a clock that it doubts.
func PerfTestSlowCPU() string {
	return "perftest found the processors below their full clock: its latencies are longer than they need to be, and vary"
}

// WRFUnstable is a note about steps that were too long for the weather simulated.
func WRFUnstable(count int) string {
	return fmt.Sprintf("WRF found points beyond its stability limit (cfl) %d times: its time step is too long for this case, or the arithmetic is wrong", count)
}

// FIOWrongData is for a job of fio that read back other data than it had written.
func FIOWrongData(job string) string {
	return fmt.Sprintf("job %s of fio read back other data than it had written: the disk, its driver or the memory damages data", job)
}

// FluentDiverged is for a solution that got worse instead of better.
func FluentDiverged(count int) string {
	return fmt.Sprintf("Fluent detected divergence %d times: the solution is wrong, so its speed means nothing", count)
}
