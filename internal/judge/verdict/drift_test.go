package verdict

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

const aWeek = 7 * 24 * time.Hour

// kept is what a history keeps of one GPU that was measured so many times, every so often.
func kept(values []float64, every time.Duration) *v1alpha1.PassHistory {
	h := &v1alpha1.PassHistory{Devices: []v1alpha1.Device{{Index: 0, UUID: "GPU-4bce"}}}
	p := v1alpha1.PartHistory{At: "gpu0", Passes: int32(len(values)), Since: metav1.NewTime(firstRun)}
	var recent []v1alpha1.Decimal
	p.Baseline = quantity.Decimal(stat.Median(values[:min(len(values), past.BaselinePasses)]), 9)
	for i := max(0, len(values)-10); i < len(values); i++ {
		h.Runs = append(h.Runs, v1alpha1.PassingRun{RunUID: "run", Time: metav1.NewTime(firstRun.Add(time.Duration(i) * every))})
		recent = append(recent, quantity.Decimal(values[i], 7))
	}
	p.Recent = past.RecentOf(recent)
	h.Metrics = []v1alpha1.MetricHistory{{Metric: "hbmTriad", Unit: "GB/s", Parts: []v1alpha1.PartHistory{p}}}
	return h
}

// drifting are values of a GPU that loses a share a week once its baseline is there.
func drifting(r *rand.Rand, n int, every time.Duration, sigma, loss float64) []float64 {
	values := noisy(r, n, 4370, sigma)
	for i := range values {
		values[i] -= 4370 * loss * max(0, float64(i-past.BaselinePasses+1)) * float64(every) / float64(7*24*time.Hour)
	}
	return values
}

func varying(run string) v1alpha1.Metric {
	return triad(func(m *v1alpha1.Metric) { m.Noise.Run = v1alpha1.Fraction(run) })
}

// TestASlowDeclineIsNamed: -0.2% a week within 5 weeks at a noise of 0.1%, within 12 at 0.3%, however often a node is measured.
func TestASlowDeclineIsNamed(t *testing.T) {
	for _, c := range []struct {
		noise string
		sigma float64
		weeks int
	}{{"0.001", 0.001, 5}, {"0.003", 0.003, 12}} {
		for name, every := range map[string]time.Duration{"weekly": aWeek, "daily": 24 * time.Hour, "hourly": time.Hour} {
			metrics := []v1alpha1.Metric{varying(c.noise)}
			const parts = 120
			named, sum := 0, 0
			r := seeded(uint64(c.weeks))
			runs := c.weeks * int(aWeek/every)
			for range parts {
				values := drifting(r, past.BaselinePasses+runs, every, c.sigma, 0.002)
				for n := past.BaselinePasses + 1; n <= len(values); n++ {
					if len(past.Drifts(metrics, kept(values[:n], every))) > 0 {
						named, sum = named+1, sum+n-past.BaselinePasses
						break
					}
				}
			}
			t.Logf("noise %s, %s: %d of %d named within %d weeks, after %.1f on average", c.noise, name, named, parts, c.weeks,
				float64(sum)/float64(named)*float64(every)/float64(7*24*time.Hour))
			if named < parts*99/100 {
				t.Errorf("noise %s, %s: %d of %d named within %d weeks, want 99%%", c.noise, name, named, parts, c.weeks)
			}
		}
	}
}

