package chart_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
	goyaml "sigs.k8s.io/yaml/goyaml.v3"
)

// passedOn are objects of Kubernetes, of which the schema names the entries: one value each.
var passedOn = []string{"resources", "affinity", "gate.admissionPolicy.selector"}

// value is one entry of values.yaml that holds no others by name: a scalar, a list, or an object that the chart passes on as it is.
type value struct {
	node *goyaml.Node
	// said is what the comments on it and on what it is part of say.
	said string
	own  bool
}

// schema is as much of values.schema.json as the tests look at.
type schema struct {
	Ref                  string            `json:"$ref"`
	Type                 any               `json:"type"`
	Properties           map[string]schema `json:"properties"`
	AdditionalProperties any               `json:"additionalProperties"`
	AnyOf                []schema          `json:"anyOf"`
	Definitions          map[string]schema `json:"definitions"`
}

func readSchema(t *testing.T) (top schema, find func(path string) *schema) {
	t.Helper()
	text := readFile(t, filepath.Join(chart, "values.schema.json"))
	if err := json.Unmarshal(text, &top); err != nil {
		t.Fatal(err)
	}
	return top, func(path string) *schema {
		at := top
		for name := range strings.SplitSeq(path, ".") {
			next, ok := at.Properties[name]
			if !ok {
				return nil
			}
			if name, ok := strings.CutPrefix(next.Ref, "#/definitions/"); ok {
				next = top.Definitions[name]
			}
			for _, choice := range next.AnyOf {
				if choice.Type == "object" {
					next = choice
				}
			}
			at = next
		}
		return &at
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// readValues is the values of a file by their paths; an object is walked into where the schema names what is in it.
func readValues(t *testing.T, path string, find func(string) *schema) map[string]value {
	t.Helper()
	var document goyaml.Node
	if err := goyaml.Unmarshal(readFile(t, path), &document); err != nil {
		t.Fatal(err)
	}
	out := map[string]value{}
	var walk func(prefix, said string, n *goyaml.Node)
	walk = func(prefix, said string, n *goyaml.Node) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, child := n.Content[i], n.Content[i+1]
			path, comment := prefix+key.Value, key.HeadComment+key.LineComment+child.LineComment
			s := find(path)
			if child.Kind == goyaml.MappingNode && s != nil && len(s.Properties) > 0 && !slices.Contains(passedOn, path) {
				walk(path+".", said+" "+comment, child)
				continue
			}
			out[path] = value{node: child, said: said + " " + comment, own: comment != ""}
		}
	}
	walk("", "", document.Content[0])
	return out
}

// TestEveryValueIsInTheSchemaAndDocumented: by a comment of its own, or by one on what it is part of that names it.
func TestEveryValueIsInTheSchemaAndDocumented(t *testing.T) {
	t.Parallel()
	_, find := readSchema(t)
	values := readValues(t, filepath.Join(chart, "values.yaml"), find)
	if len(values) < 50 {
		t.Errorf("values.yaml has %d values, want at least 50: the test does not see them", len(values))
	}
	for path, v := range values {
		if find(path) == nil {
			t.Errorf("%s is not in values.schema.json", path)
		}
		name := path[strings.LastIndex(path, ".")+1:]
		if !v.own && !strings.Contains(v.said, name) {
			t.Errorf("%s has no comment in values.yaml, and none above it names it", path)
		}
	}
}

// TestEveryPropertyOfTheSchemaIsAValue, and an object whose entries are named takes no others.
func TestEveryPropertyOfTheSchemaIsAValue(t *testing.T) {
	t.Parallel()
	top, find := readSchema(t)
	values := readValues(t, filepath.Join(chart, "values.yaml"), find)
	var walk func(prefix string, s schema)
	walk = func(prefix string, s schema) {
		if closed, ok := s.AdditionalProperties.(bool); (!ok || closed) && prefix != "global." {
			t.Errorf("/%s of the schema takes names that it does not know: set additionalProperties to false", strings.TrimSuffix(prefix, "."))
		}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			path := prefix + name
			if child := find(path); len(child.Properties) > 0 && !slices.Contains(passedOn, path) {
				walk(path+".", *child)
			} else if _, ok := values[path]; !ok {
				t.Errorf("%s is in values.schema.json and not in values.yaml", path)
			}
		}
	}
	walk("", top)
}

func TestUnknownValuesAreRefused(t *testing.T) {
	t.Parallel()
	_, find := readSchema(t)
	objects := map[string]bool{"": true}
	for path := range readValues(t, filepath.Join(chart, "values.yaml"), find) {
		for at := strings.LastIndex(path, "."); at > 0; at = strings.LastIndex(path[:at], ".") {
			objects[path[:at+1]] = path[:at+1] != "global."
		}
	}
	args := []string{"template", "assay", chart, "--kube-version", "1.35"}
	for prefix, closed := range objects {
		if closed {
			args = append(args, "--set", prefix+"typo=1")
		}
	}
	_, err := try(t.Context(), t, args...)
	if err == nil {
		t.Fatal("the schema refuses no unknown value")
	}
	for prefix, closed := range objects {
		at := strings.TrimSuffix("/"+strings.ReplaceAll(prefix, ".", "/"), "/")
		if refused := "at '" + at + "': additional properties 'typo' not allowed"; closed && !strings.Contains(err.Error(), refused) {
			t.Errorf("%stypo: %v, want %q", prefix, err, refused)
		}
	}
}

// TestEveryValueTakesEffect: testdata/changed.yaml and testdata/off.yaml change every value, and the golden files show what each does.
func TestEveryValueTakesEffect(t *testing.T) {
	t.Parallel()
	_, find := readSchema(t)
	changed := map[string]value{}
	for _, name := range []string{"changed", "off"} {
		file := filepath.Join("testdata", name+".yaml")
		maps.Copy(changed, readValues(t, file, find))
		golden(t, name+".golden", documents(t, run(t, "template", "site", chart, "--namespace", "validation", "--kube-version", "1.36",
			"--api-versions", "admissionregistration.k8s.io/v1/"+policyKind, hasGates, "--values", file)))
	}
	for path, v := range readValues(t, filepath.Join(chart, "values.yaml"), find) {
		w, ok := changed[path]
		if !ok {
			t.Errorf("neither testdata/changed.yaml nor testdata/off.yaml changes %s", path)
		} else if plain(t, v.node) == plain(t, w.node) {
			t.Errorf("the test gives %s its default", path)
		}
	}
}

func TestTheDefaultsAreThoseOfTheGoldenFile(t *testing.T) {
	t.Parallel()
	golden(t, "defaults.golden", documents(t, render(t, "assay", "assay-system")))
}

func plain(t *testing.T, n *goyaml.Node) string {
	t.Helper()
	var v any
	if err := n.Decode(&v); err != nil {
		t.Fatal(err)
	}
	text, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func diffOf(want, got string) string {
	return cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n"))
}
