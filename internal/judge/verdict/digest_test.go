package verdict

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/rule"
)

// passedAt is a node's history whose newest run measured these values; before it, its parts were slow.
func passedAt(m v1alpha1.Metric, at time.Time, values ...float64) *v1alpha1.PassHistory {
	h := &v1alpha1.PassHistory{Runs: []v1alpha1.PassingRun{{Time: metav1.NewTime(at.Add(-time.Hour))}, {Time: metav1.NewTime(at)}},
		Metrics: []v1alpha1.MetricHistory{{Metric: m.Name, Unit: m.Unit}}}
	for i, v := range values {
		h.Metrics[0].Parts = append(h.Metrics[0].Parts, v1alpha1.PartHistory{At: "gpu" + strconv.Itoa(i),
			Recent: []v1alpha1.PassingValue{"1", v1alpha1.PassingValue(strconv.FormatFloat(v, 'f', -1, 64))}})
	}
	return h
}

func knownNode(name string, m v1alpha1.Metric, at time.Time, values ...float64) fleet.Digest {
	d := fleet.DigestPasses(passedAt(m, at, values...))
	d.Node = name
	return d
}

// TestTheKnownFleet: a run of one node is judged against what others reached when they last passed, and says so.
func TestTheKnownFleet(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
	ms := []v1alpha1.Metric{m}
	then := time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)
	var known []fleet.Digest
	for i := range 4 {
		known = append(known, knownNode(fmt.Sprintf("known%d", i), m, then.Add(time.Duration(i)*24*time.Hour), 100, 100))
	}
	other := passedAt(m, then, 70, 70, 70, 70)
	other.Configuration = "another image"
	known = append(known, fleet.DigestPasses(other))
	judge := func(own ...fleet.Digest) string {
		f := newFleet(bench, ms, own, known, true)
		return f.rules.Outcome(onGPUs(m, 80, 80), rule.Given{Node: "new"}, bounds.MeanOf(1)).Message
	}
	one := func(node string, values ...float64) fleet.Digest {
		d := fleet.DigestAttempt(ms, onGPUs(m, values...))
		d.Node = node
		return d
	}
	for sentence, tt := range map[string]struct {
		own  []fleet.Digest
		want string
	}{
		"alone in its run": {[]fleet.Digest{one("new", 80, 80)},
			"both GPUs hbmTriad 80 GB/s (median): 20% below 4 other nodes (8 GPUs, typical 100 GB/s; from their last passing run, the oldest on 2026-11-19), bound 93.23 GB/s"},
		"beside one that is new as well": {[]fleet.Digest{one("new", 80, 80), one("other", 100, 100)},
			"both GPUs hbmTriad 80 GB/s (median): 20% below 5 other nodes (10 GPUs, typical 100 GB/s; 4 of these nodes from their last passing run, the oldest on 2026-11-19), bound 93.47 GB/s"},
		"what a node measured in this run counts, and not what it reached before": {[]fleet.Digest{one("new", 80, 80), one("known0", 80, 80), one("known1", 80, 80), one("known2", 80, 80)},
			"gpu0 hbmTriad 80 GB/s: typical of the fleet"},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got := judge(tt.own...); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestAMeanMayConvictOfLess: what comes from measuring counts less the more often it was measured, what parts differ by does not.
func TestAMeanMayConvictOfLess(t *testing.T) {
	noisy := hardwareNoise{run: 0.02, part: 0.002, node: 0.002}
	steady := hardwareNoise{run: 0.002, part: 0.02, node: 0.02}
	room := func(n hardwareNoise, e bounds.Certainty) float64 {
		m := n.metric("0")
		a := onGPUs(m, 100, 100, 100, 100)
		f := fleetOf(bench, []v1alpha1.Metric{m}, []*v1alpha1.Attempt{a}, true)
		expected, _ := strconv.ParseFloat(string(f.rules.Outcome(a, rule.Given{Node: nodeOf(a)}, e).Headline[0].Expected), 64)
		return 100 - expected
	}
	if once, thrice := room(noisy, bounds.MeanOf(1)), room(noisy, bounds.MeanOf(3)); thrice > 0.62*once || thrice < 0.55*once {
		t.Errorf("noise of measuring: %.2f%% once, %.2f%% as the mean of three", once, thrice)
	}
	if once, thrice := room(steady, bounds.MeanOf(1)), room(steady, bounds.MeanOf(3)); thrice < 0.99*once || thrice > once {
		t.Errorf("noise between parts: %.2f%% once, %.2f%% as the mean of three", once, thrice)
	}
	if once, suspect := room(noisy, bounds.MeanOf(1)), room(noisy, bounds.Suspicion); suspect > 0.75*once {
		t.Errorf("suspect from %.2f%% on, convicted from %.2f%% on", suspect, once)
	}
}

// BenchmarkFleet5000 builds the fleet of 5,000 nodes with eight GPUs by a benchmark that measures GPUs and all their links.
func BenchmarkFleet5000(b *testing.B) {
	const nodes = 5000
	var metrics []v1alpha1.Metric
	for _, name := range []string{"triad", "copy", "peers"} {
		metrics = append(metrics, triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}), func(m *v1alpha1.Metric) { m.Name = name }))
	}
	for _, name := range []string{"read", "write", "both"} {
		metrics = append(metrics, triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}), func(m *v1alpha1.Metric) { m.Name = name }))
	}
	r := seeded(1)
	attempts, digests := make([]*v1alpha1.Attempt, nodes), make([]fleet.Digest, nodes)
	for i := range attempts {
		a := withDevices(attemptOf(), "H200", 8)
		for j, m := range metrics {
			got := v1alpha1.Measurement{Name: m.Name, Unit: m.Unit, Parts: onGPUs(m, noisy(r, 8, 4370, 0.002)...).Measurements[0].Parts}
			if j >= 3 {
				got.Parts = nil
				for p, v := range noisy(r, 56, 390, 0.002) {
					got.Parts = append(got.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d->gpu%d", p/7, (p/7+1+p%7)%8), Value: v1alpha1.Decimal(strconv.FormatFloat(v, 'f', 3, 64))})
				}
			}
			a.Measurements = append(a.Measurements, got)
		}
		attempts[i] = a
		digests[i] = fleet.DigestAttempt(metrics, a)
		digests[i].Node = "n" + strconv.Itoa(i)
	}
	b.Run("Digest one", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			fleet.DigestAttempt(metrics, attempts[i%nodes])
		}
	})
	b.Run("NewFleet", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			newFleet(bench, metrics, digests, nil, true)
		}
	})
	f := newFleet(bench, metrics, digests, nil, true)
	b.Run("Judge one", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			f.rules.Outcome(attempts[i%nodes], rule.Given{Node: digests[i%nodes].Node}, bounds.Suspicion)
		}
	})
}

