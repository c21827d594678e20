package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/yaml"
)

// crd is as much of a CustomResourceDefinition as tables need.
type crd struct {
	Spec struct {
		Names struct {
			Kind       string   `json:"kind"`
			ShortNames []string `json:"shortNames"`
			Categories []string `json:"categories"`
		} `json:"names"`
		Versions []struct {
			Columns []struct {
				Name     string `json:"name"`
				JSONPath string `json:"jsonPath"`
			} `json:"additionalPrinterColumns"`
		} `json:"versions"`
	} `json:"spec"`
}

func readYAML(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// cell of a column: the API server shows the first value that its path finds, and nothing else.
func cell(t *testing.T, path string, object any) any {
	t.Helper()
	p := jsonpath.New("").AllowMissingKeys(true)
	if err := p.Parse("{" + path + "}"); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	found, err := p.FindResults(object)
	if err != nil || len(found) == 0 || len(found[0]) == 0 {
		return nil
	}
	return found[0][0].Interface()
}

// Every kind has a short name, and no column shows the JSON of a list; a product is shown for each profile of the catalogue.
func TestColumnsOfTheCatalogue(t *testing.T) {
	shown := map[string]map[string]int{} // by kind and column
	files, _ := filepath.Glob("crd/bases/*.yaml")
	for _, file := range files {
		var c crd
		readYAML(t, file, &c)
		kind := c.Spec.Names.Kind
		if len(c.Spec.Names.ShortNames) == 0 {
			t.Errorf("%s has no short name", kind)
		}
		folder := map[string]string{"Benchmark": "benchmarks", "HardwareProfile": "profiles"}[kind]
		if (folder == "") != (len(c.Spec.Names.Categories) == 1) {
			t.Errorf("%s is of the categories %v: `kubectl get assay` is for what runs, not for the catalogue", kind, c.Spec.Names.Categories)
		}
		shown[kind] = map[string]int{}
		objects, _ := filepath.Glob("catalogue/" + folder + "/[^k]*.yaml")
		for _, name := range objects {
			var object map[string]any
			readYAML(t, name, &object)
			for _, column := range c.Spec.Versions[0].Columns {
				switch v := cell(t, column.JSONPath, object).(type) {
				case nil:
				case map[string]any, []any:
					t.Errorf("column %s of %s is %v", column.Name, filepath.Base(name), v)
				default:
					shown[kind][column.Name]++
				}
			}
		}
		for _, column := range c.Spec.Versions[0].Columns {
			if strings.Contains(column.JSONPath, "[*]") {
				t.Errorf("column %s of %s would show the first of several", column.Name, kind)
			}
		}
	}
	if n := shown["HardwareProfile"]["Product"]; n != 18 {
		t.Errorf("%d profiles show their product", n)
	}
	if n := shown["Benchmark"]["Cost"]; n == 0 {
		t.Error("no Benchmark shows a column")
	}
}
