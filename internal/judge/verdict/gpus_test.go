package verdict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/test/testdata"
)

// write is a metric of directed pairs as the catalogue has it.
func write(change ...func(*v1alpha1.Metric)) v1alpha1.Metric {
	m := v1alpha1.Metric{Name: "writeBandwidth", Unit: "GB/s", Better: v1alpha1.Higher, Headline: true,
		Noise: v1alpha1.Noise{Run: "0.0003", Part: "0.0003", Node: "0.0003"}, Expectation: &v1alpha1.Expectation{MaxFleetDeviation: "0.005"}}
	for _, c := range change {
		c(&m)
	}
	return m
}

// links makes the pairs of so many GPUs; arrow is "->" for both directions of each, "<->" for each once. factor is what becomes of 400.
func links(m v1alpha1.Metric, gpus int, arrow string, factor func(from, to int) float64) *v1alpha1.Attempt {
	measured := v1alpha1.Measurement{Name: m.Name, Unit: m.Unit}
	for from := range gpus {
		for to := range gpus {
			if from != to && (arrow == "->" || from < to) {
				measured.Parts = append(measured.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d%sgpu%d", from, arrow, to),
					Value: quantity.Decimal(400*factor(from, to), quantity.Exact)})
			}
		}
	}
	return withDevices(attemptOf(measured), "H200", gpus)
}

// failing parts of a lone node, by the fleet rule.
func failing(m v1alpha1.Metric, a *v1alpha1.Attempt, e bounds.Certainty) (parts []string, first string) {
	metrics := []v1alpha1.Metric{m}
	j := newFleet("p2p", metrics, []fleet.Digest{fleet.DigestAttempt(metrics, a)}, nil, true).rules.Outcome(a, rule.Given{}, e)
	for _, f := range j.Findings {
		if f.Verdict == v1alpha1.VerdictFail && f.Rule == term.FleetDeviation {
			parts = append(parts, f.At)
			if first == "" {
				first = f.Message
			}
		}
	}
	slices.Sort(parts)
	return parts, first
}

func involves(gpu int, factor float64) func(from, to int) float64 {
	return func(from, to int) float64 {
		if from == gpu || to == gpu {
			return factor
		}
		return 1
	}
}

func TestASlowGPUIsToldFromSlowLinks(t *testing.T) {
	lower := func(m *v1alpha1.Metric) { m.Better, m.Unit = v1alpha1.Lower, "us" }
	for name, test := range map[string]struct {
		m       v1alpha1.Metric
		gpus    int
		arrow   string
		factor  func(from, to int) float64
		want    []string
		message string
	}{
		"all links of a GPU, both directions": {write(), 4, "->", involves(0, 0.99), []string{"gpu0"},
			"gpu0 (GPU-0) is in all 6 slow pairs: writeBandwidth 396 GB/s, 1% below the other 6 pairs (typical 400 GB/s), bound 398 GB/s"},
		"all links of a GPU, measured once": {write(), 4, "<->", involves(3, 0.99), []string{"gpu3"},
			"gpu3 (GPU-3) is in all 3 slow pairs: writeBandwidth 396 GB/s, 1% below the other 3 pairs (typical 400 GB/s), bound 398 GB/s"},
		"a GPU that sends slowly": {write(), 4, "->", func(from, _ int) float64 { return 1 - 0.02*float64(min(1, max(0, 2-from)))*float64(from) }, []string{"gpu1->*"},
			"gpu1 (GPU-1) is the source of all 3 slow pairs: writeBandwidth 392 GB/s, 2% below the other 6 pairs (typical 400 GB/s), bound 398 GB/s"},
		"a GPU that receives slowly, of eight": {write(), 8, "->", func(_, to int) float64 { return 1 - 0.01*float64(to/7) }, []string{"*->gpu7"},
			"gpu7 (GPU-7) is the destination of all 7 slow pairs: writeBandwidth 396 GB/s, 1% below the other 42 pairs (typical 400 GB/s), bound 398 GB/s"},
		"two GPUs of eight": {write(), 8, "<->", func(from, to int) float64 { return involves(2, 0.98)(from, to) * involves(5, 0.97)(from, to) },
			[]string{"gpu2", "gpu5"},
			"gpu5 (GPU-5) is in 7 of 13 slow pairs: writeBandwidth 388 GB/s, 3% below the other 21 pairs (typical 400 GB/s), bound 398 GB/s"},
		"latencies": {write(lower), 4, "->", involves(2, 1.05), []string{"gpu2"},
			"gpu2 (GPU-2) is in all 6 slow pairs: writeBandwidth 420 us, 5% above the other 6 pairs (typical 400 us), bound 402 us"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, e := range []bounds.Certainty{bounds.Suspicion, bounds.MeanOf(1), bounds.MeanOf(3)} {
				got, text := failing(test.m, links(test.m, test.gpus, test.arrow, test.factor), e)
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("failing parts (-want +got):\n%s", diff)
				}
				if text != test.message {
					t.Errorf("message\n%s, want\n%s", text, test.message)
				}
			}
		})
	}
}

