// Command runner executes one benchmark program in its pod and leaves the result in the termination message.
package main

import (
	"os"

	"github.com/assay-dev/assay/internal/measure/runner"
)

func main() {
	os.Exit(runner.Main(os.Args[1:], os.Stdout, os.Stderr))
}
