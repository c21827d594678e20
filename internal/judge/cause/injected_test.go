package cause_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/export"
)

// injected is a cause that is put into recorded measurements of healthy machines, in several sizes.
type injected struct {
	name  string
	sizes []float64
	unit  string
	// want is the right cause; honest are those that leave open what the record does not tell. Everything else is wrong.
	want   cause.Kind
	honest []cause.Kind
	// at is what the fault should be called; GPU stands for the GPU that it is put into.
	at     string
	inject func(size float64, gpu int, benchmark string, a *v1alpha1.Attempt)
}

const (
	idleW    = 120 // of a GPU with a context
	ambientC = 28
	exponent = 2.4 // of power over clock, while the voltage follows the clock
)

// alter the values of a quantity at parts whose names are accepted.
func alter(all []v1alpha1.Measurement, is func(name, at string) bool, to func(v float64) float64) {
	for i := range all {
		for j := range all[i].Parts {
			if p := &all[i].Parts[j]; is(all[i].Name, p.At) {
				v, _ := quantity.ParseDecimal(p.Value)
				p.Value = quantity.Decimal(to(v), 6)
			}
		}
	}
}

func times(factor float64) func(float64) float64 {
	return func(v float64) float64 { return v * factor }
}

// of GPUs by their numbers, a metric whose name contains a text.
func of(text string, gpus ...int) func(name, at string) bool {
	return func(name, at string) bool {
		return strings.Contains(name, text) && slices.ContainsFunc(gpus, func(g int) bool { return at == fmt.Sprintf("gpu%d", g) })
	}
}

func valueOf(all []v1alpha1.Measurement, name string, gpu int) (v float64) {
	alter(all, func(n, at string) bool { return n == name && at == fmt.Sprintf("gpu%d", gpu) }, func(f float64) float64 { v = f; return f })
	return v
}

var formatNames = []string{"fp64", "fp32", "tf32", "bf16", "fp16", "fp8"}

// slow a GPU down: in each format it runs at the clock that is given by what it ran at and drew. Products, power and temperature follow.
func slow(a *v1alpha1.Attempt, gpu int, clock func(mhz, watts float64) float64) {
	before, after, drew, draws := 0.0, 0.0, 0.0, 0.0
	for _, f := range formatNames {
		c, p := valueOf(a.Telemetry, f+"Clock", gpu), valueOf(a.Telemetry, f+"Power", gpu)
		now := min(c, clock(c, p))
		watts := idleW + (p-idleW)*math.Pow(now/c, exponent)
		exactly := func(text string) func(string, string) bool {
			return func(name, at string) bool { return name == text && at == fmt.Sprintf("gpu%d", gpu) }
		}
		alter(a.Measurements, exactly(f), times(now/c))
		alter(a.Telemetry, exactly(f+"Clock"), times(now/c))
		alter(a.Telemetry, exactly(f+"Power"), times(watts/p))
		before, after, drew, draws = before+c, after+now, drew+p, draws+watts
	}
	alter(a.Telemetry, of("smClock", gpu), times(after/before))
	alter(a.Telemetry, func(name, at string) bool { return name == "power" && at == fmt.Sprintf("gpu%d", gpu) }, times(draws/drew))
	alter(a.Telemetry, of("temperature", gpu), func(t float64) float64 { return math.Round(ambientC + (t-ambientC)*draws/drew) })
}

// capped at so many watts: what a GPU draws at its limit of 700 W scatters as recorded, and so does this.
func capped(watts float64) func(mhz, drew float64) float64 {
	return func(mhz, drew float64) float64 {
		now := watts
		if mhz < 1970 {
			now *= drew / 700
		}
		return mhz * math.Pow((now-idleW)/(drew-idleW), 1/exponent)
	}
}

// hot: what the cooling carries off is so many watts, at 87 C.
func hot(a *v1alpha1.Attempt, gpu int, watts float64) {
	slow(a, gpu, capped(watts))
	alter(a.Telemetry, of("temperature", gpu), func(float64) float64 { return 87 })
}