// Links of a GPU that are not slow alike are slow links: five of seven are a tenth slower, and two a twenty-fifth.
func TestUnlikeLinksAreNoSlowGPU(t *testing.T) {
	m := write()
	unlike := func(from, to int) float64 {
		switch {
		case from != 0:
			return 1
		case to <= 5:
			return 0.9
		}
		return 0.96
	}
	got, text := failing(m, links(m, 8, "<->", unlike), bounds.MeanOf(3))
	if slices.Contains(got, "gpu0") {
		t.Errorf("gpu0 is to blame: %s", text)
	}
	alike, _ := failing(m, links(m, 8, "<->", involves(0, 0.9)), bounds.MeanOf(3))
	if !slices.Equal(alike, []string{"gpu0"}) {
		t.Errorf("where all are a tenth slower, %v are, want gpu0 alone", alike)
	}
}

// Where what leads to a GPU is slow as well, though less so, it is not told that only what leads from it is.
func TestAGPUThatIsSlowAtBothEnds(t *testing.T) {
	m := write()
	for back, want := range map[float64]bool{1: true, 0.9965: false} {
		got, text := failing(m, links(m, 8, "->", func(from, to int) float64 {
			switch {
			case from == 0:
				return 0.994
			case to == 0:
				return back
			}
			return 1
		}), bounds.MeanOf(3))
		if slices.Contains(got, "gpu0->*") != want {
			t.Errorf("what leads back is %v: %v, %s", back, got, text)
		}
	}
}

func TestASlowLinkIsNoSlowGPU(t *testing.T) {
	for name, test := range map[string]struct {
		factor func(from, to int) float64
		want   []string
	}{
		"one link": {func(from, to int) float64 { return map[bool]float64{true: 0.9, false: 1}[from == 0 && to == 1] }, []string{"gpu0<->gpu1"}},
		"two links of a GPU, the third is fine": {func(from, to int) float64 { return map[bool]float64{true: 0.9, false: 1}[from == 0 && to < 3] },
			[]string{"gpu0<->gpu1", "gpu0<->gpu2"}},
		"a slow GPU with an even slower link": {func(from, to int) float64 {
			return involves(0, 0.99)(from, to) * map[bool]float64{true: 0.9, false: 1}[from == 0 && to == 1]
		}, []string{"gpu0", "gpu0<->gpu1"}},
		"all alike":           {func(int, int) float64 { return 0.5 }, nil},
		"two kinds of switch": {func(from, to int) float64 { return map[bool]float64{true: 1, false: 0.9}[from/2 == to/2] }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := failing(write(), links(write(), 4, "<->", test.factor), bounds.MeanOf(1))
			if name == "two kinds of switch" {
				got = slices.DeleteFunc(got, func(at string) bool { return strings.Contains(at, ">") })
			}
			if diff := cmp.Diff(test.want, got, cmpEmpty); diff != "" {
				t.Errorf("failing parts (-want +got):\n%s", diff)
			}
		})
	}
}

var cmpEmpty = cmp.Transformer("nil", func(parts []string) []string { return append([]string{}, parts...) })

