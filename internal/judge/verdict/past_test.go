package verdict

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/judge/rule"
)

// What the attempt itself, or a later one, put into the history is not what it is compared with, so that judging again gives the same.
func TestOnlyEarlierPassesAreHistory(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxRegression: "0.02"}))
	launched := metav1.NewTime(firstRun.AddDate(0, 1, 0))
	a := onGPUs(m, 50)
	a.LaunchTime = &launched
	for sentence, tt := range map[string]struct {
		change func(p *past.Past, h *v1alpha1.PassHistory)
		want   v1alpha1.Verdict
	}{
		"three earlier passes":               {func(*past.Past, *v1alpha1.PassHistory) {}, v1alpha1.VerdictFail},
		"the third was launched with it":     {func(_ *past.Past, h *v1alpha1.PassHistory) { h.Runs[2].Time = launched }, v1alpha1.VerdictPass},
		"the third is later":                 {func(_ *past.Past, h *v1alpha1.PassHistory) { h.Runs[2].Time.Time = launched.AddDate(1, 0, 0) }, v1alpha1.VerdictPass},
		"the third is of the run itself":     {func(p *past.Past, h *v1alpha1.PassHistory) { h.Runs[2].RunUID, p.Without = "this", "this" }, v1alpha1.VerdictPass},
		"they are of another image":          {func(_ *past.Past, h *v1alpha1.PassHistory) { h.Configuration = "c2" }, v1alpha1.VerdictPass},
		"they are of another metric":         {func(_ *past.Past, h *v1alpha1.PassHistory) { h.Metrics[0].Metric = "copy" }, v1alpha1.VerdictPass},
		"they have a unit of their own":      {func(_ *past.Past, h *v1alpha1.PassHistory) { h.Metrics[0].Unit = "Gb/s" }, v1alpha1.VerdictPass},
		"they are in another prefix":         {func(_ *past.Past, h *v1alpha1.PassHistory) { h.Metrics[0].Unit = "MB/s" }, v1alpha1.VerdictPass},
		"they are of another part":           {func(_ *past.Past, h *v1alpha1.PassHistory) { h.Metrics[0].Parts = h.Metrics[0].Parts[2:] }, v1alpha1.VerdictPass},
		"they are of a GPU that is replaced": {func(_ *past.Past, h *v1alpha1.PassHistory) { h.Devices = []v1alpha1.Device{{UUID: "GPU-x"}} }, v1alpha1.VerdictPass},
	} {
		t.Run(sentence, func(t *testing.T) {
			before := pastBy(m, "100", "100", "100")
			tt.change(&before, &before.Passes[0])
			if j := judgeAlone(m, a, rule.Given{Past: before}); j.Verdict != tt.want {
				t.Errorf("%s: %s; want %s", j.Verdict, j.Message, tt.want)
			}
		})
	}
}

// TestAPartIsComparedWithItself: what a fast GPU loses is found although it is still no slower than the others.
func TestAPartIsComparedWithItself(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxRegression: "0.02"}), steady)
	ago := withDevices(onGPUs(m, 100, 105, 100, 100), "H200", 4)
	now := withDevices(onGPUs(m, 100, 101, 100, 100), "H200", 4)
	j := judgeAlone(m, now, rule.Given{Past: pastOf(ago, ago, ago)})
	if want := "gpu1 (GPU-1) hbmTriad 101 GB/s: 3.8% below its own median of 105 GB/s (last 3 passes), bound "; !strings.HasPrefix(j.Message, "gpu1 (GPU-1)") || j.Verdict != v1alpha1.VerdictFail {
		t.Errorf("%s: %s\nwant Fail: %s", j.Verdict, j.Message, want)
	}
	swapped := now.DeepCopy()
	swapped.Devices[1].UUID, swapped.Devices[2].UUID = swapped.Devices[2].UUID, swapped.Devices[1].UUID
	j = judgeAlone(m, swapped, rule.Given{Past: pastOf(ago, ago, ago)})
	if !strings.HasPrefix(j.Message, "gpu2 (GPU-1) hbmTriad 100 GB/s: 4.8% below its own median of 105 GB/s") {
		t.Errorf("once two GPUs have changed places: %s: %s", j.Verdict, j.Message)
	}
	replaced := now.DeepCopy()
	replaced.Devices[1].UUID = "GPU-new"
	j = judgeAlone(m, replaced, rule.Given{Past: pastOf(ago, ago, ago)})
	if j.Verdict != v1alpha1.VerdictPass || len(j.Findings) != 1 || !strings.Contains(j.Findings[0].Message, "it has 0 earlier passing results") {
		t.Errorf("once the GPU is replaced: %s: %s, %v", j.Verdict, j.Message, j.Findings)
	}
}

