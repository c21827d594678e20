package message

import (
	"errors"
	"time"
)

func init() {
	samples = append(samples,
		sample{"LocalNoProgram", LocalNoProgram("stream", nil)},
		sample{"LocalNoProgram", LocalNoProgram("stream", []string{"build/kernels/bin"})},
		sample{"LocalNoSuite", LocalNoSuite("quik", []string{"acceptance", "cpu", "quick", "standard"})},
		sample{"LocalNoBenchmark", LocalNoBenchmark("streem")},
		sample{"LocalNoProfile", LocalNoProfile("h2000", []string{"h100-sxm", "h200"})},
		sample{"LocalEmptyCatalogue", LocalEmptyCatalogue("mine")},
		sample{"LocalProfilesInFile", LocalProfilesInFile("mine.yaml", 2)},
		sample{"LocalField", LocalField("Benchmark", "mine", "spec.command", "")},
		sample{"LocalField", LocalField("HardwareProfile", "mine", "spec.selector", "\"Like\" is not a valid label selector operator")},
		sample{"LocalOnlyGroups", LocalOnlyGroups()},
		sample{"LocalSkipsGroups", LocalSkipsGroups([]string{"mpibench", "hpl-cluster"})},
		sample{"LocalNeedsLinux", LocalNeedsLinux()},
		sample{"LocalSetting", LocalSetting("--parameter", "stream=5")},
		sample{"LocalSetting", LocalSetting("--min", "stream=5")},
		sample{"LocalSetsNothing", LocalSetsNothing("--parameter", "stream")},
		sample{"LocalBegins", LocalBegins("lab-3", LocalDevices(2, 0, ""), 3, 31*time.Second)},
		sample{"LocalBegins", LocalBegins("lab-4", LocalDevices(96, 8, "NVIDIA-H200"), 7, 2*time.Minute)},
		sample{"LocalDevices", LocalDevices(1, 0, "")},
		sample{"LocalDevices", LocalDevices(16, 2, "")},
		sample{"LocalStarts", LocalStarts("stream", 1, 15*time.Second)},
		sample{"LocalStarts", LocalStarts("stream", 2, 15*time.Second)},
		sample{"LocalMeasured", LocalMeasured("stream", "triad", 12.345, "GB/s", 11*time.Second)},
		sample{"LocalEnded", LocalEnded("stream", "TimedOut", "the program was stopped after 10m")},
		sample{"LocalEnded", LocalEnded("inventory", "Measured", "")},
		sample{"LocalInterrupted", LocalInterrupted()},
		sample{"LocalStuck", LocalStuck()},
		sample{"LocalSaved", LocalSaved("today.jsonl")},
		sample{"LocalNoAnswer", LocalNoAnswer(errors.New("asking nvidia-smi for GPUs: exit status 9"))},
	)
}