// Several attempts convict the GPU, and its links are not told beside it. One that comes and goes is cleared, and counted.
func TestASlowGPUIsConvictedByItsMean(t *testing.T) {
	m := write()
	decide := func(attempts ...*v1alpha1.Attempt) Decision {
		metrics, all := []v1alpha1.Metric{m}, []v1alpha1.Attempt{}
		for i, a := range attempts {
			all = append(all, *a)
			all[i].Number = int32(i + 1)
		}
		own := fleet.DigestAttempt(metrics, attempts[0])
		own.Node = "a"
		return newFleet("p2p", metrics, []fleet.Digest{own}, nil, true).Decide(all, rule.Given{Node: "a"}, 2)
	}
	r := seeded(11)
	noise := noisyLinks(r, 4, 0.0003, false)
	slowed := func() *v1alpha1.Attempt {
		return links(m, 4, "->", func(from, to int) float64 { return involves(1, 0.99)(from, to) * noise(from, to) })
	}
	healthy := links(m, 4, "->", noise)

	first := decide(slowed())
	if !first.NeedsAttempt || !strings.Contains(first.Message, "gpu1 (GPU-1) is in all 6 slow pairs") {
		t.Errorf("after one attempt: %v: %s", first.NeedsAttempt, first.Message)
	}
	d := decide(slowed(), slowed())
	if d.Verdict != v1alpha1.VerdictFail || len(d.Findings) != 1 || d.Findings[0].At != "gpu1" || d.Headline[0].At != "gpu1" {
		t.Errorf("after two: %s, %+v: %s", d.Verdict, d.Findings, d.Message)
	}
	if len(d.Terms.Broken) != 1 || d.Terms.Broken[0].At != "gpu1" || d.Terms.Broken[0].Parts != 12 || len(d.Terms.Held) != 1 {
		t.Errorf("it broke %+v and held %+v", d.Terms.Broken, d.Terms.Held)
	}
	d = decide(slowed(), healthy)
	if diff := cmp.Diff([]v1alpha1.PartReference{{Metric: m.Name, At: "gpu1"}}, d.Cleared); diff != "" || d.Verdict != v1alpha1.VerdictPass {
		t.Errorf("slow once: %s: %s; cleared (-want +got):\n%s", d.Verdict, d.Message, diff)
	}
	link := func() *v1alpha1.Attempt {
		return links(m, 4, "->", func(from, to int) float64 {
			return noise(from, to) * map[bool]float64{true: 0.99, false: 1}[from == 1 && to == 2]
		})
	}
	if d = decide(link(), link()); len(d.Findings) != 1 || d.Findings[0].At != "gpu1->gpu2" {
		t.Errorf("a link that is slow twice: %s: %s", d.Verdict, d.Message)
	}
}

// The numbers of three GPUs say nothing of any of them: a slow one leaves a single pair to compare with.
func TestThreeGPUsAreTooFew(t *testing.T) {
	if got, text := failing(write(), links(write(), 3, "<->", involves(0, 0.9)), bounds.MeanOf(1)); slices.Contains(got, "gpu0") {
		t.Errorf("gpu0 of 3 was blamed: %s", text)
	}
}

// Six pairs of a node and what is claimed of their noise say little. Where the pairs of other nodes vary more, few GPUs are blamed within that.
func TestAFleetTellsHowMuchPairsVary(t *testing.T) {
	m, alone, beside := write(), 0, 0
	for seed := range uint64(20) {
		r := seeded(seed)
		noise := noisyLinks(r, 4, 0.002, false)
		slow := links(m, 4, "<->", func(from, to int) float64 { return involves(0, 0.992)(from, to) * noise(from, to) })
		all := []*v1alpha1.Attempt{slow}
		for range 8 {
			all = append(all, links(m, 4, "<->", noisyLinks(r, 4, 0.002, false)))
		}
		if got, _ := failing(m, slow, bounds.MeanOf(1)); slices.Contains(got, "gpu0") {
			alone++
		}
		found := judgeIn(fleetOf("p2p", []v1alpha1.Metric{m}, all, true), slow, rule.Given{}).Findings
		if slices.ContainsFunc(found, func(f v1alpha1.Finding) bool { return f.At == "gpu0" && f.Verdict == v1alpha1.VerdictFail }) {
			beside++
		}
	}
	if alone < 15 || beside > 7 {
		t.Errorf("of 20 GPUs, %d are blamed in nodes that are alone, want most, and %d beside others, want few", alone, beside)
	}
}

// Whatever the limit, noise convicts next to no healthy GPU, be it by pair or by GPU.
func TestNoiseBlamesNoGPU(t *testing.T) {
	exact := write(func(m *v1alpha1.Metric) { m.Expectation.MaxFleetDeviation = "0" })
	const nodes, sigma = 2000, 0.0003
	for _, gpus := range []int{4, 8} {
		for _, arrow := range []string{"->", "<->"} {
			for name, byGPU := range map[string]bool{"by pair": false, "by GPU": true} {
				r := seeded(uint64(gpus))
				suspect, convicted := 0, 0
				for range nodes {
					a := links(exact, gpus, arrow, noisyLinks(r, gpus, sigma, byGPU))
					if blamesGPU(exact, a, bounds.Suspicion) {
						suspect++
					}
					if blamesGPU(exact, a, bounds.MeanOf(1)) {
						convicted++
					}
				}
				const suspicious, convincing = 5e-2, 6e-4 // shares of healthy nodes that may be suspect, and convicted
				if float64(suspect) > suspicious*float64(nodes) || float64(convicted) > convincing*float64(nodes) {
					t.Errorf("%d GPUs %s, noise %s: of %d healthy nodes, %d are suspect by a GPU, want at most %g; %d are convicted, want at most %g",
						gpus, arrow, name, nodes, suspect, suspicious*nodes, convicted, convincing*nodes)
				}
			}
		}
	}
}

