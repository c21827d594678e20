package campaign

import (
	"maps"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
)

func init() {
	maps.Copy(happenings, map[string]func(*world, cases.Happening){
		"somebody edits the profile": func(w *world, h cases.Happening) {
			w.revised = true
			w.writeProfile(h.How)
		},
		"somebody deletes the profile": func(w *world, h cases.Happening) {
			w.revised = true
			w.remove("HardwareProfile", cluster.ProfileName)
			w.After(h.For, func() { w.writeProfile(cases.BenchmarkShipped) })
		},
	})
}

// writeProfile of all nodes, whether there is one or not.
func (w *world) writeProfile(how string) {
	if !w.Case.Profiled {
		return
	}
	next := cluster.Profile(how)
	w.tooMany = w.tooMany || how == cases.ProfileDevices
	if w.tooMany && how != cases.ProfileDevices { // else what a conviction says is believed (decision 0029)
		next.Spec.Devices = []v1alpha1.DeviceCount{{Resource: string(cluster.GPU), Count: 1}}
	}
	if is := kube.Find[*v1alpha1.HardwareProfile](w.API, next.Name); is != nil {
		edited := is.DeepCopy()
		edited.Spec = next.Spec
		_, _ = w.API.Update("person", edited, false)
		return
	}
	_, _ = w.API.Create("person", next)
}
