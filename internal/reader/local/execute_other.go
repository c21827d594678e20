//go:build !linux

package local

import (
	"context"
	"io"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
)

// Supported says that nothing can be run here: the runner samples /proc and /sys, and the programs are Linux programs.
const Supported = false

func execute(context.Context, *v1alpha1.Benchmark, []string, io.Writer) result.Envelope {
	return result.Envelope{}
}