// noisyLinks has noise from run to run and, as much, between the parts: pairs, or GPUs.
func noisyLinks(r *rand.Rand, gpus int, sigma float64, byGPU bool) func(from, to int) float64 {
	effects := noisy(r, gpus, 1, sigma)
	return func(from, to int) float64 {
		part := sigma * r.NormFloat64()
		if byGPU {
			part = (effects[from] - 1 + effects[to] - 1) * 0.7071
		}
		return 1 + part + sigma*r.NormFloat64()
	}
}

func blamesGPU(m v1alpha1.Metric, a *v1alpha1.Attempt, e bounds.Certainty) bool {
	got, _ := failing(m, a, e)
	return slices.ContainsFunc(got, func(at string) bool { return !strings.Contains(at, ">") })
}

// In the recordings no GPU is blamed, and one whose links all are 1% slower is, in a machine of four that stands alone.
func TestSlowGPUsInRecordedPairs(t *testing.T) {
	p2p := testdata.Benchmark("p2p")
	metrics := p2p.Spec.Metrics
	all, named := 0, map[string]int{}
	for _, machine := range []string{"node1", "node2", "node3", "node4", "node5"} {
		r := testdata.Recorded("h200/" + machine)
		attempts := attempts(t, r, "p2p", metrics)
		for i := range attempts[1:] {
			if got := blamed(p2p, attempts[i:i+2], "", ""); len(got) > 0 {
				t.Errorf("%s, repetitions %d and %d: %v fail", machine, i, i+1, got)
			}
			for gpu := range 4 {
				all++
				for _, metric := range []string{"writeBandwidth", "readBandwidth", "bidirectionalBandwidth"} {
					slow := fmt.Sprintf("gpu%d", gpu)
					if got := blamed(p2p, attempts[i:i+2], metric, slow); slices.Equal(got, []string{metric + " " + slow}) {
						named[metric]++
					} else {
						t.Logf("%s, repetitions %d and %d: %v, want %s of %s", machine, i, i+1, got, slow, metric)
					}
				}
			}
		}
	}
	for metric, n := range named {
		t.Logf("%s: named %d of %d", metric, n, all)
		if float64(n) < 0.99*float64(all) {
			t.Errorf("%s: %d of %d GPUs whose links are 1%% slower are named, want 99%%", metric, n, all)
		}
	}
	if all < 100 || len(named) < 3 {
		t.Errorf("%d GPUs, named by %v", all, named)
	}
}

// blamed by attempts of a machine that stands alone: what fails, with the links of one GPU slowed down by 1% in one metric.
func blamed(b *v1alpha1.Benchmark, attempts []*v1alpha1.Attempt, metric, gpu string) []string {
	var copies []v1alpha1.Attempt
	for i, a := range attempts {
		a := a.DeepCopy()
		a.Number = int32(i + 1)
		if metric != "" {
			slow(a, metric, gpu, 0.99)
		}
		copies = append(copies, *a)
	}
	d := newFleet(b.Name, b.Spec.Metrics, []fleet.Digest{fleet.DigestAttempt(b.Spec.Metrics, &copies[0])}, nil, true).Decide(copies, rule.Given{}, 1)
	var failed []string
	for _, f := range d.Findings {
		if d.Verdict == v1alpha1.VerdictFail && f.Verdict == v1alpha1.VerdictFail {
			failed = append(failed, f.Metric+" "+f.At)
		}
	}
	return failed
}

// slow makes every part of a metric slower that names a GPU.
func slow(a *v1alpha1.Attempt, metric, gpu string, factor float64) {
	for i := range attempt.Measurement(a, metric).Parts {
		p := &attempt.Measurement(a, metric).Parts[i]
		if v, ok := quantity.ParseDecimal(p.Value); ok && strings.Contains(p.At, gpu) {
			p.Value = quantity.Decimal(v*factor, quantity.Exact)
		}
	}
}
