// Package manual is what the commands say of themselves: a page for each, as users read it.
package manual

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed *.txt
var pages embed.FS

// Page of a command; empty: it has none.
func Page(command string) string {
	page, _ := pages.ReadFile(command + ".txt")
	return string(page)
}

// Of a command: its page has the description and, below, the examples. In place of {schema} stands that of the document that the command writes.
func Of(cmd *cobra.Command, schema ...string) *cobra.Command {
	text := strings.ReplaceAll(strings.TrimSpace(Page(cmd.Name())), "{schema}", strings.Join(schema, ""))
	cmd.Long, cmd.Example, _ = strings.Cut(text, "\n\nExamples:\n")
	return cmd
}
