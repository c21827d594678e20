package message

import (
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/quantity"
)

// LocalNoProgram is for a program that is not on this host; folders are where it was looked for first.
func LocalNoProgram(program string, folders []string) string {
	if len(folders) == 0 {
		return fmt.Sprintf("there is no program %s in PATH: name the folder that has it with --programs", program)
	}
	return fmt.Sprintf("there is no program %s in %s, nor in PATH: build it, or name its folder with --programs", program, strings.Join(folders, ", "))
}

// LocalNoSuite says that no benchmark is of this suite.
func LocalNoSuite(suite string, known []string) string {
	return fmt.Sprintf("no benchmark belongs to suite %q: choose one of %s", suite, strings.Join(known, ", "))
}

// LocalNoBenchmark says that the catalogue has no benchmark of this name.
func LocalNoBenchmark(name string) string {
	return fmt.Sprintf("the catalogue has no benchmark %q: kubectl assay local --list shows all of them", name)
}

// LocalNoProfile says that the catalogue has no profile of this name.
func LocalNoProfile(name string, known []string) string {
	return fmt.Sprintf("the catalogue has no HardwareProfile %q: choose one of %s, or name a file", name, strings.Join(known, ", "))
}

// LocalEmptyCatalogue says that a folder has nothing that can be measured.
func LocalEmptyCatalogue(folder string) string {
	return fmt.Sprintf("%s has no Benchmark: name a folder of their YAML files with --catalogue", folder)
}

// LocalProfilesInFile says that a file is to have one profile, and has so many.
func LocalProfilesInFile(path string, count int) string {
	return fmt.Sprintf("%s has %s, expected 1", path, several(count, "HardwareProfile"))
}

// LocalField is for an object of a file that an API server would refuse, as a field is wrong; without a problem, as it is empty.
func LocalField(kind, name, field, problem string) string {
	if problem == "" {
		problem = "it is empty"
	}
	return because(fmt.Sprintf("%s %q has a wrong %s", kind, name, field), problem)
}

// LocalOnlyGroups is for a suite of which nothing can be measured on a single host.
func LocalOnlyGroups() string {
	return "every benchmark of this suite measures several nodes at once, which takes a cluster: choose another suite"
}

// LocalSkipsGroups names the benchmarks that are left out, as they measure several nodes.
func LocalSkipsGroups(benchmarks []string) string {
	return "left out, because they measure several nodes at once: " + names(benchmarks)
}

// LocalNeedsLinux is for a computer on which no program can be measured.
func LocalNeedsLinux() string {
	return "the benchmark programs run on Linux only: run kubectl assay local on the host that you want to measure"
}

// LocalSetting is for a flag that cannot be read, --parameter or --min.
func LocalSetting(flag, text string) string {
	if flag == "--min" {
		return fmt.Sprintf("cannot read --min %q: expected BENCHMARK.METRIC=VALUE, such as stream.triad=150", text)
	}
	return fmt.Sprintf("cannot read %s %q: expected BENCHMARK.PARAMETER=VALUE, such as stream.seconds=5", flag, text)
}

// LocalSetsNothing is for a flag about a benchmark that is not measured.
func LocalSetsNothing(flag, benchmark string) string {
	return fmt.Sprintf("%s names benchmark %q, which is not among those to be measured: add it with --benchmark", flag, benchmark)
}

// LocalBegins says what is measured, and about how long it takes.
func LocalBegins(host, devices string, benchmarks int, cost time.Duration) string {
	return fmt.Sprintf("Measuring %s (%s) by %s, about %s; more where something is suspect", host, devices, several(benchmarks, "benchmark"), durationShort(cost))
}

// LocalDevices says what a host is made of.
func LocalDevices(cpus int, gpus int, product string) string {
	if gpus == 0 {
		return several(cpus, "CPU")
	}
	if product == "" {
		return fmt.Sprintf("%s, %s", several(cpus, "CPU"), several(gpus, "GPU"))
	}
	return fmt.Sprintf("%s, %d x %s", several(cpus, "CPU"), gpus, product)
}

// LocalStarts says that an attempt begins, and about how long it takes.
func LocalStarts(benchmark string, attempt int32, cost time.Duration) string {
	text := benchmark
	if attempt > 1 {
		text += fmt.Sprintf(", attempt %d", attempt)
	}
	return fmt.Sprintf("%s: started, about %s", text, durationShort(cost))
}

// LocalMeasured is the headline of an attempt: the least value of its parts.
func LocalMeasured(benchmark, metric string, value float64, unit string, took time.Duration) string {
	return fmt.Sprintf("%s: %s %s in %s", benchmark, metric, quantity.Format(value, unit), durationShort(took))
}

// LocalEnded is for an attempt without a number.
func LocalEnded(benchmark, reason, why string) string { return because(benchmark+": "+reason, why) }

// LocalInterrupted says that what follows is what was measured by then.
func LocalInterrupted() string {
	return "interrupted: the report has what was measured until then"
}

// LocalStuck is for a run that neither goes on nor ends, which must not be.
func LocalStuck() string {
	return "the run has nothing left to do and does not end: please report this as a bug, with the command that you ran"
}

// LocalSaved says where the run is.
func LocalSaved(path string) string {
	return fmt.Sprintf("saved to %s: kubectl assay report -f %s shows it again", path, path)
}

// LocalNoAnswer says that GPUs could not be looked for.
func LocalNoAnswer(err error) string {
	return because("no GPUs could be found, so none is measured", err.Error())
}
