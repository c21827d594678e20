package taint

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestTheBudgetFindsRecordsByTheirLabels: what is quarantined or convicted is labelled so, and what is so no more is not.
func TestTheBudgetFindsRecordsByTheirLabels(t *testing.T) {
	convictions := []v1alpha1.Conviction{{Benchmark: "hbm", Metric: "triad", Rule: "Min", AsCatalogued: true}}
	for sentence, c := range map[string]struct {
		record                 v1alpha1.NodeValidation
		convicted, quarantined bool
	}{
		"nothing is wrong":                {v1alpha1.NodeValidation{}, false, false},
		"it is convicted":                 {v1alpha1.NodeValidation{Convictions: convictions}, true, false},
		"it is quarantined":               {v1alpha1.NodeValidation{Quarantine: &v1alpha1.Quarantine{}}, true, true},
		"it is convicted and quarantined": {v1alpha1.NodeValidation{Convictions: convictions, Quarantine: &v1alpha1.Quarantine{}}, true, true},
	} {
		c.record.ObjectMeta = metav1.ObjectMeta{ // as it was before
			Labels:      map[string]string{v1alpha1.LabelConvicted: "true", v1alpha1.LabelQuarantined: "true"},
			Annotations: map[string]string{v1alpha1.AnnotationConvictions: "[]", v1alpha1.AnnotationQuarantine: "old"}}
		got := Labelled(&c.record, "n")
		_, convicted := got.Labels[v1alpha1.LabelConvicted]
		_, quarantined := got.Labels[v1alpha1.LabelQuarantined]
		if got.Name != "n" || convicted != c.convicted || quarantined != c.quarantined {
			t.Errorf("%s: %s is labelled convicted %v, quarantined %v", sentence, got.Name, convicted, quarantined)
		}
		said, mark := got.Annotations[v1alpha1.AnnotationConvictions], got.Annotations[v1alpha1.AnnotationQuarantine]
		if (said != "") != (len(c.record.Convictions) > 0) || (mark != "") != c.quarantined {
			t.Errorf("%s: it says %q of its convictions and %q of its quarantine", sentence, said, mark)
		}
	}
}
