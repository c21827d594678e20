package cause

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/quantity"
)

// A rule knows one cause, or a few that share what they show. It is not ok where what was recorded does not show it.
type rule func(s *suspect) (f Fault, ok bool)

// rules of each domain: the first that knows the cause has the word.
var rules = map[domain][]rule{
	compute:    {flagged, ofOneGPU, limited, hot, patterned, held, shared, settings("driver", "vbios", "persistence", "migEnabled", "bootParameters"), atFullClock},
	memory:     {flagged, ofOneGPU, worn, memoryClock, limited, hot, patterned, held, shared, settings("driver", "vbios", "migEnabled"), slowMemory},
	hostLink:   {narrow, olderGeneration, shared, halved, socket, settings("biosVersion", "numaBalancing", "numaNodes", "kernel", "bootParameters", "driver", "cpuGovernor"), allHostLinks},
	peerLink:   {missingLinks, degradedFabric, shared, settings("driver", "nvswitches", "fabricState"), peers},
	processor:  {settings("cpuGovernor", "turbo", "smt", "cpuModel", "cores", "microcode", "biosVersion", "kernel", "bootParameters", "clockSource")},
	hostMemory: {settings("memorySpeedMTs", "memoryGiB", "numaNodes", "numaBalancing", "transparentHugePages", "hugePages1GiB", "biosVersion", "cpuModel", "kernel", "bootParameters")},
	network:    {adapter},
	plain:      {stated},
	several:    {ofOneGPU},
}

func (s *suspect) fault() Fault {
	for _, r := range rules[s.domain] {
		if f, ok := r(s); ok {
			if f.At == "" {
				f.At = s.at
			}
			return f
		}
	}
	clock, power, temperature := s.sensors()
	return Fault{Kind: NotKnown, At: s.at, Why: s.states(clock, power, temperature), follows: s.domain == several && len(s.place.GPUs) == 0}
}

// sensors of a GPU: what the program read while it measured the metric, else over all of its run, else what was sampled beside it.
func (s *suspect) sensors() (clock, power, temperature beside) {
	metric := s.broken[0].Metric
	return s.read("MHz", metric+"Clock", "smClock", "gpuSmClock"), s.read("W", metric+"Power", "power", "gpuPower"), s.read("C", "temperature", "gpuTemperature")
}

// slowedBy says that the clock is lower than that of any other GPU, by as much as the GPU is slower: nothing computes faster than its clock.
func (s *suspect) slowedBy(clock beside) bool {
	return clock.lower() && (math.IsNaN(s.loss) || clock.lost() >= s.loss-s.margin())
}

// flagged: the driver says what held the clock down, and this GPU's longer than any other's. What is slowed for a fifth of the time loses a
// fifth at most; where it was seen less often than that, its clock must tell. It is sure only where it was seen often enough.
func flagged(s *suspect) (Fault, bool) {
	for _, by := range []struct {
		kind  Kind
		words string
		names []string
	}{{Heat, "slowed by heat", []string{"hwThermal", "swThermal"}}, {PowerSupply, "slowed by the server's power supply", []string{"hwPowerBrake"}}} {
		own, most, name := s.share(by.names...)
		clock, power, temperature := s.sensors()
		isSure := own >= s.loss-s.margin()
		if own <= most || !isSure && !s.slowedBy(clock) {
			continue
		}
		why := fmt.Sprintf("%s (%s) %s of the time", by.words, name, quantity.Percent(100*own))
		return Fault{Kind: by.kind, Sure: isSure, Why: joined(s.states(clock, power, temperature), why)}, true
	}
	return Fault{}, false
}

// ofOneGPU: what all GPUs do together is slowed by one of them, of which the driver says so.
func ofOneGPU(s *suspect) (Fault, bool) {
	if len(s.place.GPUs) > 0 {
		return Fault{}, false
	}
	for _, d := range s.attempt.Devices {
		one := *s
		one.place = part.Read(fmt.Sprintf("gpu%d", d.Index))
		if f, ok := flagged(&one); ok && f.Sure {
			f.At = one.gpu()
			return f, true
		}
	}
	return Fault{}, false
}

// share of the time in which the driver held a clock down for one of these reasons: of the suspect, at most of the others, and the reason.
// Where the node is suspect, it is that of the GPU that was held down least.
func (s *suspect) share(reasons ...string) (own, most float64, name string) {
	shares := map[string]float64{}
	for at, v := range valuesOf(attempt.Sampled(s.attempt, "gpuThrottled")) {
		gpu, reason, _ := strings.Cut(at, " ")
		if !slices.Contains(reasons, reason) || v <= shares[gpu] {
			continue
		}
		if shares[gpu] = v; gpu == s.gpu() || s.gpu() == "" {
			name = reason
		}
	}
	if s.gpu() != "" {
		for gpu, v := range shares {
			if gpu != s.gpu() {
				most = max(most, v)
			}
		}
		return shares[s.gpu()], most, name
	}
	if len(shares) < len(s.attempt.Devices) || len(shares) == 0 {
		return 0, 0, ""
	}
	own = math.Inf(1)
	for _, v := range shares {
		own = min(own, v)
	}
	return own, 0, name
}

