// Package runner executes one benchmark program inside its pod: as an argument vector and never by a shell, in a process
// group of its own and under a time limit. It samples the node beside the program, reads the program's output and leaves
// one envelope. It never judges how good a measurement is, and never talks to the API server.
package runner

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/formats"
	"github.com/assay-dev/assay/internal/measure/result"
)

// Options say what to run and how to read it.
type Options struct {
	// Argv is the program and its arguments.
	Argv []string
	// Dir is where it runs, and Env what it is given beside the runner's own environment. Empty: where the runner does, and nothing.
	Dir string
	Env []string
	// Format, Patterns and Metrics say how the output is read; see formats.Parse.
	Format   v1alpha1.OutputFormat
	Patterns []v1alpha1.OutputPattern
	Metrics  []v1alpha1.Metric
	// Timeout after which the program is stopped.
	Timeout time.Duration
	// Grace between SIGTERM and SIGKILL.
	Grace time.Duration
	// SampleInterval of what is sampled beside the program.
	SampleInterval time.Duration
	// Root of the file system that is sampled; "/" but in tests.
	Root string
	// Log receives the program's stderr, and its stdout where that is no document.
	Log io.Writer
}

// drainTime is how long the dead are waited for: a process that hangs in a driver is never collected.
const drainTime = 5 * time.Second

// stop says why the runner ended the program.
type stop struct {
	reason  string
	message string
}

// ending is how a program ended, as far as it can be seen from outside.
type ending struct {
	startErr   error
	exitCode   int
	signal     string
	stopped    *stop
	oomKills   int64
	stdout     []byte
	logTail    string
	transports formats.Transports
	start, end time.Time
}

// Exec runs the program to its end and returns the envelope with what came of it. A signal asks for the program to be
// stopped. When Exec returns, no process that the program started is left.
func Exec(options Options, signals <-chan os.Signal) result.Envelope {
	options.Log = &lockedWriter{to: options.Log}
	processes := newProcesses()
	defer processes.close()
	oomBefore := oomKills(options.Root)
	sampler := newSampler(options.Root, options.SampleInterval, processes)
	end := execute(options, processes, sampler, signals)
	sampler.stop()
	end.oomKills = max(oomKills(options.Root)-oomBefore, 0)

	e := options.envelope(end)
	e.Telemetry = sampler.telemetry()
	if d := e.Document; d != nil {
		end.transports.AddTo(d)
		if len(d.Device) == 0 && e.Outcome == result.OutcomeMeasured {
			d.Device = sampler.gpus.devices()
		}
	}
	if e.Reason == v1alpha1.ReasonBadOutput && options.Format == v1alpha1.FormatAssay { // or it would be lost with the pod's pipes
		shown := end.stdout[:min(len(end.stdout), lineBytes)]
		fmt.Fprintf(options.Log, "runner: of %d bytes on stdout, the first %d are:\n%s\n", len(end.stdout), len(shown), shown)
	}
	return e
}

func execute(options Options, processes *processes, sampler *sampler, signals <-chan os.Signal) ending {
	end := ending{start: now(), exitCode: result.NoExitCode}
	out, errs, err := newPipes()
	if err != nil {
		end.startErr, end.end = err, now()
		return end
	}
	cmd := exec.Command(options.Argv[0], options.Argv[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = out.write, errs.write, options.Dir
	if len(options.Env) > 0 {
		cmd.Env = append(os.Environ(), options.Env...)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = processes.start(cmd)
	closeAll(out.write, errs.write)
	if err != nil {
		closeAll(out.read, errs.read)
		end.startErr, end.end = err, now()
		return end
	}
	sampler.start()
	stdout := newCapture(out.read, options.stdoutLog())
	stderr := newLineLog(errs.read, options.Log)

	exited := make(chan struct{})
	go func() {
		_ = processes.wait(cmd) // how it ended is in ProcessState
		close(exited)
	}()
	end.stopped = options.supervise(cmd.Process.Pid, exited, stdout.overflow, signals)
	end.end = now()
	// Whatever the program left behind would hold the pipes open, and the node's devices with them. What even SIGKILL does
	// not end holds them forever; then the pipes are closed from this side.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	processes.killDescendants()
	drain := time.AfterFunc(drainTime, func() { closeAll(out.read, errs.read) })
	defer drain.Stop()
	end.stdout, end.logTail = stdout.bytes(), stderr.tail()
	end.transports = stderr.transports
	for line := range strings.Lines(string(end.stdout)) {
		end.transports.Read(line)
	}
	select {
	case <-exited:
		end.exitCode = cmd.ProcessState.ExitCode()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			end.signal = signalName(status.Signal())
		}
	default:
		end.stopped.message += "; even SIGKILL did not end it, so it hangs in a driver: check the node's kernel log"
	}
	return end
}

// supervise waits for the program's end, and brings it about when the time is over, the output too large, or the runner
// itself is told to stop. It returns why, or nil when the program ended by itself.
func (o Options) supervise(pid int, exited <-chan struct{}, overflow <-chan struct{}, signals <-chan os.Signal) *stop {
	began := time.Now()
	var why stop
	select {
	case <-exited:
		return nil
	case <-time.After(o.Timeout):
		why = stop{v1alpha1.ReasonTimedOut, fmt.Sprintf("the program did not end within %v (timeoutSeconds of the Benchmark) and was stopped", o.Timeout)}
	case <-overflow:
		why = stop{v1alpha1.ReasonOutputTooLarge,
			fmt.Sprintf("the program printed more than %d bytes on stdout and was stopped: have it print progress to stderr", result.MaxOutput)}
	case s := <-signals:
		why = stop{v1alpha1.ReasonEvicted, fmt.Sprintf("the runner received %s after %v: the pod was deleted, evicted or past its deadline",
			signalName(s), time.Since(began).Round(time.Second))}
	}
	_ = syscall.Kill(-pid, syscall.SIGTERM)
	select {
	case <-exited:
	case <-time.After(o.Grace):
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		select {
		case <-exited:
		case <-time.After(drainTime):
		}
	}
	return &why
}

// stdoutLog is where stdout goes beside the parser: what third-party programs print is worth reading, a document is not.
func (o Options) stdoutLog() io.Writer {
	if o.Format == v1alpha1.FormatAssay {
		return io.Discard
	}
	return o.Log
}

// now in UTC without the monotonic clock, in milliseconds, as an envelope holds it.
func now() time.Time { return time.Now().UTC().Round(0).Truncate(time.Millisecond) }
