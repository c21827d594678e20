package runner

import (
	"path/filepath"
	"strings"
	"time"
)

// rapl tells the power of the processors by their energy counters.
type rapl struct {
	zones []*raplZone
	at    time.Time
}

// raplZone is one processor package. Its counter starts again from 0 past its range.
type raplZone struct {
	counter     string
	rangeMicroJ float64
	last        float64
}

func newRAPL(root string) *rapl {
	r := &rapl{}
	for _, zone := range glob(root, "sys/class/powercap/intel-rapl:*") {
		if !strings.HasPrefix(readText(zone, "name"), "package-") {
			continue // a part of a package, or the whole board, which would count twice
		}
		if limit, ok := readNumber(zone, "max_energy_range_uj"); ok {
			r.zones = append(r.zones, &raplZone{counter: filepath.Join(zone, "energy_uj"), rangeMicroJ: limit, last: -1})
		}
	}
	return r
}

// watts are the mean power since the last call. The stretch that ends after the program counts as its edge.
func (r *rapl) watts(at time.Time) []float64 {
	seconds := at.Sub(r.at).Seconds()
	r.at = at
	total, complete := 0.0, len(r.zones) > 0
	for _, zone := range r.zones {
		joules, ok := zone.advance()
		total, complete = total+joules, complete && ok
	}
	if !complete || seconds <= 0 {
		return nil
	}
	return []float64{total / seconds}
}

// advance is the energy in joules since the last call; not ok for the first, or when the counter cannot be read.
func (z *raplZone) advance() (joules float64, ok bool) {
	last := z.last
	value, readable := readNumber(z.counter)
	if !readable {
		z.last = -1
		return 0, false
	}
	z.last = value
	if last < 0 {
		return 0, false
	}
	if value < last {
		value += z.rangeMicroJ
	}
	return (value - last) / 1e6, value >= last
}
