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

	"k8s.io/utils/clock"

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

// ending is how a program ended, as far as it can be seen from outside. The envelope says why where it did not start, or was stopped.
type ending struct {
	result.Envelope

	began    time.Time
	oomKills int64
	stdout   []byte
	overflow chan struct{} // closed when that is too long
	// lastLines of stderr, and what NCCL said there: both may be read once it has ended.
	lastLines  []string
	transports formats.Transports
}

// Exec runs the program to its end and returns the envelope with what came of it. A signal asks for the program to be
// stopped. When Exec returns, no process that the program started is left.
func Exec(options Options, signals <-chan os.Signal) result.Envelope {
	options.Log = &lockedWriter{to: options.Log}
	processes := newProcesses()
	defer processes.close()
	oomBefore := oomKills(options.Root)
	sampler := newSampler(options.Root, options.SampleInterval, processes)
	e := ending{overflow: make(chan struct{}), began: time.Now()}
	e.Version, e.Outcome, e.ExitCode, e.Start = result.EnvelopeVersion, result.OutcomeFailed, result.NoExitCode, told(e.began)
	if err := options.execute(&e, processes, sampler, signals); err != nil {
		e.Reason, e.Message, e.End = v1alpha1.ReasonPodStartFailed, startMessage(options.Argv[0], err), later(clock.RealClock{}, e.began)
	}
	sampler.stop()
	e.oomKills = max(oomKills(options.Root)-oomBefore, 0)

	options.decide(&e)
	e.Telemetry = sampler.telemetry()
	if d := e.Document; d != nil {
		e.transports.AddTo(d)
		if len(d.Device) == 0 && e.Outcome == result.OutcomeMeasured {
			d.Device = sampler.gpus.devices()
		}
	}
	if e.Reason == v1alpha1.ReasonBadOutput && options.Format == v1alpha1.FormatAssay { // or it would be lost with the pod's pipes
		shown := e.stdout[:min(len(e.stdout), lineBytes)]
		fmt.Fprintf(options.Log, "runner: of %d bytes on stdout, the first %d are:\n%s\n", len(e.stdout), len(shown), shown)
	}
	return e.Envelope
}

// execute the program to its end; an error says why it did not start.
func (o Options) execute(e *ending, processes *processes, sampler *sampler, signals <-chan os.Signal) error {
	out, errs, err := newPipes()
	if err != nil {
		return err
	}
	cmd := exec.Command(o.Argv[0], o.Argv[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = out.write, errs.write, o.Dir
	if len(o.Env) > 0 {
		cmd.Env = append(os.Environ(), o.Env...)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = processes.start(cmd)
	closeAll(out.write, errs.write)
	if err != nil {
		closeAll(out.read, errs.read)
		return err
	}
	sampler.start()
	stdout, stderr := copyLines(out.read, o.stdoutLog(), e.readStdout), copyLines(errs.read, o.Log, e.readStderr)

	exited := make(chan struct{})
	go func() {
		_ = processes.wait(cmd) // how it ended is in ProcessState
		close(exited)
	}()
	e.Reason, e.Message = o.supervise(cmd.Process.Pid, exited, e.overflow, signals)
	e.End = later(clock.RealClock{}, e.began)
	// Whatever the program left behind would hold the pipes open, and the node's devices with them. What even SIGKILL does
	// not end holds them forever; then the pipes are closed from this side.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	processes.killDescendants()
	drain := time.AfterFunc(drainTime, func() { closeAll(out.read, errs.read) })
	defer drain.Stop()
	<-stdout
	<-stderr
	e.LogTail = strings.Join(e.lastLines, "\n")
	for line := range strings.Lines(string(e.stdout)) {
		e.transports.Read(line)
	}
	select {
	case <-exited:
		e.ExitCode = cmd.ProcessState.ExitCode()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			e.Signal = signalName(status.Signal())
		}
	default:
		e.Message += "; even SIGKILL did not end it, so it hangs in a driver: check the node's kernel log"
	}
	return nil
}

// supervise waits for the program's end, and brings it about when the time is over, the output too large, or the runner
// itself is told to stop. It returns why; nothing, when the program ended by itself.
func (o Options) supervise(pid int, exited <-chan struct{}, overflow <-chan struct{}, signals <-chan os.Signal) (reason, why string) {
	began := time.Now()
	select {
	case <-exited:
		return "", ""
	case <-time.After(o.Timeout):
		reason, why = v1alpha1.ReasonTimedOut, fmt.Sprintf("the program did not end within %v (timeoutSeconds of the Benchmark) and was stopped", o.Timeout)
	case <-overflow:
		reason = v1alpha1.ReasonOutputTooLarge
		why = fmt.Sprintf("the program printed more than %d bytes on stdout and was stopped: have it print progress to stderr", result.MaxOutput)
	case s := <-signals:
		reason, why = v1alpha1.ReasonEvicted, fmt.Sprintf("the runner received %s after %v: the pod was deleted, evicted or past its deadline",
			signalName(s), time.Since(began).Round(time.Second))
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
	return reason, why
}

// stdoutLog is where stdout goes beside the parser: what third-party programs print is worth reading, a document is not.
func (o Options) stdoutLog() io.Writer {
	if o.Format == v1alpha1.FormatAssay {
		return io.Discard
	}
	return o.Log
}

// told in UTC without the monotonic clock, in milliseconds, as an envelope holds it.
func told(t time.Time) time.Time { return t.UTC().Round(0).Truncate(time.Millisecond) }

// later is now, for what began then: where somebody sets the clock of the node meanwhile, nothing ends before it began.
func later(local clock.PassiveClock, began time.Time) time.Time {
	return told(began.Add(local.Since(began)))
}
