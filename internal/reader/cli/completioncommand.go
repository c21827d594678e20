package cli

import (
	_ "embed" // the script
	"fmt"

	"github.com/spf13/cobra"
)

// completionScript is what kubectl runs to complete the command line of a plugin, if it is on the PATH by this name.
//
//go:embed kubectl_complete-assay
var completionScript string

func completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion",
		Short: "Print the script by which kubectl completes this plugin's command lines",
		Long: `Print the script by which kubectl completes this plugin's command lines.

kubectl looks for an executable named kubectl_complete-assay on the PATH. With
it, the Tab key completes subcommands, flags and the names of runs, nodes,
benchmarks and suites of the cluster, wherever kubectl's own completion is set
up ("kubectl completion --help").`,
		Example: `  kubectl assay completion > ~/.local/bin/kubectl_complete-assay
  chmod +x ~/.local/bin/kubectl_complete-assay`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), completionScript)
			return err
		},
	}
}
