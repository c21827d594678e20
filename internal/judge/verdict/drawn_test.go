package verdict

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/test/golden"
)

//go:embed testdata
var files embed.FS

var _ = golden.Keep(files)

// ofParts are kinds of metrics with the parts that a node of so many GPUs reports.
var ofParts = []struct {
	metric v1alpha1.Metric
	center float64
	parts  func(gpus int) []string
}{
	{v1alpha1.Metric{Name: "hbmTriad", Unit: "GB/s", Better: v1alpha1.Higher, Peak: "hbmBandwidth"}, 4370, numbered("gpu%d")},
	{v1alpha1.Metric{Name: "writeBandwidth", Unit: "GB/s", Better: v1alpha1.Higher, Peak: "links", DependsOn: "peers"}, 400, pairsOfGPUs("->")},
	{v1alpha1.Metric{Name: "pairLatency", Unit: "us", Better: v1alpha1.Lower, Peak: "linkLatency", DependsOn: "peers"}, 0.9, pairsOfGPUs("<->")},
	{v1alpha1.Metric{Name: "peers", Unit: "count", Better: v1alpha1.Higher}, 0, numbered("gpu%d")},
	{v1alpha1.Metric{Name: "busBandwidth", Unit: "GB/s", Better: v1alpha1.Higher}, 300, named("8B", "8GiB", "1MiB")},
	{v1alpha1.Metric{Name: "allReduceTime", Unit: "us", Better: v1alpha1.Lower, HeadlineAt: "1MiB"}, 30, named("8B", "8GiB", "1MiB")},
	{v1alpha1.Metric{Name: "rate", Unit: "ns/day", Better: v1alpha1.Higher, Scaling: v1alpha1.ScalingStrong}, 40, named("4gpu", "1gpu", "2gpu")},
	{v1alpha1.Metric{Name: "runTime", Unit: "s", Better: v1alpha1.Lower, Scaling: v1alpha1.ScalingWeak}, 100, named("1node", "2nodes")},
	{v1alpha1.Metric{Name: "fp64", Unit: "TFLOP/s", Better: v1alpha1.Higher, Peak: "fp64"}, 60, numbered("gpu%d")},
	{v1alpha1.Metric{Name: "stream", Unit: "GB/s"}, 180, named("socket0", "socket1", "node")},
	{v1alpha1.Metric{Name: "latency", Unit: "ns", Better: v1alpha1.Lower, Peak: "linkLatency"}, 900, named("node")},
}

func named(parts ...string) func(int) []string { return func(int) []string { return parts } }

func numbered(format string) func(int) []string {
	return func(gpus int) (parts []string) {
		for i := range gpus {
			parts = append(parts, fmt.Sprintf(format, i))
		}
		return parts
	}
}

func pairsOfGPUs(arrow string) func(int) []string {
	return func(gpus int) (parts []string) {
		for from := range gpus {
			for to := range gpus {
				if from != to && (arrow == "->" || from < to) {
					parts = append(parts, fmt.Sprintf("gpu%d%sgpu%d", from, arrow, to))
				}
			}
		}
		return parts
	}
}

// drawnNodes are a benchmark and the nodes that it measures.
type drawnNodes struct {
	*rand.Rand
	metrics []v1alpha1.Metric
	kinds   []int
	gpus    int
	noise   float64
	peers   int // 0: no GPU reaches another
}

func drawNodes(r *rand.Rand) *drawnNodes {
	w := &drawnNodes{Rand: r, gpus: golden.One(r, 1, 2, 4, 4, 8), noise: golden.One(r, 0.0003, 0.003, 0.02), peers: min(1, r.IntN(6))}
	one, always := func(of ...v1alpha1.Fraction) v1alpha1.Fraction { return golden.One(r, of...) }, w.IntN(len(ofParts))
	for kind, k := range ofParts {
		if w.IntN(6) > 0 && kind != always {
			continue
		}
		m := k.metric
		m.Headline = w.IntN(3) > 0
		m.QuietHost = w.IntN(8) == 0
		if w.IntN(3) > 0 {
			m.Noise = v1alpha1.Noise{Run: one("0.0003", "0.003", "0.02"), Part: one("", "0.003"), Node: one("", "0.003", "0.02")}
		}
		if w.IntN(8) > 0 {
			m.Expectation = &v1alpha1.Expectation{MaxFleetDeviation: one("", "0", "0.005", "0.05"), MaxRegression: one("", "", "0.01", "0.05"),
				MinFractionOfPeak: one("", "", "", "0.85"), MinFractionOfReached: one("", "", "", "", "", "0.95")}
			if m.Scaling != "" {
				m.Expectation.MinEfficiency = one("", "0.8")
			}
			if limit := v1alpha1.Decimal(fmt.Sprintf("%.4g", k.center*(1+0.1*w.Float64()))); w.IntN(4) == 0 && m.Better == v1alpha1.Lower {
				m.Expectation.Max = limit
			} else if limit = v1alpha1.Decimal(fmt.Sprintf("%.4g", k.center*(0.9+0.1*w.Float64()))); w.IntN(6) == 0 && m.Better == v1alpha1.Higher {
				m.Expectation.Min = limit
			}
		}
		w.metrics, w.kinds = append(w.metrics, m), append(w.kinds, kind)
	}
	return w
}

