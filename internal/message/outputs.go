package message

import "fmt"

// What a program's output says beside its numbers: texts of checks and notes.

// ResidualFailed is for the first residual of HPL that is too large.
func ResidualFailed(residual string, n int64) string {
	return fmt.Sprintf("scaled residual %s for N %d: FAILED", residual, n)
}

// ResidualPassed is for the largest residual of HPL.
func ResidualPassed(largest float64) string {
	return fmt.Sprintf("scaled residual %.6g: PASSED", largest)
}

// TestsSkipped is a note about HPL's input file.
func TestsSkipped(count int64) string {
	return fmt.Sprintf("HPL skipped %d tests because of illegal input values", count)
}

// WrongMessage is for a message of the OSU benchmarks that arrived damaged.
func WrongMessage(test string, bytes int64) string { return fmt.Sprintf("%s of %d bytes", test, bytes) }

// WrongProcesses is for a section of the HPC Challenge in which processes found wrong data.
func WrongProcesses(section, count string) string {
	return fmt.Sprintf("%s: %s processes with wrong data", section, count)
}

// UnreadableOutput heads the beginning of an output in a pod's log, where it could not be read.
func UnreadableOutput(bytes, shown int) string {
	return fmt.Sprintf("of %d bytes on stdout, the first %d are:", bytes, shown)
}

// BrokenConstraints is for a simulation whose bonds could not be kept at their lengths.
func BrokenConstraints(count int) string {
	return fmt.Sprintf("GROMACS warned %d times that bonds could not be kept at their lengths (LINCS WARNING, or water that can not be settled): the forces are wrong, or the time step is too long for this input", count)
}
