package result

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
)

// bigNode is what inventory reports of a node with 8 GPUs, 8 RDMA ports and 10 network cards: what one machine has that no other has, too.
func bigNode(seed uint64) Document {
	random := rand.New(rand.NewPCG(seed, 1))
	hex := func(digits int) string {
		return fmt.Sprintf("%0*x", digits, random.Uint64()>>(64-4*min(digits, 16)))[:digits]
	}
	d := Document{Schema: Schema, Benchmark: "inventory", Version: "0.4.0", Measurements: []Measurement{
		{Name: "devices", Unit: "devices", Better: BetterHigher, Parts: []Part{{At: NodePart, Value: 8}}},
	}}
	add := func(name, at string, value any) {
		if number, ok := value.(int); ok {
			value = json.Number(strconv.Itoa(number))
		}
		d.Facts = append(d.Facts, Fact{name, at, value})
	}
	for gpu := range 8 {
		d.Device = append(d.Device, Device{Index: int32(gpu), Product: "NVIDIA H200",
			UUID: "GPU-" + hex(8) + "-" + hex(4) + "-" + hex(4) + "-" + hex(4) + "-" + hex(12)})
	}
	for _, f := range []struct {
		name  string
		value any
	}{
		{"gpuLost", false}, {"rowRemapFailed", false}, {"fabricDown", false}, {"fabricDegraded", false}, {"pcieWidthReduced", false}, {"nvlinksMissing", 0},
		{"memoryRepairPending", false}, {"eccOff", false}, {"gpuModel", "NVIDIA H200"}, {"nvlinksUp", 18}, {"pagesRetired", 0}, {"eccUncorrectedSinceBoot", 0},
		{"fabricState", "completed"}, {"vbios", "96.00.A5.00.03"}, {"powerLimitW", 700}, {"powerLimitDefaultW", 700}, {"migEnabled", false},
		{"computeMode", "default"}, {"persistence", true}, {"pcieWidth", 16}, {"pcieWidthMax", 16}, {"pcieGeneration", 5}, {"pcieGenerationMax", 5},
		{"nvlinkGBps", "26.562"}, {"gpuMemoryMiB", 143771}, {"eccUncorrected", 0}, {"rowsRemappedCorrected", 0}, {"rowsRemappedUncorrected", 0}, {"gpuNumaNode", nil},
		{"eccCorrected", nil}, {"inforom", "G525.0225.00.05"}, {"pciAddress", nil}, {"gpuSerial", nil}, {"smClockMaxMHz", 1980}, {"memoryClockMaxMHz", 3201}, {"gpuPartNumber", "692-2G525-0225-501"},
	} {
		for gpu := range 8 {
			value := f.value
			switch f.name {
			case "gpuNumaNode":
				value = gpu / 4
			case "eccCorrected":
				value = random.IntN(3)
			case "pciAddress":
				value = fmt.Sprintf("0000:%02x:00.0", 0x18+gpu*0x11)
			case "gpuSerial":
				value = fmt.Sprint(1_650_000_000_000 + random.Int64N(10_000_000_000))
			}
			add(f.name, fmt.Sprintf("gpu%d", gpu), value)
		}
	}
	for _, f := range []struct {
		name  string
		value any
	}{{"rdmaState", "ACTIVE"}, {"rdmaGbps", 400}, {"rdmaLinkLayer", "InfiniBand"}} {
		for nic := range 8 {
			add(f.name, fmt.Sprintf("mlx5_%d", nic), f.value)
		}
	}
	for nic := range 10 {
		at := fmt.Sprintf("nic%d", nic)
		add("nicLinkWidth", at, 16)
		add("nicLinkWidthMax", at, 16)
		add("nicLinkGTs", at, 32)
		add("nicDriver", at, "mlx5_core")
		add("nicAddress", at, fmt.Sprintf("0000:%02x:00.0", 0x1a+nic*0x11))
	}
	host := map[string]any{
		"driver": "570.172.08", "cudaVersion": "12.8", "kernel": "6.8.0-60-generic", "architecture": "x86_64", "cpuModel": "Intel(R) Xeon(R) Platinum 8480C",
		"microcode": "0x2b000603", "sockets": 2, "cores": 112, "threads": 224, "smt": true, "numaNodes": 2, "cpuGovernor": "performance", "cpuFrequencyDriver": "intel_pstate",
		"turbo": true, "hugePages2MiB": 0, "hugePages1GiB": 0, "transparentHugePages": "madvise", "memoryGiB": 2015, "memoryModules": 32, "memorySpeedMTs": 4800,
		"biosVendor": "Dell Inc.", "biosVersion": "2.3.4", "biosDate": "01/10/2025", "systemVendor": "Dell Inc.", "systemProduct": "PowerEdge XE9680",
		"bootParameters": "iommu=pt intel_iommu=on pci=realloc=off nvme_core.multipath=Y default_hugepagesz=2M", "numaBalancing": false, "clockSource": "tsc",
		"gpusUnseen": 0, "gpusOnBus": 8, "xidErrorsVisible": false, "nvswitches": 4, "memoryErrorsSeen": false, "memoryErrorsUncorrected": 0, "memoryErrorsCorrected": 0, "nicLinksReduced": 0,
		"rdmaPortsActive": 8, "rdmaFirmware": "MT_0000000838 28.39.3560", "boardName": "0J8FHK",
	}
	for _, name := range slices.Sorted(maps.Keys(host)) {
		add(name, "", host[name])
	}
	return d
}
