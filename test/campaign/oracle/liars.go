package oracle

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// mayBeBad: a conviction of a device is right, or nobody could know.
func (o *Oracle) mayBeBad(n *nodeTruth, name string, c *v1alpha1.Conviction, uuid string) bool {
	return o.wasBad(uuid, c.Benchmark, "") || c.Benchmark == "fleet" && o.mostOthersLie(n, name, c.Run.UID)
}

// convictedByLiars: as many others lied as did not when a node was convicted, and beside as many an audit may have none to compare it with.
func (o *Oracle) convictedByLiars(record *v1alpha1.NodeValidation) bool {
	return record != nil && o.of(record.Fingerprint.NodeUID).hidden && stillConvicts(record, "fleet", "")
}

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
