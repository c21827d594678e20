package cause

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/judge/fact"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/message"
)

// Kind of a cause.
type Kind string

// words of a kind: what a part does that has it, what to do about it, and which command shows or mends it; %s stands for the GPU.
type words struct{ says, do, command string }

var wordsOf = map[Kind]words{}

func kind(name, says, do, command string) Kind {
	wordsOf[Kind(name)] = words{says, do, command}
	return Kind(name)
}

// The kinds.
var (
	Heat           = kind("Heat", "throttles from heat", "Check its cooling: airflow, dust, heat sink", "nvidia-smi -q -d TEMPERATURE,PERFORMANCE -i %s")
	PowerLimit     = kind("PowerLimit", "has a lower power limit", "Set its power limit to the default", "nvidia-smi -q -d POWER -i %s")
	PowerSupply    = kind("PowerSupply", "is short of power", "Check the server's power supplies and their cables", "nvidia-smi -q -d PERFORMANCE,POWER -i %s")
	ClockLock      = kind("ClockLock", "runs at a locked clock", "Unlock it", "nvidia-smi --reset-gpu-clocks -i %s")
	ClockHeld      = kind("ClockHeld", "is held at a lower clock", "Find out what holds it: heat, a power limit or a locked clock", "nvidia-smi -q -d PERFORMANCE,CLOCK,POWER,TEMPERATURE -i %s")
	MemoryClock    = kind("MemoryClock", "runs its memory at a lower clock", "Unlock it", "nvidia-smi --reset-memory-clocks -i %s")
	Memory         = kind("Memory", "has bad memory", "Reset the GPU, which remaps the bad rows of its memory; replace it if that does not help", "nvidia-smi -q -d ECC,ROW_REMAPPER -i %s")
	GPU            = kind("GPU", "is slow at the clock of the others", "Look for other work on it; if there is none, have it replaced", "nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv -i %s")
	Neighbour      = kind("Neighbour", "shares with something else", "Find what else runs there, outside pods too, and measure again without it", "nvidia-smi pmon -c 5 -i %s")
	HostLinkWidth  = kind("HostLinkWidth", "has lost lanes of its PCIe link", "Reseat it, or its riser or cable", "nvidia-smi --query-gpu=pcie.link.width.current,pcie.link.width.max --format=csv -i %s")
	HostLinkSpeed  = kind("HostLinkSpeed", "has a PCIe link of an older generation", "Check the slot's setting in the BIOS, then reseat it, or its riser or cable", "nvidia-smi --query-gpu=pcie.link.gen.current,pcie.link.gen.max --format=csv -i %s")
	HostLinkHalf   = kind("HostLinkHalf", "has lost lanes or a generation of its PCIe link", "Compare the width and generation of its PCIe link, while data is copied, with those of the others; reseat it, or its riser or cable", "nvidia-smi --query-gpu=index,pcie.link.gen.current,pcie.link.width.current --format=csv")
	HostSide       = kind("HostSide", "is slow to all of its GPUs", "Compare BIOS, IOMMU and memory settings with a node that passed", "nvidia-smi topo -m")
	Socket         = kind("Socket", "is slow to its GPUs", "Compare the memory and BIOS settings of this NUMA node with the other", "nvidia-smi topo -m")
	NVLinks        = kind("NVLinks", "lacks NVLinks", "Reset the GPUs; if the links stay down, reseat or replace it", "nvidia-smi nvlink --status -i %s")
	NVLinkOfGPU    = kind("NVLinkOfGPU", "is slow in all of its links", "Look for errors at its NVLinks; reseat or replace it", "nvidia-smi nvlink --errorcounters -i %s")
	Link           = kind("Link", "is a slow link", "Look for errors on the way between the two: bridge, baseboard or switch", "nvidia-smi nvlink --errorcounters")
	Fabric         = kind("Fabric", "has a slow or broken NVLink fabric", "Check the Fabric Manager and the NVSwitches", "systemctl status nvidia-fabricmanager")
	Driver         = kind("Driver", "has another driver", "Install the driver that the others have", "nvidia-smi --query-gpu=driver_version,vbios_version --format=csv")
	Setting        = kind("Setting", "has a wrong setting or version", "Correct it", "")
	HostMemory     = kind("HostMemory", "has bad memory modules", "Find the module in the kernel's log or the server's, and have it replaced", "dmesg | grep -i edac")
	Adapter        = kind("Adapter", "is slow on the network", "Check its network adapters, cables and switch ports", "ibstat; ip -s link")
	Path           = kind("Path", "is a slow path", "Swap the cable first, then the switch ports; look at routes last", "")
	Switch         = kind("Switch", "is a slow boundary", "Check the switches between the two sides, and the links between these", "")
	WrongData      = kind("WrongData", "computes or stores wrong data", "Take the node out of service, and have the part replaced", "nvidia-smi -q -d ECC -i %s")
	Unusable       = kind("Unusable", "has devices that no program can use", "Look for the driver's error in the node's kernel log, and at the device plugin's log and events, and at the container's device cgroup", "dmesg | grep -e NVRM -e Xid")
	DevicesMissing = kind("DevicesMissing", "lacks devices", "Look for them in the node's kernel log; reset or reseat them", "nvidia-smi -L; dmesg | grep -e NVRM -e Xid")
	NoOutput       = kind("NoOutput", "has a program that did not report what is expected", "Look at the log of its pod", "")
	NotKnown       = kind("NotKnown", "is slow, and the cause is not known", "Compare it with one that passed: what differs, what has changed, and whether the fault moves when the two are swapped", "")
)

