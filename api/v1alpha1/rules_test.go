package v1alpha1

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// The rules of the API speak, too: each says what it asks for, in a sentence without a fault.
func TestEveryRuleOfTheAPISaysWhatItAsksFor(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "config", "crd", "bases", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal("no CRDs in config/crd/bases: run make manifests")
	}
	rules := 0
	for _, file := range files {
		var crd any
		if err := yaml.Unmarshal([]byte(read(t, filepath.Join("config", "crd", "bases", filepath.Base(file)))), &crd); err != nil {
			t.Fatal(err)
		}
		eachRule(crd, func(rule map[string]any) {
			rules++
			text, _ := rule["message"].(string)
			if len(strings.Fields(text)) < 3 || text != strings.TrimSpace(text) || faulty.MatchString(text) {
				t.Errorf("%s: rule %q says %q", filepath.Base(file), rule["rule"], text)
			}
		})
	}
	if rules == 0 {
		t.Error("no rule was found")
	}
}

var faulty = regexp.MustCompile(`%!|  |<nil>|\{\{|\n`)

// eachRule below a node of a schema.
func eachRule(tree any, see func(map[string]any)) {
	switch node := tree.(type) {
	case []any:
		for _, child := range node {
			eachRule(child, see)
		}
	case map[string]any:
		if rules, ok := node["x-kubernetes-validations"].([]any); ok {
			for _, rule := range rules {
				see(rule.(map[string]any))
			}
		}
		for _, child := range node {
			eachRule(child, see)
		}
	}
}
