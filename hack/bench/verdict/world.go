package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/testdata"
)

// bench is a benchmark of the catalogue with what its metrics are like on healthy hardware.
type bench struct {
	v1alpha1.Benchmark
	metrics []metricModel
}

type metricModel struct {
	v1alpha1.Metric
	spread
	noise
	model
}

// part of a machine, and the GPUs it is of.
type part struct {
	at   string
	gpus []int
}

// machine is a healthy node. Its parts differ for good by off, a factor for each part of each metric of each benchmark.
type machine struct {
	name string
	uid  types.UID
	gpus int
	// parts that it has, by metric.
	parts map[string][]part
	off   map[*metricModel][]float64
	// level of its parts, by metric, as a factor; spare: gpu0 was replaced.
	level map[*metricModel]float64
	spare bool
	in    nature
	last  memory
}

// lab is everything that fleets are drawn from.
type lab struct {
	benches []*bench
	profile v1alpha1.HardwareProfile
	parts   map[int]map[string][]part // by number of GPUs and metric
}

// ofQuick are the programs whose metrics gpuquick measures.
var ofQuick = []string{"gpustream", "p2p", "hostlink", "gemm", "collectives"}

// newLab reads the catalogue and the recordings of the repository. What gpuquick measures is judged as its metrics, or as those of the programs
// that were recorded.
func newLab(quick bool) (l *lab, err error) {
	l = &lab{profile: *testdata.Profile("h200"), parts: map[int]map[string][]part{}}
	var recordings []testdata.Recording
	for node := 1; node <= 7; node++ {
		recordings = append(recordings, testdata.Recorded(fmt.Sprintf("h200/node%d", node)))
	}
	for _, s := range spreads {
		b := l.bench(s.benchmark, quick)
		i := slices.IndexFunc(b.Spec.Metrics, func(m v1alpha1.Metric) bool { return m.Name == s.metric })
		if i < 0 {
			return nil, fmt.Errorf("benchmark %s has no metric %s", s.benchmark, s.metric)
		}
		m := metricModel{Metric: b.Spec.Metrics[i], spread: s}
		if made, ok := models[[2]string{s.benchmark, s.metric}]; ok {
			m.model, m.noise.level = made, made.level
		} else if m.noise, err = noiseOf(recordings, s.benchmark, s.metric); err != nil {
			return nil, err
		} else if m.noise.level == 0 {
			return nil, fmt.Errorf("nothing was recorded of %s", s.metric)
		}
		b.metrics = append(b.metrics, m)
	}
	for _, b := range l.benches { // what is not drawn is not judged
		b.Spec.Metrics = slices.DeleteFunc(b.Spec.Metrics, func(m v1alpha1.Metric) bool {
			return !slices.ContainsFunc(b.metrics, func(x metricModel) bool { return x.metric() == m.Name })
		})
	}
	for _, gpus := range []int{4, 8} {
		l.parts[gpus] = map[string][]part{}
		for _, b := range l.benches {
			for i := range b.metrics {
				l.parts[gpus][b.metrics[i].metric()] = partsOf(&b.metrics[i], gpus)
			}
		}
	}
	return l, nil
}

func (x *metricModel) metric() string { return x.spread.metric }

// title tells metrics apart that have one name in two benchmarks.
func (x *metricModel) title() string { return x.benchmark + " " + x.metric() }

func (l *lab) bench(name string, quick bool) *bench {
	if quick && slices.Contains(ofQuick, name) {
		name = "gpuquick"
	}
	if i := slices.IndexFunc(l.benches, func(b *bench) bool { return b.Name == name }); i >= 0 {
		return l.benches[i]
	}
	b := &bench{Benchmark: *testdata.Benchmark(name)}
	l.benches = append(l.benches, b)
	return b
}

// named is the bench by which metrics of a benchmark are judged.
func (l *lab) named(benchmark string) *bench {
	return l.benches[slices.IndexFunc(l.benches, func(b *bench) bool {
		return b.metrics[0].benchmark == benchmark || b.Name == "gpuquick" && slices.Contains(ofQuick, benchmark)
	})]
}

