package result

import (
	"errors"
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// What can be wrong with an output. Every error of Parse wraps one of them.
var (
	// ErrNoOutput says that the program printed nothing.
	ErrNoOutput = errors.New("no output")
	// ErrBadOutput says that the output is not what its format says, or holds numbers that cannot be believed.
	ErrBadOutput = errors.New("bad output")
	// ErrTooLarge says that the output or the encoded result is over its limit.
	ErrTooLarge = errors.New("too large")
	// errBadEnvelope says that a termination message is not an envelope of the runner.
	errBadEnvelope = errors.New("bad termination message")
	// ErrBadRequest says that the format, a pattern or a metric is unusable; the Benchmark is at fault, not its output.
	ErrBadRequest = errors.New("bad output specification")
)

// Reason is the API's reason for an error of this package.
func Reason(err error) string {
	switch {
	case errors.Is(err, ErrNoOutput):
		return v1alpha1.ReasonNoOutput
	case errors.Is(err, ErrTooLarge):
		return v1alpha1.ReasonOutputTooLarge
	default:
		return v1alpha1.ReasonBadOutput
	}
}

// Bad makes an error that wraps ErrBadOutput.
func Bad(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrBadOutput, fmt.Errorf(format, args...))
}
