// Command cli writes the reference of kubectl assay, one page for each command, from the commands' own help.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra/doc"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/internal/reader/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: cli FOLDER")
		os.Exit(2)
	}
	root := cli.NewCommand("", func() (client.WithWatch, error) { return nil, errors.New("documentation reaches no cluster") })
	root.DisableAutoGenTag = true
	if err := doc.GenMarkdownTree(root, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "cli:", err)
		os.Exit(1)
	}
}