// TestUnlikeMachinesAreNotCompared: the same GPU reaches other numbers among 3 others than among 7, and the same program on other CPUs.
func TestUnlikeMachinesAreNotCompared(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0"}), func(m *v1alpha1.Metric) { m.Noise = v1alpha1.Noise{Run: "0", Part: "0", Node: "0"} })
	ms := []v1alpha1.Metric{m}
	verdictOf := func(a *v1alpha1.Attempt, host string, known fleet.Digest) v1alpha1.Verdict {
		own := fleet.DigestAttempt(ms, a).On(host)
		own.Node = "own"
		others := []fleet.Digest{known, known, known}
		for i := range others {
			others[i].Node = fmt.Sprintf("known%d", i)
		}
		return newFleet(bench, ms, []fleet.Digest{own}, others, true).rules.Outcome(a, rule.Given{Node: "own"}, bounds.MeanOf(1)).Verdict
	}
	known := func(gpus int, host string, values ...float64) fleet.Digest {
		h := passedAt(m, time.Unix(0, 0), values...)
		h.Devices = withDevices(attemptOf(), "H200", gpus).Devices
		return fleet.DigestPasses(h).On(host)
	}
	for sentence, tt := range map[string]struct {
		got, want v1alpha1.Verdict
	}{
		"4 GPUs beside 8 of the same product": {verdictOf(withDevices(onGPUs(m, 3, 3, 3, 3), "H200", 4), "a", known(8, "b", 7, 7, 7, 7, 7, 7, 7, 7)), v1alpha1.VerdictPass},
		"4 GPUs beside 4, whatever the host":  {verdictOf(withDevices(onGPUs(m, 3, 3, 3, 3), "H200", 4), "a", known(4, "b", 7, 7, 7, 7)), v1alpha1.VerdictFail},
		"no devices, another kind of host":    {verdictOf(onGPUs(m, 3, 3, 3, 3), "a", known(0, "b", 7, 7, 7, 7)), v1alpha1.VerdictPass},
		"no devices, the same kind of host":   {verdictOf(onGPUs(m, 3, 3, 3, 3), "a", known(0, "a", 7, 7, 7, 7)), v1alpha1.VerdictFail},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %s, want %s", sentence, tt.got, tt.want)
		}
	}
}

// TestNodesKnownByTwoConfigurations count for each, whichever comes first: after an update of the image the older one tells nothing.
func TestNodesKnownByTwoConfigurations(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
	var known []fleet.Digest
	for i := range 4 {
		older := passedAt(m, time.Unix(0, 0), 100, 100)
		older.Configuration = "another image"
		d := fleet.DigestPasses(older)
		d.Node = fmt.Sprintf("known%d", i)
		known = append(known, d, knownNode(d.Node, m, time.Unix(1, 0), 100, 100))
	}
	f := newFleet(bench, []v1alpha1.Metric{m}, nil, known, true)
	if got := f.rules.Outcome(onGPUs(m, 80, 80), rule.Given{Node: "new"}, bounds.MeanOf(1)); got.Verdict != v1alpha1.VerdictFail {
		t.Errorf("a node that is 20%% slow beside 4 known ones: %s %q, want %s", got.Verdict, got.Message, v1alpha1.VerdictFail)
	}
}
