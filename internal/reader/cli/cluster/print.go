package cluster

import (
	"io"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/assay-dev/assay/internal/reader/cli/output"
)

// PrintObject writes an object in one of kubectl's formats. Without a format it is one line: its name, and what has become of it.
func PrintObject(w io.Writer, o runtime.Object, format, done string) error {
	known, err := Scheme()
	if err != nil {
		return err
	}
	var p printers.ResourcePrinter
	if format == "" || format == output.Name {
		p, err = genericclioptions.NewNamePrintFlags(done).ToPrinter(format)
	} else {
		p, err = genericclioptions.NewJSONYamlPrintFlags().ToPrinter(format)
	}
	if err != nil {
		return err
	}
	p = &printers.OmitManagedFieldsPrinter{Delegate: p}
	return printers.NewTypeSetter(known).ToPrinter(p).PrintObj(o, w)
}
