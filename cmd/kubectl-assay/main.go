// Command kubectl-assay is a plugin of kubectl: `kubectl assay --help` says what it does.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/moby/term"

	"github.com/assay-dev/assay/internal/reader/cli"
)

// version is set by the linker.
var version = "unknown"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	_, out, errOut := term.StdStreams() // a console of Windows takes escape sequences after this
	code := cli.Main(ctx, version, os.Args[1:], out, errOut)
	stop()
	os.Exit(code)
}
