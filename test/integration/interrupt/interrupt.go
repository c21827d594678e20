// Package interrupt stops the API server of interrupted tests: its processes are no part of the tests' process group.
package interrupt

import (
	"os"
	"os/signal"
	"syscall"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Stops ends the environment, and then the tests, at the first signal to end.
func Stops(environment *envtest.Environment) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-signals
		_ = environment.Stop()
		os.Exit(1)
	}()
}