// attempt of one node, whose values are its level times what slow says of a part.
func (w *drawnNodes) attempt(number int, level float64, slow map[string]float64) *v1alpha1.Attempt {
	a := withDevices(attemptOf(), "H200", w.gpus)
	launched := metav1.NewTime(firstRun.AddDate(0, 2, number))
	a.Number, a.LaunchTime = int32(number), &launched
	for i, m := range w.metrics {
		got := v1alpha1.Measurement{Name: m.Name, Unit: m.Unit, Better: m.Better}
		for _, at := range ofParts[w.kinds[i]].parts(w.gpus) {
			worse := slow[m.Name]
			for part, by := range slow {
				if strings.Contains(at, part) {
					worse = max(worse, by)
				}
			}
			v := level * (1 - worse) * (1 + w.noise*w.NormFloat64())
			if m.Better == v1alpha1.Lower {
				v = 1 / v
			}
			v *= ofParts[w.kinds[i]].center
			if size, _, ok := quantity.SizeOf(at); ok && m.Better == v1alpha1.Higher {
				v *= float64(size) / 4
			}
			if m.Name == "peers" {
				v = float64((w.gpus - 1) * w.peers)
			}
			got.Parts = append(got.Parts, v1alpha1.PartValue{At: at, Value: quantity.Decimal(v, quantity.ShownDigits)})
		}
		if len(got.Parts) > 0 && (w.peers > 0 || m.DependsOn == "") {
			a.Measurements = append(a.Measurements, got)
		}
	}
	gpu := fmt.Sprintf("gpu%d", w.IntN(w.gpus))
	a.Telemetry = []v1alpha1.Measurement{measuredAt("gpuSmClock", "MHz", "gpu0", "1900", gpu, fmt.Sprint(1980-10*w.IntN(20))),
		measuredAt("gpuPower", "W", "gpu0", "600", gpu, "650"), measuredAt("gpuThrottled", "fraction", gpu+" swPowerCap", "0.4")}
	a.Facts = found("ecc=" + golden.One(w.Rand, "Enabled", "Enabled", "Enabled", "Disabled") + " driver=" + golden.One(w.Rand, "570", "570", "570", "560"))
	return a
}

// mishap that an attempt may have.
func (w *drawnNodes) mishap(a *v1alpha1.Attempt) {
	switch w.IntN(40) {
	case 0:
		a.Checks = []v1alpha1.Check{{Name: "dataIntegrity", Message: "3 of 8 words differ"}}
	case 1:
		a.Checks = []v1alpha1.Check{{Name: "dataIntegrity", OK: true}, {Name: "residual", OK: true}}
	case 2:
		a.Verdict, a.Reason, a.Message = v1alpha1.VerdictError, v1alpha1.ReasonDisturbed, "pid 9 used gpu0"
	case 3:
		a.Verdict, a.Reason, a.Message = v1alpha1.VerdictError, v1alpha1.ReasonTimedOut, "killed after 600 s"
	case 4:
		a.Telemetry = append(a.Telemetry, measuredAt("cpuOthers", "fraction", "node", "0.15"))
	}
}

