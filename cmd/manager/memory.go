package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// leastMemory is what the collector may use in any case.
	leastMemory = 96 << 20
	// adjustEvery is how often the limit follows what is live.
	adjustEvery = time.Second
)

// saveMemory keeps the process near what it needs. By default Go lets the heap grow to twice what is live, and is late to give back what it
// needed once: reading thousands of histories at the start left the operator with three times the memory that it needs from then on. A soft limit
// makes the collector work for it; one that is fixed would make it work all the time once a large run needs more. GOMEMLIMIT stays the upper end.
func saveMemory(ctx context.Context) {
	most := debug.SetMemoryLimit(-1)
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	tick := time.NewTicker(adjustEvery)
	defer tick.Stop()
	for {
		metrics.Read(sample)
		if live := sample[0].Value; live.Kind() == metrics.KindUint64 {
			debug.SetMemoryLimit(softLimit(live.Uint64(), most))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// softLimit where so much is live: half as much again for what is allocated until the next collection, and for Go itself.
func softLimit(live uint64, most int64) int64 {
	return min(max(leastMemory, int64(live+live/2)), most) //nolint:gosec // no heap is that large
}
