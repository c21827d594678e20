package admission

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestSchemasKnowValuesAndRules of the CustomResourceDefinitions.
func TestSchemasKnowValuesAndRules(t *testing.T) {
	all, err := LoadSchemas()
	if err != nil {
		t.Fatal(err)
	}
	run := &v1alpha1.ValidationRun{}
	run.Name, run.Spec.AllNodes, run.Spec.Suite = "run", true, "quick"
	long, other := run.DeepCopy(), run.DeepCopy()
	long.Spec.Suite, other.Spec.Suite = strings.Repeat("x", 300), "other"
	for sentence, c := range map[string]struct {
		before, after *v1alpha1.ValidationRun
		valid         bool
	}{
		"as it should be":             {nil, run, true},
		"a name that is too long":     {nil, long, false},
		"a field that may not change": {run, other, false},
	} {
		var before client.Object
		if c.before != nil {
			before = c.before
		}
		if errs := all.Invalid("ValidationRun", before, c.after); (len(errs) == 0) != c.valid {
			t.Errorf("%s: %v", sentence, errs)
		}
	}
}