// limited: its power limit is below its default or that of others, or the driver caps it at less power than others draw.
func limited(s *suspect) (Fault, bool) {
	clock, power, temperature := s.sensors()
	if clock.compared() && !s.slowedBy(clock) {
		return Fault{}, false
	}
	limit, known := s.number("powerLimitW", s.gpu())
	usual := max(s.most("powerLimitDefaultW"), s.most("powerLimitW"))
	if s.gpu() == "" {
		limit, known = s.most("powerLimitW"), s.facts["powerLimitW"] != nil
	}
	if known && limit < usual {
		return Fault{Kind: PowerLimit, Sure: true, Why: joined(fmt.Sprintf("its limit is %v W of %v W", limit, usual), s.states(clock, power, temperature))}, true
	}
	if own, _, _ := s.share("swPowerCap"); own > 0 && power.lower() {
		return Fault{Kind: PowerLimit, Sure: own >= s.loss-s.margin(), Why: joined(s.states(clock, power, temperature),
			fmt.Sprintf("power-capped %s of the time", quantity.Percent(100*own)))}, true
	}
	return Fault{}, false
}

// hot: with a lower clock at no more power it should be cooler than the others, and is hotter. Where the driver's own word is known, it counts.
func hot(s *suspect) (Fault, bool) {
	clock, power, temperature := s.sensors()
	isSlow := s.slowedBy(clock) && temperature.beyond() && !(power.value > power.most+power.step)
	if !isSlow || attempt.Sampled(s.attempt, "gpuThrottled") != nil {
		return Fault{}, false
	}
	return Fault{Kind: Heat, Why: s.states(clock, power, temperature)}, true
}

// patterned: over several number formats, a locked clock is the same in all that would run faster, and the power differs; under a lower power
// limit the power is the same in all that would draw more, and the clock differs.
func patterned(s *suspect) (Fault, bool) {
	var clocks, powers []beside
	for i := range s.attempt.Telemetry {
		if name, ok := strings.CutSuffix(s.attempt.Telemetry[i].Name, "Clock"); ok {
			if power := s.read("W", name+"Power"); !math.IsNaN(power.value) {
				clocks, powers = append(clocks, s.read("MHz", name+"Clock")), append(powers, power)
			}
		}
	}
	clock, power, temperature := s.sensors()
	isLocked, isCapped := flat(clocks, steps["MHz"]), flat(powers, apart(powers))
	if s.gpu() == "" {
		top := s.most("smClockMaxMHz")
		isLocked, isCapped = len(clocks) > 2 && alike(clocks) && clock.value < top-clock.step, false
	} else if !s.slowedBy(clock) {
		return Fault{}, false
	}
	switch {
	case isLocked && !isCapped:
		return Fault{Kind: ClockLock, Why: joined(s.states(clock, power, temperature), "the same clock in every number format, where others differ")}, true
	case isCapped && !isLocked:
		return Fault{Kind: PowerLimit, Why: joined(s.states(clock, power, temperature), "the same power in every number format, at different clocks")}, true
	}
	return Fault{}, false
}

// flat: where the others have more than the most of all these, each is as high as that, by what the others are apart at most; and that is so
// of two at least.
func flat(all []beside, apart float64) bool {
	top, cut := 0.0, 0
	for _, b := range all {
		top = max(top, b.value)
	}
	for _, b := range all {
		switch {
		case !b.compared() || b.value > b.most+b.most-b.least+b.step:
			return false
		case b.least <= top+apart:
		case b.value < top-apart:
			return false
		default:
			cut++
		}
	}
	return cut > 1
}

// apart is how far healthy GPUs are from each other in the format in which they differ most, or what a sensor can tell.
func apart(all []beside) float64 {
	most := 0.0
	for _, b := range all {
		most = max(most, b.most-b.least, b.step)
	}
	return most
}

// alike values, as far as a sensor can tell.
func alike(all []beside) bool {
	least, most := math.Inf(1), 0.0
	for _, b := range all {
		least, most = min(least, b.value), max(most, b.value)
	}
	return most-least <= all[0].step
}

// held: a lower clock explains it, and nothing tells what lowers the clock.
func held(s *suspect) (Fault, bool) {
	clock, power, temperature := s.sensors()
	return Fault{Kind: ClockHeld, Sure: true, Why: s.states(clock, power, temperature)}, s.slowedBy(clock)
}

