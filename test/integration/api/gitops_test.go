package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

var samplesFolder = filepath.Join("..", "..", "..", "config", "samples")

// samplesOf returns our objects in the samples, by file and name. Whoever keeps them in Git has them just so.
func samplesOf(t *testing.T) map[string]*unstructured.Unstructured {
	t.Helper()
	all := map[string]*unstructured.Unstructured{}
	err := filepath.WalkDir(samplesFolder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".yaml" {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 1<<16)
		for {
			o := &unstructured.Unstructured{}
			if err := documents.Decode(&o.Object); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			if o.GroupVersionKind().Group == v1alpha1.GroupVersion.Group {
				all[strings.TrimPrefix(file, samplesFolder+"/")+" "+o.GetName()] = o
			}
		}
	})
	if err != nil || len(all) < 5 {
		t.Fatalf("%d samples: %v", len(all), err)
	}
	return all
}

// TestSamplesAreAccepted: every field of a sample exists, every rule holds, and the suite is one of the catalogue.
func TestSamplesAreAccepted(t *testing.T) {
	suites := suitesOfTheCatalogue(t)
	strict := client.WithFieldValidation(api, metav1.FieldValidationStrict)
	for sample, o := range samplesOf(t) {
		if suite, named, _ := unstructured.NestedString(o.Object, "spec", "suite"); named && !suites[suite] {
			t.Errorf("%s: no benchmark of the catalogue lists suite %q", sample, suite)
		}
		if err := strict.Create(t.Context(), o, client.DryRunAll); err != nil {
			t.Errorf("%s is refused: %v", sample, err)
		}
	}
}

func suitesOfTheCatalogue(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "config", "catalogue", "benchmarks", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	suites := map[string]bool{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var benchmark v1alpha1.Benchmark
		if err := yaml.Unmarshal(content, &benchmark); err != nil {
			t.Fatal(err)
		}
		for _, suite := range benchmark.Spec.Suites {
			suites[suite] = true
		}
	}
	return suites
}

// apply a manifest as Flux does, and Argo CD with ServerSideApply=true.
func apply(t *testing.T, manifest *unstructured.Unstructured, options ...client.ApplyOption) (*unstructured.Unstructured, error) {
	t.Helper()
	o := manifest.DeepCopy()
	err := api.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(o), append(options, client.FieldOwner("kustomize-controller"), client.ForceOwnership)...)
	return o, err
}

