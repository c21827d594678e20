package past

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

const (
	// driftAlarm is the chance of a false alarm in one look at one part: below 1 in 10,000 in a year of hourly runs, each of which looks
	// at up to ten windows.
	driftAlarm = 1e-9
	// driftShare of what the metric's expectation allows is the least loss that is worth a word.
	driftShare = 0.25
	// onsetSigmas is the allowance of the CUSUM that dates the change.
	onsetSigmas = 0.5
	// slopeSigmas is how far a trend must be from none to be told.
	slopeSigmas = 3
	// maxWarnings is the bound of BenchmarkHistory.warnings.
	maxWarnings = 32
)

const week = 7 * 24 * time.Hour

// Drifts warns of parts that have become worse since their first passing runs, worst first. A change-point test on the frozen baseline:
// the mean of the latest 1, 2 ... values is compared with it, whichever says most, so that one big step is seen at once and a slow decline
// as soon as its mean stands out. It knows how uncertain the baseline is, which a plain CUSUM does not.
func Drifts(metrics []v1alpha1.Metric, h *v1alpha1.PassHistory) []v1alpha1.Finding {
	type warning struct {
		v1alpha1.Finding
		loss float64
	}
	var all []warning
	for m := range list.Each(metrics) {
		passed, factor := historyOf(h, m)
		if passed == nil {
			continue
		}
		for p := range list.Each(passed.Parts) {
			if d, drifts := newDecline(m, h, p); drifts {
				all = append(all, warning{loss: d.loss, Finding: v1alpha1.Finding{Metric: m.Name, At: p.At, Rule: term.Drift, Verdict: v1alpha1.VerdictWarning,
					Message: d.text(m, p.At, h.Devices, factor)}})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b warning) int { return cmp.Compare(b.loss, a.loss) })
	return list.Map(all[:min(len(all), maxWarnings)], func(w warning) v1alpha1.Finding { return w.Finding })
}

// decline of a part: how far below its baseline its latest values are, as fractions of it.
type decline struct {
	baseline float64
	loss     float64 // of the latest values, as many as passes
	passes   int
	onset    time.Time
	earlier  bool // the change came before onset, which is as far back as values are kept
	slope    float64
	// since when the slope is meant: from the onset on, or, where the latest values show no trend of their own, from the first pass on.
	since time.Time
}

// afterBaseline are the values of a part, as losses against its frozen baseline, that came after those that made it.
func afterBaseline(m *v1alpha1.Metric, runs []v1alpha1.PassingRun, p *v1alpha1.PartHistory) (losses []float64, times []time.Time, kept bool) {
	baseline, ok := quantity.ParseDecimal(p.Baseline)
	recent := Recent(p)
	if !ok || baseline == 0 || p.Passes <= BaselinePasses || len(recent) == 0 || recent[len(recent)-1] == "" {
		return nil, nil, false
	}
	first := len(runs) - len(recent)
	for i, text := range recent {
		v, ok := quantity.ParseDecimal(text)
		if !ok || first+i < 0 {
			continue
		}
		loss := bounds.Sign(m.Better) * (baseline - v) / math.Abs(baseline)
		losses, times = append(losses, loss), append(times, runs[first+i].Time.Time)
	}
	skip := max(0, BaselinePasses-(int(p.Passes)-len(losses)))
	if skip >= len(losses) {
		return nil, nil, false
	}
	return losses[skip:], times[skip:], int(p.Passes)-BaselinePasses == len(losses)-skip
}

func newDecline(m *v1alpha1.Metric, h *v1alpha1.PassHistory, p *v1alpha1.PartHistory) (d decline, drifts bool) {
	losses, times, all := afterBaseline(m, h.Runs, p)
	if len(losses) == 0 {
		return d, false
	}
	var part PartPast
	part.scatter, part.steps = scatter(losses, 1)
	run := part.noise(m)
	sigma := math.Sqrt(run.Variance)
	if sigma == 0 {
		return d, false // a count: its expectation says at once what is missing
	}
	worst, sum := 0.0, 0.0
	for n := 1; n <= len(losses); n++ {
		sum += losses[len(losses)-n]
		mean := sum / float64(n)
		if z := mean / (sigma * math.Sqrt(1/float64(n)+bounds.OfMedian(BaselinePasses))); z > worst {
			worst, d.loss, d.passes = z, mean, n
		}
	}
	allowed := 0.0 // to differ from its past, or else from others
	if m.Expectation != nil {
		allowed, _ = quantity.ParseDecimal(cmp.Or(m.Expectation.MaxRegression, m.Expectation.MaxFleetDeviation))
	}
	if worst < stat.StudentCritical(driftAlarm, run.Freedom) || d.loss < driftShare*allowed {
		return d, false
	}
	d.baseline, _ = quantity.ParseDecimal(p.Baseline)
	from := onset(losses, onsetSigmas*sigma)
	d.onset, d.earlier = times[from], from == 0 && !all
	d.slope, d.since = trend(losses[from:], times[from:], sigma)
	if d.since.IsZero() {
		d.since = Since(h, p)
		d.slope = d.loss / weeks(times[len(times)-1].Sub(d.since))
	}
	return d, true
}

// onset is the first value after the CUSUM of losses was last at rest.
func onset(losses []float64, allowance float64) int {
	from, sum := 0, 0.0
	for i, loss := range losses {
		if sum = max(0, sum+loss-allowance); sum == 0 {
			from = min(i+1, len(losses)-1)
		}
	}
	return from
}

// trend is the slope of losses per week, by least squares; since is zero where it does not stand out of the noise.
func trend(losses []float64, times []time.Time, sigma float64) (slope float64, since time.Time) {
	var x []float64
	var meanX, meanY float64
	n := float64(len(losses))
	for i, t := range times {
		x = append(x, weeks(t.Sub(times[0])))
		meanX, meanY = meanX+x[i]/n, meanY+losses[i]/n
	}
	var xx, xy float64
	for i := range x {
		xx, xy = xx+(x[i]-meanX)*(x[i]-meanX), xy+(x[i]-meanX)*(losses[i]-meanY)
	}
	if len(losses) < MinHistory || xx == 0 || xy/xx < slopeSigmas*sigma/math.Sqrt(xx) {
		return 0, time.Time{}
	}
	return xy / xx, times[0]
}

func weeks(d time.Duration) float64 { return max(float64(d), float64(time.Hour)) / float64(week) }

// text of the warning: by how much the part has left its baseline, in the mean of so many of its latest passes, and since when: "gpu3 (GPU-4bce) hbmTriad
// 4.32 TB/s: 0.9% below its own baseline of 4.36 TB/s ...".
func (d decline) text(m *v1alpha1.Metric, at string, devices []v1alpha1.Device, factor float64) string {
	off, value := -100*d.loss*bounds.Sign(m.Better), bounds.Within(m, d.baseline, d.loss*math.Abs(d.baseline))
	value, baseline := value*factor, d.baseline*factor
	mean, since := "in its last pass", "since "
	if d.passes > 1 {
		mean = fmt.Sprintf("mean of its last %d passes", d.passes)
	}
	if d.earlier {
		since = "since before "
	}
	scale := quantity.NewScale(m.Unit, value, baseline)
	return message.Reading(message.PartWith(at, part.UUIDs(at, devices)), m.Name, scale.Format(value),
		fmt.Sprintf("%s %s its own baseline of %s %s (%s)", quantity.Percent(math.Abs(off)), message.Side(off), scale.Format(baseline), since+message.Day(d.onset), mean),
		fmt.Sprintf("it has got worse by %s a week since %s", quantity.Percent(100*d.slope), message.Day(d.since)))
}