// partsOf names the parts of a metric on a machine with so many GPUs, as the programs do.
func partsOf(m *metricModel, gpus int) []part {
	var out []part
	switch {
	case len(m.model.parts) > 0:
		for _, at := range m.model.parts {
			out = append(out, part{at: at})
		}
	case m.benchmark == "collectives":
		out = append(out, part{at: largest})
	case m.benchmark == "p2p" && m.Unit != "count":
		for a := range gpus {
			for b := range gpus {
				if m.metric() == "bidirectionalBandwidth" && a < b {
					out = append(out, part{fmt.Sprintf("gpu%d<->gpu%d", a, b), []int{a, b}})
				} else if m.metric() != "bidirectionalBandwidth" && a != b {
					out = append(out, part{fmt.Sprintf("gpu%d->gpu%d", a, b), []int{a, b}})
				}
			}
		}
	default:
		for a := range gpus {
			out = append(out, part{fmt.Sprintf("gpu%d", a), []int{a}})
		}
	}
	return out
}

// machines draws a fleet.
func (l *lab) machines(r *rand.Rand, s setup, benches []*bench) []*machine {
	fleet := make([]*machine, s.nodes)
	for i := range fleet {
		name := "node-" + strconv.Itoa(i)
		m := &machine{name: name, uid: types.UID(name), gpus: s.gpus, parts: l.parts[s.gpus], off: map[*metricModel][]float64{}, level: map[*metricModel]float64{}, in: s.nature}
		for _, b := range benches {
			for k := range b.metrics {
				x := &b.metrics[k]
				part, node := s.spreadOf(x)
				off := 1 + node*s.lasting(r)
				m.level[x] = off
				for _, p := range m.parts[x.metric()] {
					m.off[x] = append(m.off[x], off*(1+part*s.lasting(r))*s.slot(x, p))
				}
			}
		}
		fleet[i] = m
	}
	return fleet
}

// start of the first run; runs are a week apart.
var start = time.Date(2026, 1, 5, 6, 0, 0, 0, time.UTC)

// measure runs a benchmark on the machine once.
func (m *machine) measure(r *rand.Rand, b *bench, f *fault, run, number int) v1alpha1.Attempt {
	launched := metav1.NewTime(start.AddDate(0, 0, 7*run).Add(time.Duration(number) * time.Minute))
	a := v1alpha1.Attempt{Number: int32(number), Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured, LaunchTime: &launched,
		Configuration: "as-shipped", Devices: m.devices(), Measurements: make([]v1alpha1.Measurement, len(b.metrics))}
	share := f.now(r)
	m.begin(r, b, run)
	if taken := m.last.neighbor[b.Name]; taken > 0 {
		a.Telemetry = []v1alpha1.Measurement{{Name: "cpuOthers", Unit: "fraction", Better: v1alpha1.Lower, Parts: []v1alpha1.PartValue{{At: "node", Value: decimal(taken)}}}}
	}
	for i := range b.metrics {
		x := &b.metrics[i]
		parts := m.parts[x.metric()]
		out := v1alpha1.Measurement{Name: x.metric(), Unit: x.Unit, Better: x.Better, Parts: make([]v1alpha1.PartValue, len(parts))}
		common := x.drawCommon(r)
		for k, p := range parts {
			v := x.level() * m.off[x][k] * (1 + m.momentary(x, k, common+x.drawOwn(r)))
			if x.Unit == "count" {
				v = float64(m.gpus - 1)
			}
			if share > 0 && f.hits(x, p) {
				v *= 1 - share
			}
			out.Parts[k] = v1alpha1.PartValue{At: p.at, Value: decimal(v)}
		}
		a.Measurements[i] = out
	}
	return a
}

func (x *metricModel) level() float64 { return x.noise.level }

func (x *metricModel) drawCommon(r *rand.Rand) float64 {
	if len(x.common) == 0 {
		return 0
	}
	return x.common[r.IntN(len(x.common))]
}

func (x *metricModel) drawOwn(r *rand.Rand) float64 {
	if x.run > 0 {
		return x.run * r.NormFloat64()
	}
	if len(x.own) == 0 {
		return 0
	}
	return x.own[r.IntN(len(x.own))]
}

// decimal has the digits that the programs print.
func decimal(v float64) v1alpha1.Decimal {
	const digits = 6
	scale := math.Pow(10, digits-1-math.Floor(math.Log10(v)))
	return v1alpha1.Decimal(strconv.FormatFloat(math.Round(v*scale)/scale, 'f', -1, 64))
}

func (m *machine) devices() []v1alpha1.Device {
	out := make([]v1alpha1.Device, m.gpus)
	for i := range out {
		out[i] = v1alpha1.Device{Index: int32(i), UUID: "GPU-" + m.name + "-" + strconv.Itoa(i), Product: "NVIDIA H200"}
	}
	if m.spare {
		out[0].UUID += "-spare"
	}
	return out
}
