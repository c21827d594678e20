package runner

import (
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/quantity"
)

// others is the share of all processors' time that neither the runner nor the program took: other work on the node, and what a hypervisor gave to others.
type others struct {
	root string
	// own is the time that this process took, and its children that have ended.
	own   func() time.Duration
	edges []processorTime
}

// processorTime since the node started, in seconds of all its processors.
type processorTime struct{ all, busy, stolen, own float64 }

// leastWatched seconds of each processor, or ticks of 10 ms say little.
const leastWatched = 1

func (o *others) sample(p phase, _ time.Time) {
	if p != atEdge {
		return
	}
	if t, processors, ok := o.read(); ok && (len(o.edges) == 0 || t.all-o.edges[0].all >= leastWatched*float64(processors)) {
		o.edges = append(o.edges, t)
	}
}

// read /proc/stat, whose first line sums up the lines of the processors.
func (o *others) read() (t processorTime, processors int, ok bool) {
	const ticks, idle, waiting, steal, kinds = 100, 3, 4, 7, 8 // guests are part of user time
	first, rest, _ := strings.Cut(readText(o.root, "proc/stat"), "\n")
	fields := strings.Fields(strings.TrimPrefix(first, "cpu "))
	if len(fields) < kinds {
		return t, 0, false
	}
	for i, field := range fields[:kinds] {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return t, 0, false
		}
		n /= ticks
		t.all += n
		if i != idle && i != waiting {
			t.busy += n
		}
		if i == steal {
			t.stolen = n
		}
	}
	t.own = o.own().Seconds()
	return t, max(1, strings.Count(rest, "cpu")), true
}

func (o *others) telemetry() []result.Measurement {
	if len(o.edges) != 2 {
		return nil
	}
	a, b := o.edges[0], o.edges[1]
	share := func(part float64) result.Part {
		return result.Part{At: result.NodePart, Value: quantity.Round(max(0, min(1, part/(b.all-a.all))), sensorDigits)}
	}
	all := []result.Measurement{measurement("cpuOthers", "fraction", result.BetterLower, share(b.busy-a.busy-(b.own-a.own)))}
	if b.stolen > a.stolen {
		all = append(all, measurement("cpuSteal", "fraction", result.BetterLower, share(b.stolen-a.stolen)))
	}
	return all
}

// ownProcessorTime of this process, and of those of its children that have ended, and theirs.
func ownProcessorTime() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}