// play makes up a fleet, its past and a node with its attempts, and tells all that is decided about the node.
func (w *drawnNodes) play() string {
	level := func() float64 { return 1 + w.noise*w.NormFloat64() }
	var own, known []fleet.Digest
	shifted := golden.One(w.Rand, 0, 0, 1, 1.04) // by how much all were faster before
	for i := range golden.One(w.Rand, 0, 1, 3, 9, 40) {
		d := fleet.DigestAttempt(w.metrics, w.attempt(1, level()-0.1*float64(w.IntN(5)/4), nil)).On("box 64 CPUs")
		d.Node = fmt.Sprint("other-", i)
		if shifted > 0 {
			before := pastOf(w.attempt(-1, level()*shifted, nil), w.attempt(-2, level()*shifted, nil), w.attempt(-3, level()*shifted, nil))
			d.Facts = nil
			k := fleet.DigestPasses(&before.Passes[0]).On("box 64 CPUs")
			k.Node = d.Node
			known = append(known, k)
		}
		if w.IntN(6) == 0 {
			known = append(known, d)
		} else {
			own = append(own, d)
		}
	}
	mine, confirmations := level(), w.IntN(3)
	given := rule.Given{Node: "node", Measurements: w.IntN(4)}
	profile := v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Peaks: []v1alpha1.Peak{
		{Name: "hbmBandwidth", At: "gpu", Value: "4.81", Unit: "TB/s", Reached: "4.37"}, {Name: "linkLatency", Value: "800", Unit: "ns"},
		{Name: "fp64", At: "gpu", Value: "66.9", Unit: "TFLOP/s", ClockMHz: 1980},
		{Name: "links", At: "gpu->gpu", Value: "450", Reached: "400", Unit: "GB/s"}},
		AcceptedLosses: []v1alpha1.AcceptedLoss{{Benchmark: bench, Since: metav1.NewTime(firstRun.AddDate(0, 1, 0)), Loss: "0.02"}}}}
	profile.Name = "h200"
	if w.IntN(3) > 0 {
		given.Peaks = peak.Of(&profile)
	}
	if passes := w.IntN(6); passes > 0 {
		var before []*v1alpha1.Attempt
		for i := range passes {
			before = append(before, w.attempt(i-40, mine*max(1, shifted)*golden.One(w.Rand, 1, 1, 1.03), nil))
		}
		if !slices.ContainsFunc(before, func(a *v1alpha1.Attempt) bool { return len(a.Measurements) < len(w.metrics) }) {
			given.Past = pastOf(before...)
			given.Past.Provisional = w.IntN(6) == 0
		}
	}
	slow := map[string]float64{}
	for range 1 + w.IntN(2) {
		slow[golden.One(w.Rand, "gpu0", fmt.Sprintf("gpu%d", w.IntN(w.gpus)), "gpu1->", "->gpu2", "gpu0->gpu1", "8GiB", "2", "node", "socket1", golden.One(w.Rand, w.metrics...).Name)] =
			golden.One(w.Rand, 0, 0.004, 0.02, 0.08, 0.4)
	}
	var attempts []v1alpha1.Attempt
	var out strings.Builder
	for n := range 1 + w.IntN(4) {
		now := slow
		if w.IntN(6) == 0 {
			now = nil
		}
		a := w.attempt(n+1, mine, now)
		w.mishap(a)
		attempts = append(attempts, *a)
	}
	if d := fleet.DigestAttempt(w.metrics, attempt.LastMeasured(attempts)).On("box 64 CPUs"); len(d.Facts) > 0 {
		d.Node = given.Node
		own = append(own, d)
	}
	complete := w.IntN(8) > 0
	j := newFleet(bench, w.metrics, own, known, complete).OnQuietHost(w.IntN(4) == 0)
	if w.IntN(2) == 0 {
		j.Expecting([]v1alpha1.FactExpectation{{Name: "ecc", Equal: "Enabled", Verdict: v1alpha1.VerdictFail}, {Name: "driver", Uniform: true, Verdict: v1alpha1.VerdictWarning}})
	}
	fmt.Fprintf(&out, "%d attempts on %d GPUs beside %d nodes and %d known, slow %v, of %s\n", len(attempts), w.gpus, len(own), len(known), slow, golden.Told(w.metrics))
	d := j.Decide(attempts, given, int32(confirmations))
	fmt.Fprintf(&out, "%s %s, again %v, crowded %v: %s; suspicion %s\n", d.Verdict, d.Reason, d.NeedsAttempt, d.Crowded, golden.Figures(d.Message), golden.Figures(d.Suspicion))
	fmt.Fprintf(&out, "headline %s\ncurves %s\nterms %s\ncleared %s\n", golden.Told(d.Headline), golden.Told(d.Curves), golden.Told(d.Terms), golden.Told(d.Cleared))
	for _, f := range d.Findings {
		fmt.Fprintln(&out, golden.Told(f))
	}
	if complete {
		fmt.Fprintln(&out, golden.Told(j.Populations()))
	}
	return out.String()
}

