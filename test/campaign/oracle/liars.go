package oracle

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// mostOthersLie: of the others that a run has measured, or of those of the same type, as many lie as do not. Only a minority convicts nobody.
func (o *Oracle) mostOthersLie(n *nodeTruth, name string, run types.UID) bool {
	all, liars, alike, liarsAlike := 0, 0, 0, 0
	for _, r := range kube.All[*v1alpha1.ValidationResult](o.API) {
		m := o.Machines[r.Node.Name]
		if r.Run.UID != run || r.Node.UID == "" || r.Node.UID == n.UID || m == nil || r.Benchmark("fleet") == nil {
			continue
		}
		isAlike := o.Machines[name] != nil && m.Spec.Instance == o.Machines[name].Spec.Instance
		all++
		if isAlike {
			alike++
		}
		if m.Truth.Lies {
			liars++
			if isAlike {
				liarsAlike++
			}
		}
	}
	return liars > 0 && 2*liars >= all || liarsAlike > 0 && 2*liarsAlike >= alike
}
