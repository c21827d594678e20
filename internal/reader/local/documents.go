package local

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/config"
)

// EachDocument visits the documents of all YAML files of a folder and below.
func EachDocument(files fs.FS, visit func(document []byte) error) error {
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".yaml", ".yml"}, path.Ext(name)) {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if err := eachOf(data, visit); err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		return nil
	})
}

// eachOf the documents of one file.
func eachOf(file []byte, visit func(document []byte) error) error {
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(file)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = visit(document)
		}
		if err != nil {
			return err
		}
	}
}

// read a document strictly, with defaults: what is misspelt would be left out silently otherwise.
func read[T any](d defaults, document []byte, kind string) (*T, error) {
	into := new(T)
	data, err := sigsyaml.YAMLToJSONStrict(document)
	if err == nil {
		data, err = d.fill(data, kind)
	}
	if err != nil {
		return into, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	return into, decoder.Decode(into)
}

// wrongField is for an object of a file that an API server would refuse, as a field is wrong.
func wrongField(kind, name, field, problem string) error {
	return fmt.Errorf("%s %q has a wrong %s: %s", kind, name, field, problem)
}

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
	if err := utiljson.Unmarshal(object, &value); err != nil { // which leaves integers as they are
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
