package benchmarks

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/output"
)

// found is what a benchmark found in the results that a cluster keeps, and what it cost.
type found struct {
	Name string `json:"name"`
	// Judged are nodes that it passed or failed, once per run; Failed those that it failed, OnlyHere those that nothing else in the same run failed.
	Judged   int `json:"judged"`
	Failed   int `json:"failed"`
	OnlyHere int `json:"onlyHere"`
	// GPUSeconds of all its attempts, those of groups included.
	GPUSeconds int64 `json:"gpuSeconds"`
	// FailedPerGPUHour counts what failed by attempts whose cost is known; 0 where it held no GPU.
	FailedPerGPUHour float64 `json:"failedPerGPUHour"`

	paid int
}

// foundBy benchmarks, those first that find most for the GPU time that they take. Those that hold no GPU cost none, and come before them as far as they
// found anything.
func foundBy(ctx context.Context, c client.Client, chosen []v1alpha1.Benchmark) ([]found, error) {
	by := map[string]*found{}
	for b := range list.Each(chosen) {
		by[b.Name] = &found{Name: b.Name}
	}
	err := cluster.Each(ctx, c, &v1alpha1.ValidationResultList{}, func(r *v1alpha1.ValidationResult) error {
		addFound(by, r)
		return nil
	})
	all := make([]found, 0, len(chosen))
	for b := range list.Each(chosen) {
		f := by[b.Name]
		if f.GPUSeconds > 0 {
			f.FailedPerGPUHour = float64(f.paid) * time.Hour.Seconds() / float64(f.GPUSeconds)
		}
		all = append(all, *f)
	}
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.rank(), a.rank()), cmp.Compare(b.OnlyHere, a.OnlyHere))
	})
	return all, err
}

// addFound by one result. A group tells of no node, but costs.
func addFound(by map[string]*found, r *v1alpha1.ValidationResult) {
	failed := list.Count(r.Benchmarks, func(b v1alpha1.BenchmarkResult) bool { return b.Verdict == v1alpha1.VerdictFail })
	for b := range list.Each(r.Benchmarks) {
		f := by[b.Name]
		if f == nil {
			continue
		}
		var cost v1alpha1.Cost
		for a := range list.Each(b.Attempts) {
			cost.Add(a.Cost)
		}
		f.GPUSeconds += cost.GPUSeconds
		if r.Group != nil || b.Verdict != v1alpha1.VerdictFail && b.Verdict != v1alpha1.VerdictPass {
			continue
		}
		f.Judged++
		if b.Verdict == v1alpha1.VerdictFail {
			f.Failed++
			if cost.GPUSeconds > 0 {
				f.paid++
			}
			if failed == 1 {
				f.OnlyHere++
			}
		}
	}
}

// rank by what is found for the GPU time; of what takes none, by what is found at all.
func (f *found) rank() float64 {
	if f.GPUSeconds == 0 && f.Failed > 0 {
		return float64(f.Failed) * time.Hour.Seconds()
	}
	return f.FailedPerGPUHour
}

func writeFound(cmd *cobra.Command, connect cluster.Connect, chosen []v1alpha1.Benchmark, format string) error {
	c, err := connect()
	if err != nil {
		return err
	}
	all, err := foundBy(cmd.Context(), c, chosen)
	if err != nil {
		return err
	}
	return listOfFound(all).Write(cmd.OutOrStdout(), format)
}

const commandFoundByAll = "--found compares what the benchmarks of a cluster found: leave out the NAME and --built-in, or name a --suite"

const foundFrom = "By the results that this cluster keeps. JUDGED counts a node once per run. ONLY HERE: nothing else in the same run failed it. " +
	"What finds nothing for much GPU time belongs in a suite that runs less often; what finds most belongs in one that runs more often"

func listOfFound(all []found) *output.List {
	l := &output.List{Document: map[string]any{"benchmarks": all}, None: commandNoBenchmarks, Narrow: 6,
		Header: []string{"NAME", "JUDGED", "FAILED", "ONLY HERE", "GPU TIME", "FAILED PER GPU HOUR"}, Below: foundFrom,
		CSV: [][]string{{"name", "judged", "failed", "onlyHere", "gpuSeconds", "failedPerGPUHour"}}}
	for _, f := range all {
		l.Names = append(l.Names, f.Name)
		rate, took := "", ""
		if f.GPUSeconds > 0 {
			rate, took = strconv.FormatFloat(f.FailedPerGPUHour, 'g', 3, 64), message.Duration(time.Duration(f.GPUSeconds)*time.Second)
		}
		counts := []string{strconv.Itoa(f.Judged), strconv.Itoa(f.Failed), strconv.Itoa(f.OnlyHere)}
		l.Rows = append(l.Rows, slices.Concat([]string{f.Name}, counts, []string{took, rate}))
		l.CSV = append(l.CSV, slices.Concat([]string{f.Name}, counts, []string{strconv.FormatInt(f.GPUSeconds, 10), rate}))
	}
	return l
}