// flags as the driver gives them: all GPUs are at their power limit for three quarters of the time, some for another reason.
func flags(a *v1alpha1.Attempt, reason string, share float64, gpus ...int) {
	m := v1alpha1.Measurement{Name: "gpuThrottled", Unit: "fraction"}
	for g := range 4 {
		m.Parts = append(m.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d swPowerCap", g), Value: "0.76"})
		if slices.Contains(gpus, g) && reason != "" {
			m.Parts = append(m.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d %s", g, reason), Value: quantity.Decimal(share, 4)})
		}
	}
	a.Telemetry = append(a.Telemetry, m)
}

func setFact(a *v1alpha1.Attempt, name string, value any, gpus ...int) {
	found := false
	for i := range a.Facts {
		f := &a.Facts[i]
		if f.Name == name && (f.At == "" || slices.ContainsFunc(gpus, func(g int) bool { return f.At == fmt.Sprintf("gpu%d", g) })) {
			f.Value, found = fmt.Sprint(value), true
		}
	}
	if !found && len(gpus) == 0 {
		a.Facts = append(a.Facts, v1alpha1.Fact{Name: name, Value: fmt.Sprint(value)})
	}
	for _, g := range gpus {
		if !found {
			a.Facts = append(a.Facts, v1alpha1.Fact{Name: name, At: fmt.Sprintf("gpu%d", g), Value: fmt.Sprint(value)})
		}
	}
}

func forget(a *v1alpha1.Attempt, names ...string) {
	a.Facts = slices.DeleteFunc(a.Facts, func(f v1alpha1.Fact) bool { return slices.Contains(names, f.Name) })
	a.Telemetry = slices.DeleteFunc(a.Telemetry, func(m v1alpha1.Measurement) bool { return slices.Contains(names, m.Name) })
}

func pairsOf(gpu int) func(name, at string) bool {
	return func(name, at string) bool {
		return strings.Contains(at, fmt.Sprintf("gpu%d", gpu)) && strings.Contains(at, ">") && name[0] != 'h'
	}
}

var (
	all4 = []int{0, 1, 2, 3}
	held = []cause.Kind{cause.ClockHeld}
)

var causes = []injected{
	{"heat, and the driver says so", []float64{620, 550, 450}, "W carried off", cause.Heat, held, "GPU", func(watts float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			hot(a, gpu, watts)
			flags(a, "swThermal", 0.8, gpu)
		}
	}},
	{"heat, by the sensors alone", []float64{620, 550, 450}, "W carried off", cause.Heat, held, "GPU", func(watts float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			hot(a, gpu, watts)
		}
	}},
	{"all GPUs hot, and the driver says so", []float64{600, 500, 400}, "W carried off", cause.Heat, nil, "", func(watts float64, _ int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			for _, g := range all4 {
				hot(a, g, watts)
			}
			flags(a, "swThermal", 0.8, all4...)
		}
	}},
	{"power limit, with its fact", []float64{600, 500, 350}, "W", cause.PowerLimit, held, "GPU", func(watts float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		switch benchmark {
		case "gemm":
			slow(a, gpu, capped(watts))
		case "inventory":
			setFact(a, "powerLimitW", watts, gpu)
		}
	}},
	{"power limit, by the driver's flag", []float64{600, 500, 350}, "W", cause.PowerLimit, held, "GPU", func(watts float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			slow(a, gpu, capped(watts))
			flags(a, "swPowerCap", 1, gpu)
		}
	}},
	{"power limit, by the sensors alone", []float64{600, 500, 350}, "W", cause.PowerLimit, held, "GPU", func(watts float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			slow(a, gpu, capped(watts))
		}
	}},
	{"power limit of all GPUs, with its fact", []float64{600, 500, 350}, "W", cause.PowerLimit, nil, "", func(watts float64, _ int, benchmark string, a *v1alpha1.Attempt) {
		for _, g := range all4 {
			switch benchmark {
			case "gemm":
				slow(a, g, capped(watts))
			case "inventory":
				setFact(a, "powerLimitW", watts, g)
			}
		}
	}},
	{"locked clock", []float64{1500, 1350, 1000}, "MHz", cause.ClockLock, held, "GPU", func(mhz float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			slow(a, gpu, func(float64, float64) float64 { return mhz })
		}
	}},
	{"locked clock of all GPUs", []float64{1380, 1200, 1000}, "MHz", cause.ClockLock, nil, "", func(mhz float64, _ int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			for _, g := range all4 {
				slow(a, g, func(float64, float64) float64 { return mhz })
			}
		}
	}},
	{"power brake", []float64{0.9, 0.7, 0.5}, "of its speed", cause.PowerSupply, held, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			slow(a, gpu, func(mhz, _ float64) float64 { return mhz * share })
			flags(a, "hwPowerBrake", 1-share/2, gpu)
		}
	}},
	{"a GPU that is slow at its clock", []float64{0.95, 0.9, 0.7}, "of its speed", cause.GPU, nil, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			alter(a.Measurements, of("", gpu), times(share))
		}
	}},
	{"work on a GPU that comes and goes", []float64{0.95, 0.9, 0.7}, "of its speed", cause.Neighbour, []cause.Kind{cause.GPU}, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			alter(a.Measurements, of("", gpu), times(share))
			scatter(a, gpu, 1.2*(1-share))
		}
	}},
	{"slow memory", []float64{0.985, 0.95, 0.8}, "of its speed", cause.Memory, nil, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gpustream" {
			alter(a.Measurements, of("hbm", gpu), times(share))
		}
	}},
	{"memory that was repaired", []float64{0.985, 0.95, 0.8}, "of its speed", cause.Memory, nil, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		switch benchmark {
		case "gpustream":
			alter(a.Measurements, of("hbm", gpu), times(share))
			forget(a, "memoryClock")
		case "inventory":
			setFact(a, "rowsRemappedUncorrected", 2, gpu)
		}
	}},
	{"lower memory clock", []float64{0.95, 0.8, 0.5}, "of its clock", cause.MemoryClock, nil, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gpustream" {
			alter(a.Measurements, of("hbm", gpu), times(share))
			alter(a.Telemetry, of("memoryClock", gpu), times(share))
		}
	}},
	{"lanes of the host link, with the fact", []float64{8, 4, 1}, "lanes", cause.HostLinkWidth, []cause.Kind{cause.HostLinkHalf}, "GPU",
		func(lanes float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
			switch benchmark {
			case "hostlink":
				alter(a.Measurements, of("Bandwidth", gpu), times(lanes/16))
			case "inventory":
				setFact(a, "pcieWidth", lanes, gpu)
				setFact(a, "pcieWidthReduced", true, gpu)
			}
		}},
	{"generation of the host link, with the fact", []float64{4, 3, 2}, "generation", cause.HostLinkSpeed, []cause.Kind{cause.HostLinkHalf}, "GPU",
		func(generation float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
			switch benchmark {
			case "hostlink":
				alter(a.Measurements, of("Bandwidth", gpu), times([]float64{0, 0, 4. / 32, 7.877 / 31.5, 0.5}[int(generation)]))
			case "inventory":
				setFact(a, "pcieGeneration", generation, gpu)
			}
		}},
	{"half a host link, without facts", []float64{0.49, 0.25, 0.122}, "of its speed", cause.HostLinkHalf, nil, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		switch benchmark {
		case "hostlink":
			alter(a.Measurements, of("Bandwidth", gpu), times(share))
		case "inventory":
			forget(a, "pcieWidth", "pcieGeneration")
		}
	}},
	{"half a host link; lanes were taken while it was idle, at every GPU", []float64{0.5, 0.25, 0.125}, "of its speed", cause.HostLinkHalf, nil, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		switch benchmark {
		case "hostlink":
			alter(a.Measurements, of("Bandwidth", gpu), times(share))
		case "inventory":
			setFact(a, "pcieWidth", 1, all4...)
			setFact(a, "pcieGeneration", 1, all4...)
		}
	}},
	{"traffic on a host link", []float64{0.9, 0.8, 0.7}, "of its speed", cause.Neighbour, nil, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "hostlink" {
			alter(a.Measurements, of("Bandwidth", gpu), times(share))
			scatter(a, gpu, 1-share)
		}
	}},
	{"host memory or IOMMU: all host links", []float64{0.9, 0.8, 0.6}, "of its speed", cause.HostSide, nil, "", func(share float64, _ int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "hostlink" {
			alter(a.Measurements, of("Bandwidth", all4...), times(share))
		}
	}},
	{"a BIOS that differs: all host links", []float64{0.9, 0.8, 0.6}, "of its speed", cause.Setting, []cause.Kind{cause.HostSide}, "", func(share float64, _ int, benchmark string, a *v1alpha1.Attempt) {
		switch benchmark {
		case "hostlink":
			alter(a.Measurements, of("Bandwidth", all4...), times(share))
		case "inventory":
			setFact(a, "biosVersion", "old")
		}
	}},
	{"a NUMA node: half of the host links", []float64{0.9, 0.8, 0.6}, "of its speed", cause.Socket, nil, "numa", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		switch benchmark {
		case "hostlink":
			alter(a.Measurements, of("Bandwidth", gpu/2*2, gpu/2*2+1), times(share))
		case "inventory":
			setFact(a, "gpuNumaNode", 0, 0, 1)
			for _, g := range []int{2, 3} {
				a.Facts = append(a.Facts, v1alpha1.Fact{Name: "gpuNumaNode", At: fmt.Sprintf("gpu%d", g), Value: "1"})
			}
		}
	}},
	{"NVLinks that are down", []float64{1, 6, 9}, "links of 18", cause.NVLinks, nil, "GPU", func(links float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		switch benchmark {
		case "p2p":
			alter(a.Measurements, pairsOf(gpu), times(1-links/18))
		case "inventory":
			setFact(a, "nvlinksUp", 18-links, gpu)
			setFact(a, "nvlinksMissing", links, gpu)
		}
	}},
	{"one GPU against all of its links", []float64{0.98, 0.9, 0.5}, "of its speed", cause.NVLinkOfGPU, nil, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "p2p" {
			alter(a.Measurements, pairsOf(gpu), times(share))
		}
	}},
	{"one link between two GPUs", []float64{0.98, 0.9, 0.5}, "of its speed", cause.Link, nil, "PAIR", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "p2p" {
			alter(a.Measurements, func(name, at string) bool { return pairsOf(gpu)(name, at) && pairsOf((gpu+1)%4)(name, at) }, times(share))
		}
	}},
	{"the fabric: all links", []float64{0.98, 0.9, 0.5}, "of its speed", cause.Fabric, nil, "", func(share float64, _ int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "p2p" {
			alter(a.Measurements, func(_, at string) bool { return strings.Contains(at, ">") }, times(share))
		}
	}},
	{"a driver that differs: all products", []float64{0.95, 0.9, 0.8}, "of its speed", cause.Driver, nil, "", func(share float64, _ int, benchmark string, a *v1alpha1.Attempt) {
		switch benchmark {
		case "gemm":
			alter(a.Measurements, of("", all4...), times(share))
		case "inventory":
			setFact(a, "driver", "555.42")
		}
	}},
	{"wrong data", []float64{0}, "", cause.WrongData, nil, "", func(_ float64, _ int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			a.Verdict, a.Checks = v1alpha1.VerdictFail, []v1alpha1.Check{{Name: "dataIntegrity", Message: "gpu1: 3 of 67108864 elements differ"}}
		}
	}},
	{"two hot GPUs, by the sensors alone", []float64{600, 500, 400}, "W carried off", cause.Heat, held, "gpu0 or gpu3", func(watts float64, _ int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			hot(a, 0, watts)
			hot(a, 3, watts)
		}
	}},
	{"so hot that memory and links suffer as well", []float64{450, 400, 350}, "W carried off", cause.Heat, held, "GPU", func(watts float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		switch benchmark {
		case "gemm":
			hot(a, gpu, watts)
			flags(a, "hwThermal", 0.9, gpu)
		case "gpustream":
			alter(a.Measurements, of("hbm", gpu), times(0.92))
			alter(a.Telemetry, of("smClock", gpu), times(0.7))
			flags(a, "hwThermal", 0.5, gpu)
		}
	}},
	{"heat of a collective's only slow GPU", []float64{0.8, 0.6}, "of its speed", cause.Heat, nil, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "collectives" {
			alter(a.Measurements, func(string, string) bool { return true }, times(share))
			flags(a, "hwThermal", 0.9, gpu)
		}
	}},
	{"what leads from one GPU", []float64{0.98, 0.9, 0.5}, "of its speed", cause.NVLinkOfGPU, nil, "GPU->*", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "p2p" {
			alter(a.Measurements, func(name, at string) bool {
				return name == "writeBandwidth" && strings.HasPrefix(at, fmt.Sprintf("gpu%d->", gpu))
			}, times(share))
		}
	}},
	{"a GPU that no other reaches", []float64{0}, "", cause.NVLinkOfGPU, []cause.Kind{cause.NVLinks}, "GPU", func(_ float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "p2p" {
			alter(a.Measurements, of("reachablePeers", all4...), func(v float64) float64 { return v - 1 })
			alter(a.Measurements, of("reachablePeers", gpu), times(0))
			for i := range a.Measurements {
				m := &a.Measurements[i]
				m.Parts = slices.DeleteFunc(m.Parts, func(p v1alpha1.PartValue) bool { return pairsOf(gpu)(m.Name, p.At) })
			}
		}
	}},
	// What the record does not tell must not be told.
	{"ambiguous: slow at its clock, and the driver saw heat now and then", []float64{0.9, 0.7}, "of its speed", cause.GPU, nil, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			alter(a.Measurements, of("", gpu), times(share))
			flags(a, "swThermal", 0.03, gpu)
		}
	}},
	{"ambiguous: lanes that were taken while the link was idle, and another slowness", []float64{0.9, 0.8, 0.65}, "of its speed", cause.NotKnown, nil, "GPU",
		func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
			switch benchmark {
			case "hostlink":
				alter(a.Measurements, of("Bandwidth", gpu), times(share))
			case "inventory":
				setFact(a, "pcieWidth", 8, gpu)
			}
		}},
	{"ambiguous: a warm slot, and a clock that one format shows", []float64{0.93, 0.8}, "of its speed", cause.ClockHeld, nil, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			slow(a, gpu, func(mhz, _ float64) float64 { return mhz * share })
			alter(a.Telemetry, of("temperature", gpu), func(t float64) float64 { return t + 5 })
			forget(a, "fp64Clock", "tf32Clock", "bf16Clock", "fp16Clock", "fp8Clock")
		}
	}},
	{"ambiguous: slow products, clocks not recorded", []float64{0.95, 0.8}, "of its speed", cause.NotKnown, nil, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			alter(a.Measurements, of("", gpu), times(share))
			a.Telemetry = nil
		}
	}},
	{"ambiguous: slower than the lower clock explains", []float64{0.8, 0.7}, "of its speed", cause.NotKnown, nil, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			slow(a, gpu, func(mhz, _ float64) float64 { return mhz * 0.9 })
			alter(a.Measurements, of("", gpu), times(share))
		}
	}},
	{"ambiguous: a lower clock of one format", []float64{0.9, 0.7}, "of its speed", cause.ClockHeld, nil, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			slow(a, gpu, func(mhz, _ float64) float64 { return mhz * share })
			forget(a, "fp64Clock", "tf32Clock", "bf16Clock", "fp16Clock", "fp8Clock")
		}
	}},
	{"ambiguous: slow memory, its clock not recorded", []float64{0.95, 0.8}, "of its speed", cause.NotKnown, nil, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gpustream" {
			alter(a.Measurements, of("hbm", gpu), times(share))
			forget(a, "memoryClock")
		}
	}},
	{"ambiguous: a steady host link that is a little slow", []float64{0.93, 0.8}, "of its speed", cause.NotKnown, nil, "GPU", func(share float64, gpu int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "hostlink" {
			alter(a.Measurements, of("Bandwidth", gpu), times(share))
		}
	}},
	{"ambiguous: all products slow, nothing differs", []float64{0.95, 0.8}, "of its speed", cause.NotKnown, nil, "", func(share float64, _ int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "gemm" {
			alter(a.Measurements, of("", all4...), times(share))
		}
	}},
}

