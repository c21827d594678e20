package cli

import (
	"errors"
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/assay-dev/assay/internal/message"
)

// Formats that show objects of the API as kubectl does.
const (
	formatYAML = "yaml"
	formatName = "name"
)

// choose makes sure that a format is one of those known.
func choose(format string, known ...string) error {
	if !slices.Contains(known, format) {
		return errors.New(message.CommandFormat(format, known))
	}
	return nil
}

// printObject writes an object in one of kubectl's formats. Without a format it is one line: its name, and what has become of it.
func printObject(w io.Writer, o runtime.Object, format, done string) error {
	known, err := newScheme()
	if err != nil {
		return err
	}
	var p printers.ResourcePrinter
	if format == "" || format == formatName {
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
