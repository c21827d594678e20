package local

import (
	"bytes"
	"encoding/json"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/config"
)

// defaults are the schemas of Assay's kinds by name: the API server fills in what they name as defaults, and here nobody else does. The API
// server's own code for it brings a hundred packages with it.
type defaults map[string]*apiextensionsv1.JSONSchemaProps

func newDefaults() (defaults, error) {
	d := defaults{}
	err := EachDocument(config.CRDs, func(document []byte) error {
		var crd apiextensionsv1.CustomResourceDefinition
		if err := sigsyaml.Unmarshal(document, &crd); err != nil {
			return err
		}
		d[crd.Spec.Names.Kind] = crd.Spec.Versions[0].Schema.OpenAPIV3Schema
		return nil
	})
	return d, err
}

// fill an object of a kind, as JSON, with defaults.
func (d defaults) fill(object []byte, kind string) ([]byte, error) {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if err := fillIn(value, d[kind]); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// fillIn the defaults of a schema, from the outside to the inside: a default may be an object that has defaults itself.
func fillIn(value any, schema *apiextensionsv1.JSONSchemaProps) error {
	switch v := value.(type) {
	case map[string]any:
		for name := range schema.Properties {
			property := schema.Properties[name]
			if _, set := v[name]; !set && property.Default != nil {
				var filled any
				if err := json.Unmarshal(property.Default.Raw, &filled); err != nil {
					return err
				}
				v[name] = filled
			}
			if err := fillIn(v[name], &property); err != nil {
				return err
			}
		}
	case []any:
		for _, item := range v {
			if schema.Items == nil || schema.Items.Schema == nil {
				break
			}
			if err := fillIn(item, schema.Items.Schema); err != nil {
				return err
			}
		}
	}
	return nil
}