// TestHealthyPartsDoNotDrift: nor do those that vary half as much again as their metric claims.
func TestHealthyPartsDoNotDrift(t *testing.T) {
	metrics := []v1alpha1.Metric{varying("0.002")}
	for _, c := range []struct {
		every time.Duration
		years int
		sigma float64
	}{{aWeek, 1500, 0.002}, {time.Hour, 10, 0.002}, {aWeek, 400, 0.003}} {
		r, alarms, looks := seeded(3), 0, int(52*aWeek/c.every)
		for range c.years {
			values := noisy(r, looks, 4370, c.sigma)
			for n := past.BaselinePasses + 1; n <= len(values); n++ {
				if len(past.Drifts(metrics, kept(values[:n], c.every))) > 0 {
					alarms++
					break
				}
			}
		}
		t.Logf("every %s, noise %.1f%%: %d false alarms in %d years of a part", c.every, 100*c.sigma, alarms, c.years)
		if alarms > 0 {
			t.Errorf("every %s, noise %.1f%%: %d false alarms in %d years of a part", c.every, 100*c.sigma, alarms, c.years)
		}
	}
}

// TestWhatIsSaidOfADecline: by how much, since when, and how fast.
func TestWhatIsSaidOfADecline(t *testing.T) {
	steady := []float64{4370, 4370, 4370, 4370, 4370, 4370, 4370}
	for sentence, c := range map[string]struct {
		values []float64
		every  time.Duration
		change func(*v1alpha1.Metric)
		want   string
	}{
		"a level that stays":                       {steady, aWeek, nil, ""},
		"no baseline yet":                          {[]float64{4370, 4370, 4370, 4370, 4000}, aWeek, nil, ""},
		"a metric that is new":                     {append(steady[:7:7], 4340, 4340), aWeek, func(m *v1alpha1.Metric) { m.Name = "copy" }, ""},
		"a count, whose expectation tells at once": {[]float64{8, 8, 8, 8, 8, 8, 7}, aWeek, func(m *v1alpha1.Metric) { m.Noise.Run = "0" }, ""},
		"what became faster":                       {append(steady[:7:7], 4500, 4600, 4700), aWeek, nil, ""},
		"less than is worth it":                    {append(steady[:7:7], 4366, 4366, 4366, 4366), aWeek, expecting(v1alpha1.Expectation{MaxRegression: "0.005"}), ""},
		"a slow decline": {append(steady[:7:7], 4361, 4353, 4344, 4335, 4326), aWeek, nil,
			"gpu0 (GPU-4bce) hbmTriad 4.33 TB/s: 0.9% below its own baseline of 4.37 TB/s since 2026-11-20 (mean of its last 2 passes); it has got worse by 0.2% a week since 2026-11-20"},
		"a step": {append(steady[:7:7], 4340, 4340, 4340), aWeek, nil,
			"gpu0 (GPU-4bce) hbmTriad 4.34 TB/s: 0.7% below its own baseline of 4.37 TB/s since 2026-11-20 (mean of its last 3 passes); it has got worse by 0.076% a week since 2026-10-02"},
		"a decline that is older than the ring": {append(append([]float64{}, steady...), drop(4330, 10)...), 24 * time.Hour, nil,
			"since before 2026-10-09 (mean of its last 10 passes); it has got worse by 0.4% a week since 2026-10-02"},
		"a latency that grows": {[]float64{2, 2, 2, 2, 2, 2.02, 2.04, 2.06, 2.08}, aWeek, func(m *v1alpha1.Metric) { m.Better = v1alpha1.Lower },
			"gpu0 (GPU-4bce) hbmTriad 2.07 GB/s: 3.5% above its own baseline of 2 GB/s since 2026-11-06"},
	} {
		m := varying("0.001")
		if c.change != nil {
			c.change(&m)
		}
		var said []string
		for _, f := range past.Drifts([]v1alpha1.Metric{m}, kept(c.values, c.every)) {
			said = append(said, f.Message)
			if f.Rule != term.Drift || f.Verdict != v1alpha1.VerdictWarning || f.At != "gpu0" {
				t.Errorf("%s: %+v", sentence, f)
			}
		}
		if got := fmt.Sprint(strings.Join(said, "; ")); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q\nwant %q", sentence, got, c.want)
		}
	}
}

func drop(value float64, n int) (all []float64) {
	for range n {
		all = append(all, value)
	}
	return all
}
