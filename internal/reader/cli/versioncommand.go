package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// versionCommand is `kubectl assay version`, as kubectl has it: --version says the same. That of the operator is doctor's.
func versionCommand(version string) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version of this program (kubectl assay doctor shows the operator's)",
		Example: `  kubectl assay version
  kubectl assay doctor`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), version)
			return err
		},
	}
}
