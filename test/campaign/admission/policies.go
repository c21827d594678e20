// Package admission asks the policies that Assay ships (config/admission), and the schemas of its kinds (config/crd), about what is written, by the code that the
// API server has for that.
package admission

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/assay-dev/assay/config"
	"github.com/assay-dev/assay/internal/list"
)

// policy as it is compiled.
type policy struct {
	admissionregistrationv1.ValidatingAdmissionPolicy
	matches, validates cel.ConditionEvaluator
}

// Policies that are enforced.
type Policies []*policy

// Load those of Assay.
func Load() (Policies, error) {
	files, err := fs.Glob(config.Admission, "admission/*.yaml")
	if err != nil {
		return nil, err
	}
	var all Policies
	for _, file := range files {
		text, err := config.Admission.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
			p := &policy{}
			if err := yaml.Unmarshal(document, &p.ValidatingAdmissionPolicy); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			if p.Kind != "ValidatingAdmissionPolicy" {
				continue
			}
			if err := p.compile(); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			all = append(all, p)
		}
	}
	return all, nil
}

// expression that is to be true, and named one of any type.
type (
	expression struct {
		admissionregistrationv1.Validation
	}
	condition struct {
		admissionregistrationv1.MatchCondition
	}
	variable struct {
		admissionregistrationv1.Variable
	}
)

func (e *expression) GetExpression() string { return e.Expression }
func (c *condition) GetExpression() string  { return c.Expression }
func (v *variable) GetExpression() string   { return v.Expression }
func (v *variable) GetName() string         { return v.Name }

func (*expression) ReturnTypes() []*types.Type { return []*types.Type{types.BoolType} }
func (*condition) ReturnTypes() []*types.Type  { return []*types.Type{types.BoolType} }
func (*variable) ReturnTypes() []*types.Type   { return []*types.Type{types.AnyType, types.DynType} }

func (p *policy) compile() error {
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		return err
	}
	none, mode := cel.OptionalVariableDeclarations{}, environment.StoredExpressions
	p.matches = compiler.CompileCondition(list.Map(p.Spec.MatchConditions, func(c admissionregistrationv1.MatchCondition) cel.ExpressionAccessor {
		return &condition{c}
	}), none, mode)
	for _, v := range p.Spec.Variables {
		if r := compiler.CompileAndStoreVariable(&variable{v}, none, mode); r.Error != nil {
			return r.Error
		}
	}
	p.validates = compiler.CompileCondition(list.Map(p.Spec.Validations, func(v admissionregistrationv1.Validation) cel.ExpressionAccessor {
		return &expression{v}
	}), none, mode)
	for _, err := range append(p.matches.CompilationErrors(), p.validates.CompilationErrors()...) {
		return err
	}
	return nil
}

// concerns says whether a policy is about a write.
func (p *policy) concerns(w *Write) bool {
	if p.Spec.MatchConstraints.NamespaceSelector != nil && !slices.Contains([]string{p.Spec.MatchConstraints.NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"], ""}, w.namespace()) {
		return false
	}
	resource := w.resource.Resource
	if w.Subresource != "" {
		resource += "/" + w.Subresource
	}
	return slices.ContainsFunc(p.Spec.MatchConstraints.ResourceRules, func(r admissionregistrationv1.NamedRuleWithOperations) bool {
		return slices.Contains(r.APIGroups, w.resource.Group) && slices.Contains(r.Resources, resource) &&
			slices.Contains(r.Operations, admissionregistrationv1.OperationType(strings.ToUpper(w.Verb)))
	})
}

// Denied says which policy does not let a write through, and why; empty: all do.
func (all Policies) Denied(w *Write) (why string) {
	w.resource = resources[w.Kind]
	for _, p := range all {
		if !p.concerns(w) {
			continue
		}
		if w.attributes == nil {
			w.convert()
		}
		if why := p.denies(w); why != "" {
			return p.Name + ": " + why
		}
	}
	return ""
}

func (p *policy) denies(w *Write) string {
	ask := func(of cel.ConditionEvaluator) []cel.EvaluationResult {
		results, _, err := of.ForInput(context.Background(), w.attributes, w.request, cel.OptionalVariableBindings{}, nil, celconfig.RuntimeCELCostBudget)
		if err != nil {
			panic(err)
		}
		return results
	}
	for _, r := range ask(p.matches) {
		switch {
		case r.Error != nil:
			return r.Error.Error()
		case r.EvalResult.Value() == false:
			return ""
		}
	}
	for i, r := range ask(p.validates) {
		switch {
		case r.Error != nil:
			return r.Error.Error()
		case r.EvalResult.Value() != true:
			v := p.Spec.Validations[i]
			return v.Message + v.MessageExpression
		}
	}
	return ""
}
