package gitops_test

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/assay-dev/assay/test/integration/gitops"
)

// TestSamplesOfFluxAreKustomizations: Flux knows every field, each expression is one, and the policies are left to kstatus.
func TestSamplesOfFluxAreKustomizations(t *testing.T) {
	for file, kinds := range map[string]int{"policies.yaml": 0, "acceptance.yaml": 2} {
		found, err := gitops.ReadFlux(filepath.Join(samples, "flux", file))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s has %d Kustomizations: %v", file, len(found), err)
		}
		k := found[0]
		if len(k.Spec.HealthChecks) == 0 || k.Spec.SourceRef.Name == "" || k.Spec.Path == "" || k.Spec.Interval.Duration == 0 {
			t.Errorf("%s lacks health checks, a source, a path or an interval", file)
		}
		if len(k.Spec.HealthCheckExprs) != kinds {
			t.Errorf("%s has expressions for %d kinds, want %d", file, len(k.Spec.HealthCheckExprs), kinds)
		}
		if kinds > 0 && k.Spec.Timeout.Duration < 4*time.Hour {
			t.Errorf("%s gives up after %s; a run may take four hours", file, k.Spec.Timeout.Duration)
		}
	}
}

func readArgo(t *testing.T) gitops.ArgoCD {
	t.Helper()
	argo, err := gitops.ReadArgoCD(filepath.Join(samples, "argocd", "argocd-cm.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return argo
}

func TestActionsOfArgoCD(t *testing.T) {
	argo := readArgo(t)
	finished := state{conditions: "Finished=True/Passed Succeeded=True/Passed"}.object("ValidationRun")
	for sentence, c := range map[string]struct {
		object *unstructured.Unstructured
		want   map[string]bool
	}{
		"a policy":                         {suspended(state{}.object("ValidationPolicy"), nil), map[string]bool{"suspend": true, "resume": false, "run-now": true}},
		"a suspended policy":               {suspended(state{}.object("ValidationPolicy"), true), map[string]bool{"suspend": false, "resume": true, "run-now": false}},
		"a resumed policy":                 {suspended(state{}.object("ValidationPolicy"), false), map[string]bool{"suspend": true, "resume": false, "run-now": true}},
		"a run":                            {suspended(state{}.object("ValidationRun"), nil), map[string]bool{"suspend": true, "resume": false}},
		"a suspended run":                  {suspended(state{}.object("ValidationRun"), true), map[string]bool{"suspend": false, "resume": true}},
		"a finished run":                   {finished, map[string]bool{"suspend": false, "resume": false}},
		"a finished run that is suspended": {suspended(finished.DeepCopy(), true), map[string]bool{"suspend": false, "resume": false}},
	} {
		got, err := argo.Actions(c.object)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sentence, diff)
		}
	}
}

func suspended(o *unstructured.Unstructured, value any) *unstructured.Unstructured {
	if value != nil {
		_ = unstructured.SetNestedField(o.Object, value, "spec", "suspend")
	}
	return o
}

// TestAnActionChangesOneField: the patch that Argo CD sends has nothing else in it.
func TestAnActionChangesOneField(t *testing.T) {
	argo := readArgo(t)
	annotated := state{metadata: map[string]any{"annotations": map[string]any{"team": "hpc", "assay.dev/validate-now": "yesterday"}}}
	for _, c := range []struct {
		object       *unstructured.Unstructured
		action, want string
	}{
		{state{}.object("ValidationPolicy"), "suspend", `{"spec":{"suspend":true}}`},
		{suspended(state{}.object("ValidationPolicy"), true), "resume", `{"spec":{"suspend":false}}`},
		{state{}.object("ValidationPolicy"), "run-now", `{"metadata":{"annotations":{"assay.dev/validate-now":"now"}}}`},
		{annotated.object("ValidationPolicy"), "run-now", `{"metadata":{"annotations":{"assay.dev/validate-now":"now"}}}`},
		{state{}.object("ValidationRun"), "suspend", `{"spec":{"suspend":true}}`},
		{suspended(state{}.object("ValidationRun"), true), "resume", `{"spec":{"suspend":false}}`},
	} {
		before, err := json.Marshal(c.object.Object)
		if err != nil {
			t.Fatal(err)
		}
		acted, err := argo.Act(c.object, c.action)
		if err != nil {
			t.Fatal(err)
		}
		if now := acted.GetAnnotations()["assay.dev/validate-now"]; now != "" && now != "yesterday" {
			if _, err := time.Parse(time.RFC3339, now); err != nil {
				t.Errorf("run-now writes %q, want the time: %v", now, err)
			}
			_ = unstructured.SetNestedField(acted.Object, "now", "metadata", "annotations", "assay.dev/validate-now")
		}
		after, err := json.Marshal(acted.Object)
		if err != nil {
			t.Fatal(err)
		}
		patch, err := jsonpatch.CreateMergePatch(before, after)
		if err != nil || string(patch) != c.want {
			t.Errorf("%s on a %s changes %s (%v), want %s", c.action, c.object.GetKind(), patch, err, c.want)
		}
	}
}
