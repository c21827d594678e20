// Command clusterctl builds, starts, inspects, breaks and removes local
// clusters. It is wiring: what it does is in internal/cluster.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/assay-dev/assay/hack/localcluster/internal/cluster"
)

// Exit codes that a script can tell apart.
const (
	exitFailed    = 1
	exitUsage     = 2
	exitAbsent    = 3
	exitUnhealthy = 4
	exitCannotRun = 77
)

// healthError turns a health into an exit code without a message: it is on
// stdout already.
type healthError struct{ health cluster.Health }

func (e healthError) Error() string { return string(e.health) }

var errUsage = errors.New("usage")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err := root().ExecuteContext(ctx)
	code := exitCode(err)
	if code != 0 && code != exitAbsent && code != exitUnhealthy {
		fmt.Fprintf(os.Stderr, "clusterctl: %v\n", err)
	}
	os.Exit(code)
}

func exitCode(err error) int {
	var health healthError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &health) && health.health == cluster.Absent:
		return exitAbsent
	case errors.As(err, &health):
		return exitUnhealthy
	case errors.Is(err, cluster.ErrCannotRun):
		return exitCannotRun
	case errors.Is(err, errUsage):
		return exitUsage
	}
	return exitFailed
}

func root() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:           "clusterctl",
		Short:         "A real Kubernetes on this machine, from Go modules and Debian packages alone",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.PersistentFlags().StringVar(&name, "name", "assay", "cluster's name; clusters of different names run side by side")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return fmt.Errorf("%w: %w", errUsage, err) })
	cmd.AddCommand(
		buildCommand(), upCommand(&name), downCommand(&name), statusCommand(&name), loadCommand(&name),
		degradeCommand(&name), restoreCommand(&name), nodeStopCommand(&name), nodeStartCommand(&name),
		nodeJoinCommand(&name), nodeLeaveCommand(&name),
		kubeconfigCommand(&name), mpiCommand(&name), netCommand(&name), draCommand(&name),
	)
	return cmd
}

// with opens the named cluster for one action.
func with(name string, act func(*cluster.Manager) error) error {
	m, err := cluster.Open(name, os.Stdout)
	if err != nil {
		return err
	}
	defer m.Close()
	return act(m)
}