// shared: it comes and goes.
func shared(s *suspect) (Fault, bool) {
	return Fault{Kind: Neighbour, Why: "its samples scatter by more than healthy parts are apart, and more than those of any other part"}, s.flickers()
}

// atFullClock: as fast as the others, and yet slow.
func atFullClock(s *suspect) (Fault, bool) {
	clock, power, temperature := s.sensors()
	return Fault{Kind: GPU, Why: s.states(clock, power, temperature)}, clock.compared() && !clock.lower()
}

// worn: the memory itself reports errors that it could not correct, or a repair that is due.
func worn(s *suspect) (Fault, bool) {
	if s.gpu() == "" {
		return Fault{}, false
	}
	for _, name := range []string{"rowRemapFailed", "memoryRepairPending", "rowsRemappedUncorrected", "eccUncorrected", "pagesRetired"} {
		if n, isNumber := s.number(name, s.gpu()); isNumber && n > 0 || s.yes(name, s.gpu()) {
			return Fault{Kind: Memory, Sure: true, Why: fmt.Sprintf("its %s is %s", name, s.facts[name][s.gpu()])}, true
		}
	}
	return Fault{}, false
}

// memoryClock: below what the memory can do, or below that of all others, by as much as is lost.
func memoryClock(s *suspect) (Fault, bool) {
	b := s.read("MHz", "memoryClock", "gpuMemClock")
	lost := b.lost()
	top := s.most("memoryClockMaxMHz")
	if len(b.others) == 0 {
		lost = 1 - b.value/top
	}
	isLower := b.lower() || len(b.others) == 0 && b.value < top-b.step
	return Fault{Kind: MemoryClock, Sure: true, Why: s.states(b)}, isLower && lost >= s.loss-s.margin()
}

// slowMemory: its clocks are those of the others.
func slowMemory(s *suspect) (Fault, bool) {
	b := s.read("MHz", "memoryClock", "gpuMemClock")
	return Fault{Kind: Memory, Why: "at the memory clock of the others"}, b.compared() && !b.lower()
}

// settings: the node differs from most of its kind in what can slow this down.
func settings(relevant ...string) rule {
	return func(s *suspect) (Fault, bool) {
		var all []string
		for _, name := range s.unlike {
			if slices.Contains(relevant, name) {
				all = append(all, name)
			}
		}
		if s.at != "" || len(all) == 0 {
			return Fault{}, false
		}
		kind := Setting
		if slices.Equal(all, []string{"driver"}) {
			kind = Driver
		}
		return Fault{Kind: kind, Why: "unlike most nodes of its kind in " + enumerate(all)}, true
	}
}

// adapter: a node that is slow with most others. Lanes or ports that it lacks are sure to be why.
func adapter(s *suspect) (Fault, bool) {
	if n, _ := s.number("nicLinksReduced", ""); n > 0 {
		return Fault{Kind: Adapter, Sure: true, Why: fmt.Sprintf("PCIe lanes are lost at %v of its network cards", n)}, true
	}
	if slices.Contains(s.unlike, "rdmaPortsActive") {
		return Fault{Kind: Adapter, Sure: true, Why: fmt.Sprintf("%s of its ports are active, unlike most nodes of its kind", s.facts["rdmaPortsActive"][""])}, true
	}
	return Fault{Kind: Adapter, Why: "with most others"}, true
}

// factKinds are facts that name a cause; any other is a setting.
var factKinds = map[string]Kind{"gpuLost": DevicesMissing, "rowRemapFailed": Memory, "memoryRepairPending": Memory, "fabricDown": Fabric, "fabricDegraded": Fabric,
	"fabricState": Fabric, "nvlinksMissing": NVLinks, "nvlinksUp": NVLinks, "nvlinkGBps": NVLinks, "pcieWidthReduced": HostLinkWidth, "pcieWidth": HostLinkWidth, "nicLinksReduced": Adapter,
	"rdmaPortsActive": Adapter, "driver": Driver, "powerLimitW": PowerLimit, "memoryErrorsSeen": HostMemory}

// stated: the finding itself is the cause.
func stated(s *suspect) (Fault, bool) {
	f := s.broken[0].Finding
	kind, known := factKinds[f.Metric]
	switch {
	case f.Rule == term.Missing:
		kind = NoOutput
	case f.Rule == term.Devices:
		kind = DevicesMissing
	case f.Rule == term.DataCheck && v1alpha1.ReasonOfCheck(f.Metric) == v1alpha1.ReasonDevicesUnusable:
		kind = Unusable
	case f.Rule == term.DataCheck && (f.Metric == "eccUncorrected" || f.Metric == "rowRemap"):
		kind = Memory
	case f.Rule == term.DataCheck:
		kind = WrongData
	case !known:
		kind = Setting
	}
	return Fault{Kind: kind, Sure: true}, true
}

// joined are clauses, without the empty ones.
func joined(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), "; ")
}
