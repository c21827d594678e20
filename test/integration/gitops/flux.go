package gitops

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	flux "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	strict "sigs.k8s.io/yaml"
)

// ReadFlux reads Kustomizations; a field that Flux does not know is an error.
func ReadFlux(file string) ([]flux.Kustomization, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []flux.Kustomization
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		var k flux.Kustomization
		if err := strict.UnmarshalStrict(document, &k); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		all = append(all, k)
	}
}

// Flux says what a Kustomization with its own expressions makes of an object: first those for what is in progress, then failed, then
// current. Without expressions for the kind, kstatus decides.
func Flux(k *flux.Kustomization, o *unstructured.Unstructured) (status.Status, error) {
	kstatus, err := status.Compute(o)
	if err != nil {
		return "", err
	}
	for _, check := range k.Spec.HealthCheckExprs {
		if check.APIVersion != o.GetAPIVersion() || check.Kind != o.GetKind() {
			continue
		}
		generation, seen, err := unstructured.NestedInt64(o.Object, "status", "observedGeneration")
		if err == nil && seen && generation != o.GetGeneration() {
			return status.InProgressStatus, nil
		}
		for _, e := range []struct {
			expression string
			means      status.Status
		}{{check.InProgress, status.InProgressStatus}, {check.Failed, status.FailedStatus}, {check.Current, status.CurrentStatus}} {
			if e.expression == "" {
				continue
			}
			if yes, err := holds(e.expression, o); err != nil || yes {
				return e.means, err
			}
		}
		return status.InProgressStatus, nil
	}
	return kstatus.Status, nil
}

// holds evaluates an expression in the environment that Flux makes.
func holds(expression string, o *unstructured.Unstructured) (bool, error) {
	env, err := cel.NewEnv(cel.HomogeneousAggregateLiterals(), cel.EagerlyValidateDeclarations(true), cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(), ext.Strings(), ext.Sets(), ext.Encoders())
	if err != nil {
		return false, err
	}
	parsed, issues := env.Parse(expression)
	if issues != nil {
		return false, fmt.Errorf("reading %s: %w", expression, issues.Err())
	}
	program, err := env.Program(parsed)
	if err != nil {
		return false, fmt.Errorf("preparing %s: %w", expression, err)
	}
	out, _, err := program.Eval(o.Object)
	if err != nil {
		return false, fmt.Errorf("evaluating %s: %w", expression, err)
	}
	yes, ok := out.Value().(bool)
	if !ok {
		return false, fmt.Errorf("%s is %v, want true or false", expression, out.Value())
	}
	return yes, nil
}
