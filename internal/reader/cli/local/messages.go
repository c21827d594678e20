package local

import (
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/message"
)

// localSetting is for a flag that cannot be read, --parameter or --min.
func localSetting(flag, text string) string {
	if flag == "--min" {
		return fmt.Sprintf("cannot read --min %q: expected BENCHMARK.METRIC=VALUE, such as stream.triad=150", text)
	}
	return fmt.Sprintf("cannot read %s %q: expected BENCHMARK.PARAMETER=VALUE, such as stream.seconds=5", flag, text)
}

func localBegins(host, devices string, benchmarks int, cost time.Duration) string {
	return fmt.Sprintf("Measuring %s (%s) by %s, about %s; more where something is suspect", host, devices, message.Several(benchmarks, "benchmark"),
		message.Duration(cost))
}

// localDevices says what a host is made of.
func localDevices(cpus int, gpus int, product string) string {
	if gpus == 0 {
		return message.Several(cpus, "CPU")
	}
	if product == "" {
		return fmt.Sprintf("%s, %s", message.Several(cpus, "CPU"), message.Several(gpus, "GPU"))
	}
	return fmt.Sprintf("%s, %d x %s", message.Several(cpus, "CPU"), gpus, product)
}

// localStarts says that an attempt begins, and about how long it takes.
func localStarts(benchmark string, attempt int32, cost time.Duration) string {
	text := benchmark
	if attempt > 1 {
		text += fmt.Sprintf(", attempt %d", attempt)
	}
	return fmt.Sprintf("%s: started, about %s", text, message.Duration(cost))
}