// Says is the cause in a few words, about the part or the node: "gpu1 (GPU-7f3a) probably throttles from heat: at 76 C, the others at 64 C".
func (f *Fault) Says(node string) string {
	at := node
	if f.At != "" {
		at = message.PartWith(f.At, f.UUIDs)
	}
	return message.Because(at+" "+f.Kind.Says(f.Sure), f.Why)
}

// plainName is what a shell takes for one word and nothing else.
var plainName = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z-]{0,95}$`)

// Says is the kind in a few words, which follow the name of the part.
func (k Kind) Says(sure bool) string {
	if sure || k == NotKnown {
		return wordsOf[k].says
	}
	if rest, is := strings.CutPrefix(wordsOf[k].says, "is "); is {
		return "is probably " + rest
	}
	return "probably " + wordsOf[k].says
}

// Action is what to do.
func (f *Fault) Action() string { return wordsOf[f.Kind].do }

// command shows or mends it, on the node; empty: there is none. What a program says of its devices gets into it only where it is a plain name.
func (f *Fault) command() string {
	gpu := ""
	if len(f.UUIDs) == 1 && plainName.MatchString(f.UUIDs[0]) {
		gpu = " -i " + f.UUIDs[0]
	}
	return strings.ReplaceAll(wordsOf[f.Kind].command, " -i %s", gpu)
}

// Advice is both in one line.
func (f *Fault) Advice() string { return message.Because(f.Action(), f.command()) }

// mostMetrics of a fault are told.
const mostMetrics = 3

// Findings are what it broke, of each metric the worst: the value, what is typical and the bound.
func (f *Fault) Findings() (all []string) {
	var told []string
	for _, b := range f.Broken {
		if what := b.Benchmark + " " + b.Metric; !slices.Contains(told, what) && len(told) < mostMetrics {
			told, all = append(told, what), append(all, b.says())
		}
	}
	if n := f.Broken[0].measured; n > 1 && f.from != plain && f.Broken[0].Value != "" {
		all[0] += fmt.Sprintf("; confirmed: mean of %d measurements", n)
	}
	if more := len(f.Broken) - len(told); more > 0 {
		all = append(all, "and "+message.Several(more, "more finding"))
	}
	return all
}

// says is a rule that was broken with its numbers; without numbers, as it was told.
func (b Broken) says() string {
	numbers := InNumbers(&b.RuleNumbers)
	if numbers == "" || fact.FactRules[b.Rule] {
		return message.Because(b.Benchmark, b.Message)
	}
	return fmt.Sprintf("%s: %s, %s", Named(b.Benchmark, b.Metric, b.At), numbers, term.Says(b.Rule))
}

// Named is a metric of a benchmark, with the part.
func Named(benchmark, metric, at string) string {
	text := strings.TrimSpace(benchmark + " " + metric)
	if metric == benchmark {
		text = metric
	}
	if at != "" && at != "node" {
		text += " of " + at
	}
	return text
}
