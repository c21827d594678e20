package verdict

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

var firstRun = time.Date(2026, 10, 2, 8, 0, 0, 0, time.UTC)

// pastBy is a history in which the node and each of eight GPUs reached the same values of one metric, a week apart.
func pastBy(m v1alpha1.Metric, values ...string) past.Past {
	h := v1alpha1.PassHistory{}
	for i := range values {
		h.Runs = append(h.Runs, v1alpha1.PassingRun{RunUID: "run", Time: metav1.NewTime(firstRun.AddDate(0, 0, 7*i))})
	}
	mh := v1alpha1.MetricHistory{Metric: m.Name, Unit: m.Unit}
	for _, at := range []string{"node", "gpu0", "gpu1", "gpu2", "gpu3", "gpu4", "gpu5", "gpu6", "gpu7"} {
		p := v1alpha1.PartHistory{At: at, Passes: int32(len(values)), Baseline: "1", Since: h.Runs[0].Time}
		for _, value := range values {
			p.Recent = append(p.Recent, v1alpha1.PassingValue(value))
		}
		mh.Parts = append(mh.Parts, p)
	}
	h.Metrics = []v1alpha1.MetricHistory{mh}
	return past.Past{Passes: []v1alpha1.PassHistory{h}}
}

// pastOf is what passing attempts of one configuration leave behind, with the same parts in each, a week apart.
func pastOf(attempts ...*v1alpha1.Attempt) past.Past {
	h := v1alpha1.PassHistory{Devices: attempts[0].Devices}
	byMetric := map[string]map[string][]v1alpha1.Decimal{}
	for i, a := range attempts {
		h.Runs = append(h.Runs, v1alpha1.PassingRun{RunUID: "run", Time: metav1.NewTime(firstRun.AddDate(0, 0, 7*i))})
		for _, m := range a.Measurements {
			if byMetric[m.Name] == nil {
				byMetric[m.Name] = map[string][]v1alpha1.Decimal{}
			}
			for _, p := range m.Parts {
				byMetric[m.Name][p.At] = append(byMetric[m.Name][p.At], p.Value)
			}
		}
	}
	for _, m := range attempts[0].Measurements {
		mh := v1alpha1.MetricHistory{Metric: m.Name, Unit: m.Unit}
		for _, p := range m.Parts {
			recent := byMetric[m.Name][p.At]
			mh.Parts = append(mh.Parts, v1alpha1.PartHistory{At: p.At, Passes: int32(len(recent)), Since: h.Runs[0].Time, Baseline: baselineValue(recent), Recent: past.RecentOf(recent)})
		}
		h.Metrics = append(h.Metrics, mh)
	}
	return past.Past{Passes: []v1alpha1.PassHistory{h}}
}

func baselineValue(values []v1alpha1.Decimal) v1alpha1.Decimal {
	var first []float64
	for _, v := range values[:min(len(values), past.BaselinePasses)] {
		f, _ := quantity.ParseDecimal(v)
		first = append(first, f)
	}
	return v1alpha1.Decimal(fmt.Sprint(stat.Median(first)))
}
