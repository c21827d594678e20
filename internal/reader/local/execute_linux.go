package local

import (
	"context"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/runner"
)

// Supported says whether programs can be run here.
const Supported = true

// execute a program as the runner does in a pod.
func execute(ctx context.Context, b *v1alpha1.Benchmark, argv []string, log io.Writer) result.Envelope {
	signals := make(chan os.Signal, 1)
	stop := context.AfterFunc(ctx, func() { signals <- syscall.SIGTERM })
	defer stop()
	options := runner.Options{Argv: argv, Dir: os.TempDir(), Format: b.Spec.Output.Format, Patterns: b.Spec.Output.Patterns, Metrics: b.Spec.Metrics,
		Timeout: time.Duration(b.Spec.TimeoutSeconds) * time.Second, Grace: 5 * time.Second, SampleInterval: time.Second, Root: "/", Log: log}
	for _, e := range b.Spec.Env {
		options.Env = append(options.Env, e.Name+"="+e.Value)
	}
	return runner.Exec(options, signals)
}
