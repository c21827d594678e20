package admission

import (
	"context"
	"fmt"
	"io/fs"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/config"
)

// kind of a custom resource, as the API server checks it.
type kind struct {
	structural *schema.Structural
	values     validation.SchemaValidator
	rules      *cel.Validator
}

// Schemas of Assay's kinds, by name.
type Schemas map[string]*kind

// LoadSchemas of Assay's CustomResourceDefinitions.
func LoadSchemas() (Schemas, error) {
	files, err := fs.Glob(config.CRDs, "crd/bases/*.yaml")
	if err != nil {
		return nil, err
	}
	all := Schemas{}
	for _, file := range files {
		text, err := config.CRDs.ReadFile(file)
		if err != nil {
			return nil, err
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(text, crd); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if all[crd.Spec.Names.Kind], err = kindOf(crd); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return all, nil
}

func kindOf(crd *apiextensionsv1.CustomResourceDefinition) (*kind, error) {
	props := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, props, nil); err != nil {
		return nil, err
	}
	structural, err := schema.NewStructural(props)
	if err != nil {
		return nil, err
	}
	values, _, err := validation.NewSchemaValidator(props)
	return &kind{structural, values, cel.NewValidator(structural, true, celconfig.PerCallLimit)}, err
}

// Invalid says what of an object its schema does not allow; nil: it is valid, or of no kind of Assay's.
func (s Schemas) Invalid(name string, before, after client.Object) field.ErrorList {
	k := s[name]
	if k == nil || after == nil {
		return nil
	}
	next, old := k.defaulted(after), map[string]any(nil)
	errs := validation.ValidateCustomResource(nil, next, k.values)
	if before != nil {
		old = k.defaulted(before)
	}
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, k.structural, next)...)
	if len(errs) > 0 {
		return errs
	}
	var was any
	if old != nil {
		was = old
	}
	byRules, _ := k.rules.Validate(context.Background(), nil, k.structural, next, was, celconfig.RuntimeCELCostBudget)
	return byRules
}

// defaulted fields of an object.
func (k *kind) defaulted(o client.Object) map[string]any {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		panic(err)
	}
	defaulting.Default(fields, k.structural)
	return fields
}
