package api_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestEveryCELRuleIsTested reads the messages of all CEL rules from the generated CRDs: a rule that is added to a type
// without a row in one of the tables fails here.
func TestEveryCELRuleIsTested(t *testing.T) {
	var tested []string
	for _, table := range []map[string]rule{
		runRules, runBounds, benchmarkRules, benchmarkBounds, groupRules, groupBounds, hardwareProfileRules, resultRules, groupResultRules,
		nodeValidationRules, policyRules, overrideRules, policyBounds(),
	} {
		for r := range maps.Values(table) {
			tested = append(tested, r.message)
		}
	}
	for r := range maps.Values(immutableFields) {
		tested = append(tested, r.message)
	}
	for _, message := range celMessages(t) {
		if !containsAny(message, tested) {
			t.Errorf("no test for the CEL rule with the message %q", message)
		}
	}
}

func containsAny(message string, parts []string) bool {
	for _, part := range parts {
		if part != "" && strings.Contains(message, part) {
			return true
		}
	}
	return false
}

func celMessages(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(crdFolder, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no CRDs in %s: %v", crdFolder, err)
	}
	var messages []string
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := yaml.Unmarshal(content, &tree); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		messages = appendMessages(messages, tree)
	}
	if len(messages) == 0 {
		t.Fatal("the CRDs have no CEL rules at all")
	}
	return messages
}

func appendMessages(messages []string, tree any) []string {
	switch node := tree.(type) {
	case []any:
		for _, child := range node {
			messages = appendMessages(messages, child)
		}
	case map[string]any:
		if text, ok := node["message"].(string); ok && node["rule"] != nil {
			messages = append(messages, text)
		}
		for _, child := range node {
			messages = appendMessages(messages, child)
		}
	}
	return messages
}
