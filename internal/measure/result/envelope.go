package result

import (
	"cmp"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// EnvelopeVersion is the version of the envelope that this package writes and reads.
const EnvelopeVersion = 1

// Outcome says how a program ended. Whether its data was right is in the document's checks.
type Outcome string

// The outcomes.
const (
	// OutcomeMeasured means that there is a document with measurements or a failed check.
	OutcomeMeasured Outcome = "Measured"
	// OutcomeSkipped means that the program said that it cannot run on this node.
	OutcomeSkipped Outcome = "Skipped"
	// OutcomeFailed means that there is no result; the reason says why.
	OutcomeFailed Outcome = "Failed"
)

// NoExitCode is the exit code of a program that never started or was killed by a signal.
const NoExitCode = -1

// Envelope is what the runner leaves in the container's termination message.
type Envelope struct {
	Version int     `json:"version"`
	Outcome Outcome `json:"outcome"`
	// Reason is one of the API's reasons.
	Reason  string `json:"reason"`
	Message string `json:"message,omitempty"`
	// ExitCode of the program, or NoExitCode.
	ExitCode int `json:"exitCode"`
	// Signal that killed the program, for example SIGKILL.
	Signal string    `json:"signal,omitempty"`
	Start  time.Time `json:"start"`
	End    time.Time `json:"end"`
	// Document is set when the program measured or was skipped by a document of its own.
	Document *Document `json:"document,omitempty"`
	// Telemetry is what the runner sampled beside the program.
	Telemetry []Measurement `json:"telemetry,omitempty"`
	// LogTail is the last lines of the program's stderr, kept when it failed or the report of the program that it started is missing.
	LogTail string `json:"logTail,omitempty"`
}

// failReasons are the reasons that a Failed envelope may give. WrongData is not one of them: that follows from a check.
var failReasons = []string{
	v1alpha1.ReasonNoOutput, v1alpha1.ReasonBadOutput, v1alpha1.ReasonOutputTooLarge, v1alpha1.ReasonProgramFailed,
	v1alpha1.ReasonTimedOut, v1alpha1.ReasonOOMKilled, v1alpha1.ReasonEvicted, v1alpha1.ReasonPodStartFailed, v1alpha1.ReasonDriverTooOld,
}

// validate requires an envelope that agrees with itself and can be stored in the API.
func (e *Envelope) validate() error {
	if e.Version != EnvelopeVersion {
		return fmt.Errorf("version %d, this build reads %d: runner and controller must be of one release", e.Version, EnvelopeVersion)
	}
	err := cmp.Or(e.validateOutcome(), e.validateProcess(), checkOptionalText("signal", e.Signal, maxReason), checkOptionalText("message", e.Message, maxMessage))
	if err != nil {
		return err
	}
	if err := validateMeasurements(e.Telemetry); err != nil {
		return fmt.Errorf("reading telemetry: %w", err)
	}
	if e.Document == nil {
		return nil
	}
	if err := e.Document.validate(); err != nil {
		return fmt.Errorf("reading the document: %w", err)
	}
	return nil
}

// validateProcess checks what the runner says of the program as a process.
func (e *Envelope) validateProcess() error {
	switch {
	case e.ExitCode < NoExitCode || e.ExitCode > 255:
		return fmt.Errorf("exit code %d is out of range", e.ExitCode)
	case !readable(e.Start) || !readable(e.End) || e.End.Before(e.Start):
		return fmt.Errorf("start %v and end %v are not a span of time", e.Start, e.End)
	case !utf8.ValidString(e.LogTail):
		return fmt.Errorf("logTail is not UTF-8")
	case len(e.LogTail) > maxLogTail:
		return fmt.Errorf("logTail has %d bytes, at most %d are allowed", len(e.LogTail), maxLogTail)
	}
	return nil
}

func (e *Envelope) validateOutcome() error {
	switch e.Outcome {
	case OutcomeMeasured:
		if e.Reason != v1alpha1.ReasonMeasured || e.Document == nil || e.Document.Skipped != "" {
			return fmt.Errorf("outcome Measured needs reason Measured and a document with measurements")
		}
	case OutcomeSkipped:
		if e.Reason != v1alpha1.ReasonCannotRunHere || (e.Document != nil && e.Document.Skipped == "") {
			return fmt.Errorf("outcome Skipped needs reason CannotRunHere and no measurements")
		}
	case OutcomeFailed:
		if !slices.Contains(failReasons, e.Reason) || e.Document != nil {
			return fmt.Errorf("outcome Failed needs one of the reasons %v and no document, found reason %s", failReasons, Quote(e.Reason))
		}
	default:
		return fmt.Errorf("outcome %s is unknown", Quote(string(e.Outcome)))
	}
	return nil
}
