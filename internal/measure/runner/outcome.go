package runner

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"syscall"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/formats"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/message"
)

// Exit codes of benchmark programs that mean something; see the contract of the result document.
const (
	exitFailed        = 1
	exitCannotRunHere = 77
	exitDriverTooOld  = 78
)

// decide names the first cause: a program that was stopped or killed may well have printed half a document before.
func (o Options) decide(e *ending) {
	switch {
	case e.Reason != "":
	case e.oomKills > 0 && (e.Signal != "" || e.ExitCode != 0):
		e.Reason, e.Message = v1alpha1.ReasonOOMKilled,
			"the kernel killed the program, or a part of it, for lack of memory: raise needs.limits of the Benchmark, or have the program use less"
	case e.Signal != "":
		e.Reason, e.Message = v1alpha1.ReasonProgramFailed, "the program was killed by "+e.Signal
	default:
		o.decideByOutput(e)
	}
}

func (o Options) decideByOutput(e *ending) {
	stdout := e.stdout
	if o.Format == v1alpha1.FormatAssay {
		stdout = formats.WithoutNCCLLog(stdout)
	} else if statement, ok := formats.ParseStatement(stdout); ok {
		decideByStatement(e, statement)
		return
	}
	document, err := formats.Parse(o.Format, o.Patterns, o.Metrics, stdout)
	switch {
	case e.ExitCode == exitCannotRunHere, e.ExitCode == exitDriverTooOld:
		cannotRun(e, document, err)
	case err != nil && e.ExitCode != 0:
		e.Reason = v1alpha1.ReasonProgramFailed
		e.Message = fmt.Sprintf("the program exited with code %d", e.ExitCode)
		if !errors.Is(err, result.ErrNoOutput) {
			e.Message += ": " + err.Error()
		}
	case err != nil:
		e.Reason, e.Message = result.Reason(err), err.Error()
	case e.ExitCode != 0 && !o.explains(document, e.ExitCode):
		e.Reason = v1alpha1.ReasonProgramFailed
		e.Message = fmt.Sprintf("the program exited with code %d after it had printed a result, so the result is not trusted", e.ExitCode)
	case document.Skipped != "":
		cannotRun(e, document, nil)
	default:
		e.Outcome, e.Reason, e.Document, e.LogTail = result.OutcomeMeasured, v1alpha1.ReasonMeasured, &document, ""
	}
}

// explains says whether the program ended with an error because it found wrong data. Only our own programs promise which code that is.
func (o Options) explains(document result.Document, exitCode int) bool {
	return len(document.FailedChecks()) > 0 && (exitCode == exitFailed || o.Format != v1alpha1.FormatAssay)
}

// decideByStatement is for a document in place of another program's report. The exit code is not asked: a launcher may have the last word on
// it. What the other program complained of is in the log.
func decideByStatement(e *ending, statement result.Document) {
	if statement.Skipped != "" {
		cannotRun(e, statement, nil)
		return
	}
	e.Outcome, e.Reason, e.Document = result.OutcomeMeasured, v1alpha1.ReasonMeasured, &statement
}

// cannotRun reports a program that cannot run on this node. A document gives the reason best; a program without one says it on stderr, where a
// launcher may have the last word.
func cannotRun(e *ending, document result.Document, err error) {
	why := document.Skipped
	if err != nil {
		lines := strings.Split(e.LogTail, "\n")
		why = lines[len(lines)-1]
	}
	switch {
	case err == nil && why == "":
		e.Reason, e.Message = v1alpha1.ReasonBadOutput,
			fmt.Sprintf("the program exited with code %d, which means that it cannot run here, but it printed measurements", e.ExitCode)
	case e.ExitCode == exitDriverTooOld:
		e.Reason, e.Message = v1alpha1.ReasonDriverTooOld, message.With("the driver of this node is too old for the program: update it, or use an "+
			"image that was built for it", "; the program says: ", why)
	default:
		e.LogTail = ""
		e.Outcome, e.Reason, e.Message = result.OutcomeSkipped, v1alpha1.ReasonCannotRunHere,
			cmp.Or(why, fmt.Sprintf("the program exited with code %d, which means that it cannot run here, but it gave no reason", e.ExitCode))
		if err == nil {
			e.Document = &document
		}
	}
}

// startMessage says what is wrong with the image, because that is what keeps a program from starting.
func startMessage(program string, err error) string {
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("the image has no program %q, or lacks the loader that it needs: correct the image or the command of the Benchmark", program)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("%q is not executable by the container's user: correct its mode in the image, or set privileges.runAsRoot", program)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Sprintf("%q is not a program for this machine: the image is of another architecture, or the file is a script without #!", program)
	default:
		return fmt.Sprintf("%q could not be started: %v", program, err)
	}
}
