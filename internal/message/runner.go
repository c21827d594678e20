package message

import (
	"fmt"
	"time"
)

// Why the runner stopped a program.

// ProgramTimedOut is for a program that did not end by itself.
func ProgramTimedOut(limit time.Duration) string {
	return fmt.Sprintf("the program did not end within %v (timeoutSeconds of the Benchmark) and was stopped", limit)
}

// OutputOverflow is for a program that prints without end.
func OutputOverflow(most int) string {
	return fmt.Sprintf("the program printed more than %d bytes on stdout and was stopped: have it print progress to stderr", most)
}

// RunnerStopped is for a signal that the runner itself received.
func RunnerStopped(signal string, after time.Duration) string {
	return fmt.Sprintf("the runner received %s after %v: the pod was deleted, evicted or past its deadline", signal, after)
}

// SurvivesKill adds to why a program was stopped that it is still there.
func SurvivesKill(why string) string {
	return why + "; even SIGKILL did not end it, so it hangs in a driver: check the node's kernel log"
}

// How a program ended.

// KilledForMemory is for a program of which the kernel killed at least one process.
func KilledForMemory() string {
	return "the kernel killed the program, or a part of it, for lack of memory: raise needs.limits of the Benchmark, or have the program use less"
}

// KilledBySignal is for a program that was killed from outside or crashed.
func KilledBySignal(signal string) string { return "the program was killed by " + signal }

// ProgramExitedSilently is for a program that failed and printed nothing on stdout.
func ProgramExitedSilently(code int) string {
	return fmt.Sprintf("the program exited with code %d", code)
}

// FailedAfterResult is for a program whose result is not used.
func FailedAfterResult(code int) string {
	return fmt.Sprintf("the program exited with code %d after it had printed a result, so the result is not trusted", code)
}

// SkippedWithResult is for a program that contradicts itself.
func SkippedWithResult(code int) string {
	return fmt.Sprintf("the program exited with code %d, which means that it cannot run here, but it printed measurements", code)
}

// SkippedSilently is for a program that cannot run on this node.
func SkippedSilently(code int) string {
	return fmt.Sprintf("the program exited with code %d, which means that it cannot run here, but it gave no reason", code)
}

// DriverTooOld is for a program that the node's driver cannot run; why is what it says itself.
func DriverTooOld(why string) string {
	text := "the driver of this node is too old for the program: update it, or use an image that was built for it"
	if why == "" {
		return text
	}
	return text + "; the program says: " + why
}

// Why a program could not start.

// ProgramNotFound is for a command that the image does not have.
func ProgramNotFound(program string) string {
	return fmt.Sprintf("the image has no program %q, or lacks the loader that it needs: correct the image or the command of the Benchmark", program)
}

// ProgramNotExecutable is for a file without the permission.
func ProgramNotExecutable(program string) string {
	return fmt.Sprintf("%q is not executable by the container's user: correct its mode in the image, or set privileges.runAsRoot", program)
}

// ProgramOfAnotherMachine is for a file that the kernel cannot load.
func ProgramOfAnotherMachine(program string) string {
	return fmt.Sprintf("%q is not a program for this machine: the image is of another architecture, or the file is a script without #!", program)
}

// ProgramNotStarted is for any other error.
func ProgramNotStarted(program string, err error) string {
	return fmt.Sprintf("%q could not be started: %v", program, err)
}
