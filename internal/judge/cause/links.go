package cause

import (
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/part"
)

// narrow: the link to the host lacks lanes, and what is left of its speed is their share. Some machines take lanes from a link only while it
// is idle: then it is faster than that when it is measured.
func narrow(s *suspect) (Fault, bool) {
	at := s.someGPU()
	width, _ := s.number("pcieWidth", at)
	full := s.most("pcieWidthMax")
	if !(width > 0 && width < full) || s.at == "" && s.most("pcieWidth") >= full || !s.leaves(width/full) {
		return Fault{}, false
	}
	return Fault{Kind: HostLinkWidth, Sure: true, Why: fmt.Sprintf("x%v of x%v, which is the share of the speed that is left", width, full)}, true
}

// someGPU is the suspect GPU, or where the node is, the first of it.
func (s *suspect) someGPU() string {
	if s.gpu() == "" && len(s.devices) > 0 {
		return fmt.Sprintf("gpu%d", s.devices[0].Index)
	}
	return s.gpu()
}

// laneGBps is what a lane carries, by generation of PCI Express: 2.5 and 5 GT/s of which a fifth is coding, then 8, 16 and 32 with 2 in 130.
var laneGBps = []float64{0, 0.25, 0.5, 0.985, 1.969, 3.938}

// olderGeneration: the link runs at the speed of an older generation than the best of the node, and is as slow as that.
func olderGeneration(s *suspect) (Fault, bool) {
	now, _ := s.number("pcieGeneration", s.someGPU())
	best := max(s.most("pcieGeneration"), s.most("pcieGenerationMax"))
	if !(now >= 1 && now < best && best <= 5) || !s.leaves(laneGBps[int(now)]/laneGBps[int(best)]) {
		return Fault{}, false
	}
	return Fault{Kind: HostLinkSpeed, Sure: true, Why: fmt.Sprintf("generation %v of %v, which is the share of the speed that is left", now, best)}, true
}

// halved: lanes and generations both go by halves, and no fact tells which it is.
func halved(s *suspect) (Fault, bool) {
	for _, share := range []float64{0.5, 0.25, 0.125, 0.0625} {
		if s.leaves(share) {
			whose := "its speed"
			if s.at == "" {
				whose = "the speed to every GPU"
			}
			return Fault{Kind: HostLinkHalf, Why: fmt.Sprintf("1/%v of %s is left", 1/share, whose)}, true
		}
	}
	return Fault{}, false
}

// socket: all GPUs of one NUMA node are slow, and those of another are not.
func socket(s *suspect) (Fault, bool) {
	numa := s.facts["gpuNumaNode"]
	own, known := numa[s.gpu()]
	here, elsewhere := 0, 0
	for at, node := range numa {
		place := part.Read(at)
		isSlow := len(place.GPUs) == 1 && s.slow[slowGPU{hostLink, place.GPUs[0]}]
		switch {
		case isSlow != (node == own):
			return Fault{}, false
		case isSlow:
			here++
		default:
			elsewhere++
		}
	}
	return Fault{Kind: Socket, At: "numa" + own, Why: fmt.Sprintf("all %d GPUs of the NUMA node are slow, the other %d are not", here, elsewhere)},
		known && s.gpu() != "" && here > 1 && elsewhere > 0
}

// allHostLinks of the node are slow alike.
func allHostLinks(s *suspect) (Fault, bool) { return Fault{Kind: HostSide}, s.alike }

// missingLinks: NVLinks of the GPU are down, or slower than those of others.
func missingLinks(s *suspect) (Fault, bool) {
	for _, g := range s.place.GPUs {
		at := fmt.Sprintf("gpu%d", g)
		up, knownUp := s.number("nvlinksUp", at)
		speed, knownSpeed := s.number("nvlinkGBps", at)
		switch {
		case knownUp && up < s.most("nvlinksUp"):
			return Fault{Kind: NVLinks, Sure: true, At: at, Why: fmt.Sprintf("%v of %v are up", up, s.most("nvlinksUp"))}, true
		case knownSpeed && speed < s.most("nvlinkGBps"):
			return Fault{Kind: NVLinks, Sure: true, At: at, Why: fmt.Sprintf("they run at %v GB/s, the others at %v GB/s", speed, s.most("nvlinkGBps"))}, true
		}
	}
	return Fault{}, false
}

// degradedFabric: the GPUs say that the NVSwitches do not serve them as they should.
func degradedFabric(s *suspect) (Fault, bool) {
	for _, name := range []string{"fabricDown", "fabricDegraded"} {
		if s.yes(name, s.gpu()) {
			return Fault{Kind: Fabric, Sure: true, Why: name + " is true"}, true
		}
	}
	return Fault{}, false
}

// peers: which pairs are slow. A pair alone is a link only where both of its GPUs are fine with others.
func peers(s *suspect) (Fault, bool) {
	switch len(s.place.GPUs) {
	case 0:
		return Fault{Kind: Fabric, Why: "all links of the node are slow alike"}, s.alike
	case 1:
		return Fault{Kind: NVLinkOfGPU, Why: "slow in all of its links, while those between the others are not"}, true
	}
	a, b := s.place.GPUs[0], s.place.GPUs[1]
	fine := map[int32]bool{}
	for at := range attempt.Numbers(attempt.Measurement(s.attempt, s.broken[0].Metric)) {
		if p := part.Read(at); len(p.GPUs) == 2 && !s.failed[s.broken[0].Metric+" "+at] && !(slices.Contains(p.GPUs, a) && slices.Contains(p.GPUs, b)) {
			fine[p.GPUs[0]], fine[p.GPUs[1]] = true, true
		}
	}
	return Fault{Kind: Link, Why: "both of its GPUs are fine with others"}, fine[a] && fine[b]
}
