package v1alpha1

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

var root = filepath.Join("..", "..")

// mutable are the fields of a run's spec that may change while it exists; every other field is immutable.
var mutable = []string{"suspend", "ttlSecondsAfterFinished"}

// A rule of CEL names each field it compares: one that no rule names can be changed in mid-run, and nothing would say so.
func TestEveryFieldOfARunIsImmutableOrSaidToBeMutable(t *testing.T) {
	spec := schemaOf(t, "validationruns").Properties["spec"]
	var rules strings.Builder
	for _, r := range spec.XValidations {
		rules.WriteString(r.Rule + " && ")
	}
	all := strings.ReplaceAll(rules.String(), " ", "")
	for _, field := range jsonNames(reflect.TypeFor[ValidationRunSpec]()) {
		// A Go client leaves out what is false: that changes nothing.
		asTruth := strings.Contains(all, "(has(self."+field+")&&self."+field+")==(has(oldSelf."+field+")&&oldSelf."+field+")")
		compared := asTruth || strings.Contains(all, "self."+field+"==oldSelf."+field)
		if slices.Contains(mutable, field) {
			if compared {
				t.Errorf("spec.%s is listed as mutable, and a CEL rule of ValidationRun compares it with its old value: drop one of the two", field)
			}
			continue
		}
		if !compared {
			t.Errorf("spec.%s can change after the run started: compare it with oldSelf in a CEL rule of ValidationRun.Spec, or list it as mutable here", field)
		}
		always := spec.Properties[field].Default != nil || slices.Contains(spec.Required, field)
		if !always && !asTruth && !strings.Contains(all, "has(self."+field+")==has(oldSelf."+field+")") {
			t.Errorf("spec.%s has no default, so that a run may be without it: compare has(self.%s) with has(oldSelf.%s) as well", field, field, field)
		}
	}
}

var taintInText = regexp.MustCompile(`([a-z0-9./-]+)=failed:NoSchedule`)

// The marker of the CRD cannot take a constant, and the documents and the admission policy cannot either.
func TestTheTaintKeyIsTheSameEverywhere(t *testing.T) {
	key := schemaOf(t, "validationruns").Properties["spec"].Properties["onFailure"].Properties["taint"].Properties["key"]
	if got := string(key.Default.Raw); got != `"`+DefaultTaintKey+`"` {
		t.Errorf("the CRD's default of spec.onFailure.taint.key is %s, DefaultTaintKey is %q", got, DefaultTaintKey)
	}
	if !strings.Contains(key.Description, DefaultTaintKey) {
		t.Errorf("the description of spec.onFailure.taint.key does not name its default %s: %s", DefaultTaintKey, key.Description)
	}
	if policy := read(t, "config/admission/quarantine.yaml"); !strings.Contains(policy, " "+DefaultTaintKey+" ") {
		t.Errorf("config/admission/quarantine.yaml advises another key than %s", DefaultTaintKey)
	}
	for _, document := range []string{"README.md", "docs/on-call.md", "docs/install.md", "docs/reference.md", "docs/reasons.md"} {
		for _, found := range taintInText.FindAllStringSubmatch(read(t, document), -1) {
			if found[1] != DefaultTaintKey {
				t.Errorf("%s shows the taint %s, DefaultTaintKey is %s", document, found[0], DefaultTaintKey)
			}
		}
	}
}

func TestEveryRuleOfAnExpectationIsDocumented(t *testing.T) {
	table := read(t, "docs/catalogue.md")
	for _, field := range jsonNames(reflect.TypeFor[Expectation]()) {
		if !regexp.MustCompile("(?m)^\\|[^|]*`" + field + "`").MatchString(table) {
			t.Errorf("docs/catalogue.md has no row for the rule %s under \"What is expected\"", field)
		}
	}
}

func jsonNames(of reflect.Type) []string {
	var names []string
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func schemaOf(t *testing.T, plural string) apiextensionsv1.JSONSchemaProps {
	t.Helper()
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal([]byte(read(t, "config/crd/bases/assay.dev_"+plural+".yaml")), &crd); err != nil {
		t.Fatal(err)
	}
	return *crd.Spec.Versions[0].Schema.OpenAPIV3Schema
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