func mustApply(t *testing.T, manifest *unstructured.Unstructured, options ...client.ApplyOption) *unstructured.Unstructured {
	t.Helper()
	o, err := apply(t, manifest, options...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestWhatIsInGitDoesNotDrift: applying a manifest again changes nothing, neither before nor after the operator has written a status; and
// what the API server filled in is no difference to the manifest, for a tool that compares field by field either.
func TestWhatIsInGitDoesNotDrift(t *testing.T) {
	for sample, manifest := range samplesOf(t) {
		t.Run(sample, func(t *testing.T) {
			first := mustApply(t, manifest)
			t.Cleanup(func() { remove(t, first) })
			reported := first.DeepCopy()
			if manifest.GetKind() != "Benchmark" { // which has no status
				if err := api.Status().Patch(t.Context(), reported, mergePatch(t, `{status: {observedGeneration: 1}}`), client.FieldOwner("assay")); err != nil {
					t.Fatal(err)
				}
			}
			planned := mustApply(t, manifest, client.DryRunAll)
			again := mustApply(t, manifest)
			for what, o := range map[string]*unstructured.Unstructured{"a dry run": planned, "applying it again": again} {
				if o.GetResourceVersion() != reported.GetResourceVersion() || o.GetGeneration() != 1 {
					t.Errorf("%s changes the object: version %s after %s, generation %d\n%s", what, o.GetResourceVersion(), reported.GetResourceVersion(),
						o.GetGeneration(), cmp.Diff(reported.Object, o.Object))
				}
			}
			if diff := cmp.Diff(reported.Object, over(t, reported, manifest).Object); diff != "" {
				t.Errorf("the manifest differs from what is there (-there +with the manifest):\n%s", diff)
			}
		})
	}
}

// over is the live object with all that the manifest says, lists as a whole, as a JSON merge patch has it.
func over(t *testing.T, live, manifest *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	there, err := live.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := manifest.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	merged, err := jsonpatch.MergePatch(there, wanted)
	if err != nil {
		t.Fatal(err)
	}
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(merged); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestWhatPeopleDoToAPolicyStays: suspending it, or asking for its nodes to be validated now, is not undone by the next sync, unless Git says
// otherwise.
func TestWhatPeopleDoToAPolicyStays(t *testing.T) {
	manifest := object(t, validPolicy, `{metadata: {name: by-hand}}`)
	o := mustApply(t, manifest)
	t.Cleanup(func() { remove(t, o) })
	if err := api.Patch(t.Context(), o, mergePatch(t, `{metadata: {annotations: {assay.dev/validate-now: "1"}}, spec: {suspend: true}}`), client.FieldOwner("argocd-server")); err != nil {
		t.Fatal(err)
	}
	after := readPolicy(t, mustApply(t, manifest).GetName())
	if !after.Spec.Suspend || after.Annotations[v1alpha1.AnnotationValidateNow] != "1" {
		t.Errorf("after a sync suspend is %v and the annotations are %v", after.Spec.Suspend, after.Annotations)
	}
	mustApply(t, object(t, validPolicy, `{metadata: {name: by-hand}, spec: {suspend: false}}`))
	if readPolicy(t, "by-hand").Spec.Suspend {
		t.Error("Git says suspend: false, and the policy is suspended after a sync")
	}
}

// TestARunInGit: it cannot be edited, but for what can be changed of every run; removed and committed again it is another run.
func TestARunInGit(t *testing.T) {
	manifest := object(t, validRun, `{metadata: {name: in-git}}`)
	first := mustApply(t, manifest)
	t.Cleanup(func() { remove(t, first) })
	edited := object(t, validRun, `{metadata: {name: in-git}, spec: {suite: acceptance}}`)
	for what, options := range map[string][]client.ApplyOption{"a dry run of an edit": {client.DryRunAll}, "an edit": nil} {
		if _, err := apply(t, edited, options...); err == nil || !strings.Contains(err.Error(), benchmarksCannotChange) {
			t.Errorf("the error of %s is %v, want %q in it", what, err, benchmarksCannotChange)
		}
	}
	labelled := mustApply(t, object(t, validRun, `{metadata: {name: in-git, labels: {team: hpc}}, spec: {suspend: true}}`))
	if suspended, _, _ := unstructured.NestedBool(labelled.Object, "spec", "suspend"); labelled.GetUID() != first.GetUID() || !suspended {
		t.Errorf("a label and suspend were not taken over: %v", labelled.Object)
	}
	if err := api.Delete(t.Context(), first.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	second := mustApply(t, manifest)
	seen, _, _ := unstructured.NestedInt64(second.Object, "status", "observedGeneration")
	if second.GetUID() == first.GetUID() || seen != -1 {
		t.Errorf("the run is still the first one (observedGeneration %d)", seen)
	}
}

// TestTheFragmentOfArgoCDLeavesOtherKeysAlone: applied by the server it adds its keys to the ConfigMap of an installation.
func TestTheFragmentOfArgoCDLeavesOtherKeysAlone(t *testing.T) {
	create(t, `{apiVersion: v1, kind: Namespace, metadata: {name: argocd}}`)
	create(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: argocd-cm, namespace: argocd}, data: {url: https://argocd.example}}`)
	content, err := os.ReadFile(filepath.Join(samplesFolder, "argocd", "argocd-cm.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	merged := mustApply(t, object(t, string(content), ""))
	data, _, _ := unstructured.NestedStringMap(merged.Object, "data")
	text, _ := json.Marshal(data)
	if len(data) != 5 || data["url"] != "https://argocd.example" {
		t.Errorf("the ConfigMap has %s, want its url and four keys of the sample", text)
	}
}
