package runs

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/compare"
	"github.com/assay-dev/assay/internal/reader/export"
)

// Compared is what the program says of run b against run a.
func Compared(a, b export.Run) *compare.Comparison {
	all := compare.New(sideOf(a), sideOf(b), compare.Options{Parts: true})
	return &all
}

func sideOf(r export.Run) *compare.Side {
	s := compare.NewSide(r.Run.Name)
	s.Begin(r.Cluster, r.Run, r.Catalogue)
	for i := range r.Results {
		s.AddResult(&r.Results[i], compare.Keep{})
	}
	return s
}

// Upgraded are two runs over a simulated fleet, the second with another driver, by which some metrics are faster and some slower.
func Upgraded(nodes int) (golden, candidate export.Run) {
	golden, candidate = Times(simulated(nodes, 2), "golden", "", "", 1), simulated(nodes, 3)
	for _, effect := range []struct {
		benchmark, metric string
		factor            float64
	}{{"gpustream", "hbmCopy", 0.94}, {"gpustream", "hbmMul", 1.04}, {"p2p", "writeBandwidth", 0.97}, {"hostlink", "hostToDeviceBandwidth", 1.03}} {
		candidate = Times(candidate, "candidate", effect.benchmark, effect.metric, effect.factor)
	}
	driven(golden, "580.95.05")
	driven(candidate, "580.159.04")
	return golden, candidate
}

func driven(r export.Run, driver string) {
	for i := range r.Results {
		for j := range r.Results[i].Benchmarks {
			attempts := r.Results[i].Benchmarks[j].Attempts
			for k := range attempts {
				attempts[k].Machine = &v1alpha1.Machine{Driver: driver}
			}
		}
	}
}

// Times is a run under another name, in which one metric of a benchmark has so many times its value.
func Times(r export.Run, name, benchmark, metric string, factor float64) export.Run {
	r.Run = r.Run.DeepCopy()
	r.Run.Name, r.Run.UID = name, r.Run.UID+"-again"
	results := make([]v1alpha1.ValidationResult, len(r.Results))
	for i := range r.Results {
		r.Results[i].DeepCopyInto(&results[i])
		results[i].Run.Name, results[i].Run.UID = r.Run.Name, r.Run.UID
		for j := range results[i].Benchmarks {
			if b := &results[i].Benchmarks[j]; b.Name == benchmark {
				for k := range b.Attempts {
					times(b.Attempts[k].Measurements, metric, factor)
				}
			}
		}
	}
	r.Results = results
	return r
}

func times(all []v1alpha1.Measurement, metric string, factor float64) {
	for i := range all {
		if m := &all[i]; m.Name == metric {
			for p := range m.Parts {
				v, _ := quantity.ParseDecimal(m.Parts[p].Value)
				m.Parts[p].Value = quantity.Decimal(factor*v, 6)
			}
		}
	}
}
