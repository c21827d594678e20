package cause

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
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
			f.At, f.from = cmp.Or(f.At, s.at), s.domain
			return f
		}
	}
	return Fault{Kind: NotKnown, At: s.at, Why: s.state(), from: s.domain}
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
	return Fault{Kind: MemoryClock, Sure: true, Why: inWords(b)}, isLower && lost >= s.loss-s.allowed
}

// slowMemory: its clocks are those of the others.
func slowMemory(s *suspect) (Fault, bool) {
	b := s.read("MHz", "memoryClock", "gpuMemClock")
	return Fault{Kind: Memory, Why: "at the memory clock of the others"}, b.compared() && !b.lower()
}

// settings: the node differs from most of its kind in what can slow this down.
func settings(relevant ...string) rule {
	return func(s *suspect) (Fault, bool) {
		all := list.Where(s.unlike, func(name string) bool { return slices.Contains(relevant, name) })
		if s.at != "" || len(all) == 0 {
			return Fault{}, false
		}
		kind := Setting
		if slices.Equal(all, []string{"driver"}) {
			kind = Driver
		}
		return Fault{Kind: kind, Why: "unlike most nodes of its kind in " + message.List(all)}, true
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
