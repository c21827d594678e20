package nodevalidation

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// abbreviate leaves out what has not changed since the run before: it hardly ever has. past.SpellOut writes it out again.
func abbreviate(runs []v1alpha1.PassingRun) []v1alpha1.PassingRun {
	driver, kernel := "", ""
	for r := range list.Each(runs) {
		driver, r.Driver = changed(driver, r.Driver)
		kernel, r.Kernel = changed(kernel, r.Kernel)
	}
	return runs
}

// changed returns what holds from a run on, and what of it is new.
func changed(before, now string) (holds, news string) {
	if now == "" || now == before {
		return before, ""
	}
	return now, now
}
