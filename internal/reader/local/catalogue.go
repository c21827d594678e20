package local

import (
	"cmp"
	"io/fs"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Catalogue is what can be measured, and what hardware should reach. Policies are those beside them, if any.
type Catalogue struct {
	Benchmarks []v1alpha1.Benchmark
	Profiles   []v1alpha1.HardwareProfile
	Policies   []v1alpha1.ValidationPolicy
}

// ReadCatalogue reads all YAML files of a folder and below. Objects of other kinds, such as Kustomizations, are left out. What a file does not
// set gets the default that the API server would give it.
func ReadCatalogue(files fs.FS) (Catalogue, error) {
	c, err := readAll(func(visit func([]byte) error) error { return EachDocument(files, visit) })
	slices.SortFunc(c.Benchmarks, func(a, b v1alpha1.Benchmark) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(c.Profiles, func(a, b v1alpha1.HardwareProfile) int { return cmp.Compare(a.Name, b.Name) })
	return c, err
}

// ReadFile reads the objects of one file, with their defaults.
func ReadFile(file []byte) (Catalogue, error) {
	return readAll(func(visit func([]byte) error) error { return eachOf(file, visit) })
}

func readAll(documents func(visit func(document []byte) error) error) (c Catalogue, err error) {
	d, err := newDefaults()
	if err == nil {
		err = documents(func(document []byte) error { return c.add(document, d) })
	}
	return c, err
}

// add what a document has.
func (c *Catalogue) add(document []byte, d defaults) error {
	var kind metav1.TypeMeta
	if err := sigsyaml.Unmarshal(document, &kind); err != nil {
		return err
	}
	switch kind.GroupVersionKind() {
	case v1alpha1.GroupVersion.WithKind("Benchmark"):
		b, err := read[v1alpha1.Benchmark](d, document, kind.Kind)
		if err == nil && len(b.Spec.Command) == 0 {
			err = wrongField(kind.Kind, b.Name, "spec.command", "it is empty")
		}
		c.Benchmarks = append(c.Benchmarks, *b)
		return err
	case v1alpha1.GroupVersion.WithKind("HardwareProfile"):
		p, err := read[v1alpha1.HardwareProfile](d, document, kind.Kind)
		if err != nil {
			return err
		}
		selector, err := p.Spec.ByLabels()
		if err != nil {
			return wrongField(kind.Kind, p.Name, "spec.selector", err.Error())
		}
		if _, some := selector.Requirements(); !some {
			return wrongField(kind.Kind, p.Name, "spec.selector", "it is empty")
		}
		c.Profiles = append(c.Profiles, *p)
	case v1alpha1.GroupVersion.WithKind("ValidationPolicy"):
		p, err := read[v1alpha1.ValidationPolicy](d, document, kind.Kind)
		c.Policies = append(c.Policies, *p)
		return err
	}
	return nil
}
