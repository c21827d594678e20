// Command kubectl-assay is a plugin of kubectl: `kubectl assay report RUN` and `kubectl assay watch RUN`.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/assay-dev/assay/internal/cli"
)

// version is set by the linker.
var version = "unknown"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, version, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