func TestDrawnNodes(t *testing.T) {
	golden.Sums(t, "nodes", 800, func(r *rand.Rand) string { return drawNodes(r).play() })
}

// TestDrawnPairs: which GPU or which pair of GPUs is named, where one of both is slow by about as much as can be told.
func TestDrawnPairs(t *testing.T) {
	golden.Sums(t, "pairs", 320, func(r *rand.Rand) string {
		gpus, arrow, noise, slow, others := golden.One(r, 3, 4, 6, 8, 8), golden.One(r, "->", "<->"), golden.One(r, 0.0003, 0.003, 0.01), golden.One(r, 0.004, 0.01, 0.03, 0.06), golden.One(r, 0, 0, 2, 5)
		m := write(func(m *v1alpha1.Metric) {
			m.Better, m.Noise.Run = golden.One(r, v1alpha1.Higher, v1alpha1.Lower), golden.One[v1alpha1.Fraction](r, "0.0003", "0.003")
		})
		which, worse := r.IntN(4), 1-slow
		if m.Better == v1alpha1.Lower {
			worse = 1 + slow
		}
		measured := func(worse float64) *v1alpha1.Attempt {
			return links(m, gpus, arrow, func(from, to int) float64 {
				factor := 1 + noise*r.NormFloat64()
				if which < 2 && (from == 1 || to == 1) || which == 2 && from == 1 || from == 0 && to == 2 {
					factor *= worse
				}
				return factor
			})
		}
		a := measured(worse)
		var nodes []fleet.Digest
		for i := range 1 + others {
			of := a
			if i > 0 {
				of = measured(1)
			}
			nodes = append(nodes, fleet.DigestAttempt([]v1alpha1.Metric{m}, of))
			nodes[i].Node = fmt.Sprint("node-", i)
		}
		j, out := newFleet("p2p", []v1alpha1.Metric{m}, nodes, nil, true), fmt.Sprintf("%d GPUs by %s, %d of 4: %s is better, noise %v, slow %v, beside %d nodes\n", gpus, arrow, which, m.Better, noise, slow, others)
		for _, e := range []bounds.Certainty{bounds.Suspicion, bounds.MeanOf(1), bounds.MeanOf(3)} {
			out += golden.Told(j.rules.Outcome(a, rule.Given{Node: "node-0", Measurements: 2}, e).Findings) + "\n"
		}
		return out
	})
}

// TestDrawnDrifts: what is said of parts that lose some, or nothing: several of them, the worst first.
func TestDrawnDrifts(t *testing.T) {
	golden.Sums(t, "drifts", 480, func(r *rand.Rand) string {
		m := triad(func(m *v1alpha1.Metric) {
			m.Better, m.Noise.Run = golden.One(r, v1alpha1.Higher, v1alpha1.Higher, v1alpha1.Lower), golden.One[v1alpha1.Fraction](r, "", "0", "0.001", "0.003")
			m.Expectation = golden.One(r, nil, &v1alpha1.Expectation{MaxRegression: "0.02"}, &v1alpha1.Expectation{MaxFleetDeviation: "0.05"})
		})
		every, n := golden.One(r, time.Hour, 24*time.Hour, aWeek), past.BaselinePasses+r.IntN(12)
		var h *v1alpha1.PassHistory
		for i := range 1 + r.IntN(3) {
			sigma, loss := golden.One(r, 0, 0.001, 0.003), golden.One(r, -0.01, 0, 0.002, 0.01)*float64(aWeek)/float64(every)
			if m.Better == v1alpha1.Lower {
				loss = -loss
			}
			values := drifting(r, n, every, sigma, loss)
			if r.IntN(3) == 0 {
				values[n-1] *= 0.97
			}
			k := kept(values, every)
			if k.Metrics[0].Parts[0].At = fmt.Sprintf("gpu%d", i); h == nil {
				h = k
				continue
			}
			h.Metrics[0].Parts = append(h.Metrics[0].Parts, k.Metrics[0].Parts...)
		}
		h.Metrics[0].Unit = golden.One(r, "GB/s", "GB/s", "TB/s")
		out := fmt.Sprintf("%d passes every %s, %s is better, noise %q\n", n, every, m.Better, m.Noise.Run)
		for _, f := range past.Drifts([]v1alpha1.Metric{{Name: "other"}, m}, h) {
			out += golden.Told(f) + "\n"
		}
		return out
	})
}
