// Package doctor is `kubectl assay doctor`: it reads an installation, and shows what internal/reader/doctor finds wrong with it.
package doctor

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/doctor"
)

// doctorSchema names the shape of the JSON document.
const doctorSchema = "assay.dev/doctor/v1"

// Command is `kubectl assay doctor`.
func Command(version string, connect cluster.Connect) *cobra.Command {
	var format string
	var pull pullFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check whether Assay is installed soundly, and say what to do",
		Long: `Check whether Assay is installed soundly, and say what to do.

Each line is "ok", "warn" (works, but look at it), "FAIL" (something does not
work) or "?" (could not look, mostly because you may not). Doctor reads the
version of the API server, kinds, operator, rights, namespaces, admission
policies, MPI Operator, nodes, profiles, metrics, clocks, runs and policies. It
changes nothing.

With --pull it also has one node, or those of --nodes, fetch every image of the
catalogue: it starts a pod for each image in --pull-namespace, which runs
nothing, and deletes it again. Benchmark pods may pull by the pull secrets of
their own namespace, which these pods do not have.

The exit code is 0 if nothing FAILs, 1 if something does, and 2 if nothing does
but something could not be looked at.`,
		Example: `  kubectl assay doctor
  kubectl assay doctor --pull --nodes node-1,node-2
  kubectl assay doctor -o json | jq -r '.findings[] | select(.status == "FAIL") | .message'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := connect()
			if err != nil {
				return err
			}
			found, err := examine(cmd.Context(), c, version, pull)
			if err != nil {
				return err
			}
			if err := writeDoctor(cmd.OutOrStdout(), found, format); err != nil {
				return err
			}
			if code := exitCodes[doctor.Worst(found)]; code != output.Pass {
				return &output.ExitError{Code: code}
			}
			return nil
		},
	}
	output.Formats{output.Table, output.JSON, output.YAML}.Flag(cmd, &format)
	pull.bind(cmd, connect)
	return cmd
}

// examine reads everything and says what it means.
func examine(ctx context.Context, c client.WithWatch, version string, pull pullFlags) ([]doctor.Finding, error) {
	facts, err := readFacts(ctx, c, version)
	if err != nil {
		return nil, err
	}
	if pull.images {
		if facts.Pulls, err = pull.try(ctx, c, facts); err != nil {
			return nil, err
		}
	}
	return doctor.Examine(facts), nil
}

// exitCodes by the worst finding, if it is none with which all is well.
var exitCodes = map[doctor.Status]int{doctor.Fail: output.Fail, doctor.Unknown: output.Undecided}

func writeDoctor(w io.Writer, found []doctor.Finding, format string) error {
	if format != output.Table {
		return output.WriteDocument(w, struct {
			Schema   string           `json:"schema"`
			Findings []doctor.Finding `json:"findings"`
		}{doctorSchema, found}, format)
	}
	rows := make([][]string, len(found))
	count := map[doctor.Status]int{}
	for i, f := range found {
		rows[i] = []string{string(f.Status), f.Check, f.Message}
		count[f.Status]++
	}
	if err := output.Grid(w, []string{"STATUS", "CHECK", "FINDING"}, rows); err != nil {
		return err
	}
	rest := message.Counts([]string{"to look at", "failed", "could not be checked"}, count[doctor.Warn], count[doctor.Fail], count[doctor.Unknown])
	_, err := fmt.Fprintf(w, "\n%s\n", strings.TrimSuffix(fmt.Sprintf("%d ok, %s", count[doctor.OK], rest), ", "))
	return err
}
