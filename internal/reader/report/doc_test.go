package report

import (
	"github.com/assay-dev/assay/docs"
	"github.com/assay-dev/assay/test/golden"
	"reflect"
	"strings"
	"testing"
)

// fields are the names that a type has in JSON, with those of the types in it.
func fields(of reflect.Type, found map[string]bool) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice:
		fields(of.Elem(), found)
	case reflect.Struct:
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			if name != "" {
				found[name] = true
				fields(of.Field(i).Type, found)
			}
		}
	}
}

func TestEveryFieldIsDocumented(t *testing.T) {
	page, err := docs.Pages.ReadFile("report.md")
	if err != nil {
		t.Fatal(err)
	}
	// A word of the table: `run.name`, `.unit`, `groups[]`, `...metrics[].at`.
	documented := map[string]bool{}
	for _, word := range strings.FieldsFunc(string(page), func(r rune) bool { return strings.ContainsRune("`., []|\n", r) }) {
		documented[word] = true
	}
	found := map[string]bool{}
	fields(reflect.TypeFor[Report](), found)
	for name := range found {
		if !documented[name] {
			t.Errorf("docs/report.md says nothing of the field %s", name)
		}
	}
	if len(found) < 40 || !strings.Contains(string(page), Schema) {
		t.Errorf("%d fields of %s found", len(found), Schema)
	}
}

// The golden documents show each field once at least, so that a change of any of them is seen.
func TestEveryFieldIsInAGoldenDocument(t *testing.T) {
	text := golden.Text(t, "rack-7.json") + golden.Text(t, "one-gpu-out.json")
	found := map[string]bool{}
	fields(reflect.TypeFor[Report](), found)
	for name := range found {
		if !strings.Contains(text, `"`+name+`":`) {
			t.Errorf("no object in test/testdata/rack-7.yaml or one-gpu-out.yaml has the field %s", name)
		}
	}
}
