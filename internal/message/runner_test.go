package message

import (
	"errors"
	"time"
)

func init() {
	samples = append(samples,
		sample{"ProgramTimedOut", ProgramTimedOut(10 * time.Minute)},
		sample{"OutputOverflow", OutputOverflow(8 << 20)},
		sample{"RunnerStopped", RunnerStopped("SIGTERM", 42*time.Second)},
		sample{"SurvivesKill", SurvivesKill(ProgramTimedOut(10 * time.Minute))},
		sample{"KilledForMemory", KilledForMemory()},
		sample{"KilledBySignal", KilledBySignal("SIGSEGV")},
		sample{"ProgramExitedSilently", ProgramExitedSilently(3)},
		sample{"FailedAfterResult", FailedAfterResult(3)},
		sample{"SkippedWithResult", SkippedWithResult(77)},
		sample{"SkippedSilently", SkippedSilently(77)},
		sample{"DriverTooOld", DriverTooOld("CUDA driver version is insufficient for CUDA runtime version")},
		sample{"DriverTooOld", DriverTooOld("")},
		sample{"ProgramNotFound", ProgramNotFound("gpustream")},
		sample{"ProgramNotExecutable", ProgramNotExecutable("gpustream")},
		sample{"ProgramOfAnotherMachine", ProgramOfAnotherMachine("gpustream")},
		sample{"ProgramNotStarted", ProgramNotStarted("gpustream", errors.New("too many open files"))},
	)
}