// TestTwoLevelsOfThePast: a part may neither lose its first level step by step, nor what it gained since.
func TestTwoLevelsOfThePast(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxRegression: "0.02"}), steady)
	for sentence, c := range map[string]struct {
		past  []string
		value float64
		want  string
	}{
		"step by step": {[]string{"100", "100", "100", "100", "100", "99", "99", "98.5", "98.5", "98.2", "98.2", "98.1"}, 97.9,
			"2.1% below its own baseline of 100 GB/s (median of its first 5 passes, since 2026-10-02), bound 98 GB/s"},
		"what it gained": {[]string{"100", "100", "100", "100", "100", "110", "110", "110", "110", "110", "110", "110"}, 105,
			"4.5% below its own median of 110 GB/s (last 10 passes), bound 107.8 GB/s"},
	} {
		before := pastBy(m, c.past...)
		for i := range before.Passes[0].Metrics[0].Parts {
			p := &before.Passes[0].Metrics[0].Parts[i]
			p.Baseline, p.Recent = "100", past.RecentOf(past.Recent(p)[2:])
		}
		before.Passes[0].Runs = before.Passes[0].Runs[2:]
		if j := judgeAlone(m, onGPUs(m, c.value), rule.Given{Past: before}); j.Verdict != v1alpha1.VerdictFail || !strings.Contains(j.Message, c.want) {
			t.Errorf("%s: %s: %s\nwant Fail: %s", sentence, j.Verdict, j.Message, c.want)
		}
	}
}

// TestFirstPassesThatWereFast: what fails never becomes the past. So one of the first passes that was fast must fail no later one, and two
// of the first five do not either.
func TestFirstPassesThatWereFast(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxRegression: "0.005"}), func(m *v1alpha1.Metric) { m.Noise.Run = "0.0003" })
	for sentence, ago := range map[string][]string{
		"the first of three":    {"4450", "4380", "4380"},
		"the last of three":     {"4380", "4380", "4450"},
		"one of four":           {"4450", "4380", "4381", "4380"},
		"two of the first five": {"4450", "4380", "4450", "4380", "4380"},
		"one long ago":          {"4450", "4380", "4380", "4381", "4379", "4380", "4380", "4380"},
	} {
		facts := rule.Given{Past: pastBy(m, ago...)}
		if j := judgeAlone(m, onGPUs(m, 4380), facts); j.Verdict != v1alpha1.VerdictPass {
			t.Errorf("%s was fast: %s: %s, want Pass", sentence, j.Verdict, j.Message)
		}
		if j := judgeAlone(m, onGPUs(m, 4200), facts); j.Verdict != v1alpha1.VerdictFail {
			t.Errorf("%s was fast, and now 4%% are lost: %s: %s, want Fail", sentence, j.Verdict, j.Message)
		}
	}
}

// TestHealthyPartsHoldTheirPast: whatever the length of the history, at most 1 of 1,000 healthy nodes of 8 GPUs fails by it, and of a loss
// of 2% at a noise of 0.3% nearly all is found.
func TestHealthyPartsHoldTheirPast(t *testing.T) {
	const nodes, sigma = 2000, 0.003
	m := triad(expecting(v1alpha1.Expectation{MaxRegression: "0.001"}), func(m *v1alpha1.Metric) { m.Noise.Run = "0.003" })
	for _, runs := range []int{3, 5, 10} {
		r := seeded(uint64(runs))
		failed, found := 0, 0
		for range nodes {
			var ago []*v1alpha1.Attempt
			for range runs {
				ago = append(ago, onGPUs(m, noisy(r, 8, 4370, sigma)...))
			}
			facts := rule.Given{Past: pastOf(ago...)}
			now := noisy(r, 8, 4370, sigma)
			if judgeAlone(m, onGPUs(m, now...), facts).Verdict == v1alpha1.VerdictFail {
				failed++
			}
			now[3] *= 0.98
			j := judgeAlone(m, onGPUs(m, now...), facts)
			if slices.ContainsFunc(j.Findings, func(f v1alpha1.Finding) bool { return f.At == "gpu3" && f.Verdict == v1alpha1.VerdictFail }) {
				found++
			}
		}
		t.Logf("after %d runs: %d of %d healthy nodes fail, 2%% is found in %d", runs, failed, nodes, found)
		if failed > nodes/1000 {
			t.Errorf("after %d runs %d of %d healthy nodes fail, want at most %d", runs, failed, nodes, nodes/1000)
		}
		if found < nodes*80/100 {
			t.Errorf("after %d runs 2%% is found in %d of %d nodes, want 4 of 5", runs, found, nodes)
		}
	}
}

// TestCountsAreComparedExactly: a metric without noise allows nothing that its expectation does not.
func TestCountsAreComparedExactly(t *testing.T) {
	m := v1alpha1.Metric{Name: "reachablePeers", Unit: "count", Headline: true, Noise: v1alpha1.Noise{Run: "0", Part: "0", Node: "0"},
		Expectation: &v1alpha1.Expectation{MaxRegression: "0"}}
	facts := rule.Given{Past: pastBy(m, "7", "7", "7")}
	for peers, want := range map[int]v1alpha1.Verdict{7: v1alpha1.VerdictPass, 6: v1alpha1.VerdictFail} {
		a := attemptOf(v1alpha1.Measurement{Name: m.Name, Unit: m.Unit, Parts: []v1alpha1.PartValue{{At: "gpu0", Value: v1alpha1.Decimal(strconv.Itoa(peers))}}})
		if j := judgeAlone(m, a, facts); j.Verdict != want {
			t.Errorf("%d of 7 peers: %s: %s, want %s", peers, j.Verdict, j.Message, want)
		}
	}
}
