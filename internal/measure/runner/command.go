package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
)

// Exit codes of the runner.
const (
	codeDone   = 0 // an envelope says Measured or Skipped
	codeFailed = 1 // an envelope says Failed, or none could be written
	codeUsage  = 2
)

// kubeletTerminationLog is where the kubelet takes the termination message from.
const kubeletTerminationLog = "/dev/termination-log"

const usage = `usage:
  runner install DEST
        copy this binary to the file DEST
  runner exec --format FORMAT --timeout DURATION [FLAGS] -- PROGRAM [ARGUMENT...]
        run PROGRAM, read its output, leave the result in the termination message, or print it where there is none

flags of exec:
`

// Main is the command line: it returns the exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	if len(args) == 2 && args[0] == "install" {
		if err := install(args[1]); err != nil {
			fmt.Fprintln(stderr, "runner:", err)
			return codeFailed
		}
		return codeDone
	}
	if len(args) == 0 || args[0] != "exec" {
		fmt.Fprint(stderr, usage)
		execFlags(&Options{}, new(string), stderr).PrintDefaults()
		return codeUsage
	}
	return execCommand(args[1:], stdout, stderr)
}

func execCommand(args []string, stdout, stderr io.Writer) int {
	options := Options{Log: stderr}
	var terminationLog string
	flags := execFlags(&options, &terminationLog, stderr)
	if err := flags.Parse(args); err != nil {
		return codeUsage
	}
	options.Argv = flags.Args()
	if err := options.check(); err != nil {
		fmt.Fprintln(stderr, "runner:", err)
		return codeUsage
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	e := Exec(options, signals)
	if err := report(&e, terminationLog, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "runner:", err)
		return codeFailed
	}
	if e.Outcome == result.OutcomeFailed {
		fmt.Fprintf(stderr, "runner: %s: %s\n", e.Reason, e.Message)
		return codeFailed
	}
	return codeDone
}

// report leaves the envelope where it is looked for, and turns it into what was left there. A result that is too large for
// that place goes to the log, where a person can still find it.
func report(e *result.Envelope, terminationLog string, stdout, log io.Writer) error {
	if terminationLog == "" {
		if _, err := os.Stat(kubeletTerminationLog); err != nil {
			return printEnvelope(*e, stdout)
		}
		terminationLog = kubeletTerminationLog
	}
	text, packed, err := result.EncodeToFit(*e)
	if err != nil {
		return err
	}
	if packed.Reason == v1alpha1.ReasonOutputTooLarge && e.Outcome == result.OutcomeMeasured {
		if err := printEnvelope(*e, log); err != nil {
			return err
		}
	}
	*e = packed
	if err := os.WriteFile(terminationLog, []byte(text), 0o644); err != nil {
		return fmt.Errorf("writing the termination message: %w", err)
	}
	return nil
}

func printEnvelope(e result.Envelope, stdout io.Writer) error {
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return fmt.Errorf("printing the result: %w", err)
	}
	fmt.Fprintf(stdout, "%s\n", text)
	return nil
}

// install copies the running binary to destination with mode 0755. The copy appears whole or not at all, so that a
// container that is restarted in mid-copy never finds half a binary.
func install(destination string) error {
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("opening the runner's own binary: %w", err)
	}
	defer func() { _ = from.Close() }() // it was only read
	to, err := os.CreateTemp(filepath.Dir(destination), ".runner-*")
	if err != nil {
		return fmt.Errorf("installing the runner: %w", err)
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Chmod(0o755), to.Close()); err == nil {
		err = os.Rename(to.Name(), destination)
	}
	if err != nil {
		_ = os.Remove(to.Name())
		return fmt.Errorf("installing the runner as %s: %w", destination, err)
	}
	return nil
}