// scatter the samples of a GPU.
func scatter(a *v1alpha1.Attempt, gpu int, spread float64) {
	for i := range a.Measurements {
		for j := range a.Measurements[i].Parts {
			if p := &a.Measurements[i].Parts[j]; p.At == fmt.Sprintf("gpu%d", gpu) {
				p.Spread = quantity.Decimal(spread, 4)
			}
		}
	}
}

// tally of the cases of one cause.
type tally struct{ cases, right, honest, wrong, unseen, faults int }

func (t *tally) add(o tally) {
	t.cases, t.right, t.honest = t.cases+o.cases, t.right+o.right, t.honest+o.honest
	t.wrong, t.unseen, t.faults = t.wrong+o.wrong, t.unseen+o.unseen, t.faults+o.faults
}

func (c *injected) try(t *testing.T, measure func(func(int, string, *v1alpha1.Attempt)) export.Run, size float64, node, gpu int) tally {
	t.Helper()
	run := measure(func(of int, benchmark string, a *v1alpha1.Attempt) {
		if benchmark == "inventory" {
			setFact(a, "biosVersion", "2.1")
		}
		if of == node {
			c.inject(size, gpu, benchmark, a)
		}
	})
	for i := range run.Results {
		if i != node && len(cause.Of(&run.Results[i])) > 0 {
			t.Errorf("%s: a healthy node has a fault: %+v", c.name, cause.Of(&run.Results[i]))
		}
	}
	all := cause.Of(&run.Results[node])
	for _, f := range all { // what a fault of a node is told by must be short enough to be read
		if len(f.Says("node")) > 300 {
			t.Errorf("%s: %s", c.name, f.Says("node"))
		}
	}
	if len(all) == 0 {
		return tally{cases: 1, unseen: 1}
	}
	at := strings.ReplaceAll(strings.ReplaceAll(c.at, "GPU", fmt.Sprintf("gpu%d", gpu)), "PAIR", fmt.Sprintf("gpu%d-gpu%d", min(gpu, (gpu+1)%4), max(gpu, (gpu+1)%4)))
	if c.at == "numa" {
		at = fmt.Sprintf("numa%d", gpu/2)
	}
	one := tally{cases: 1, faults: len(all)}
	switch f := all[0]; {
	case f.Kind == c.want && slices.Contains(strings.Split(at, " or "), f.At):
		one.right = 1
	case f.Kind == cause.NotKnown || slices.Contains(c.honest, f.Kind):
		one.honest = 1
		t.Logf("open: %s, %v, node %d: %s", c.name, size, node, f.Says("node"))
	default:
		one.wrong = 1
		t.Logf("wrong: %s, %v, node %d, gpu%d: %s", c.name, size, node, gpu, f.Says("node"))
	}
	return one
}
