package message

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"
)

// The rules of the API speak, too: their sentences stand in the markers of api/v1alpha1 and come out in the CRDs.
func init() {
	files, err := filepath.Glob(filepath.Join("..", "..", "config", "crd", "bases", "*.yaml"))
	if err != nil || len(files) == 0 {
		panic("no CRDs in config/crd/bases: run make manifests")
	}
	for _, file := range files {
		var crd struct {
			Spec struct {
				Names    struct{ Kind string }
				Versions []any
			}
		}
		content, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		if err := yaml.Unmarshal(content, &crd); err != nil {
			panic(err)
		}
		said := map[string]bool{}
		sentencesOf(crd.Spec.Versions, said)
		for _, text := range slices.Sorted(maps.Keys(said)) {
			samples = append(samples, sample{celSpeaker + crd.Spec.Names.Kind, text})
		}
	}
}

// sentencesOf a schema are the messages beside its rules.
func sentencesOf(tree any, said map[string]bool) {
	switch node := tree.(type) {
	case []any:
		for _, child := range node {
			sentencesOf(child, said)
		}
	case map[string]any:
		if text, ok := node["message"].(string); ok && node["rule"] != nil {
			said[text] = true
		}
		for _, child := range node {
			sentencesOf(child, said)
		}
	}
}
