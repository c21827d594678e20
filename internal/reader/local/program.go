package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/assess"
)

// launch makes the pod of an attempt; its program is started once the pass is over.
func (s *session) launch(l assess.PodLaunch) {
	s.pod = workload.Pod(workload.Launch{Run: s.run, Benchmark: l.Task.Benchmark, Argv: l.Task.Argv, Node: l.Node, Attempt: l.Attempt, Machine: l.Machine},
		workload.Settings{Namespace: "local"})
	s.pod.UID = hashed(string(s.run.UID), s.pod.Name)
	s.pod.CreationTimestamp = metav1.NewTime(s.Now().Truncate(time.Second))
	s.launched, s.changed = &l, true
}

// execute the program that is due, and let its pod tell what came of it.
func (s *session) execute(ctx context.Context) error {
	l := s.launched
	s.launched = nil
	s.Started(l.Task.Benchmark, l.Attempt)
	left, file := s.Execute(ctx, l.Task.Benchmark, l.Task.Argv)
	if ctx.Err() != nil && left.Outcome == result.OutcomeFailed { // it was stopped, which says nothing about the host
		s.pod = nil
		return nil
	}
	text, e, err := result.EncodeToFit(left)
	if err != nil {
		return fmt.Errorf("reading what %s left: %w", l.Task.Name(), err)
	}
	state := corev1.ContainerStateTerminated{Message: text, StartedAt: metav1.NewTime(e.Start.Truncate(time.Second)), FinishedAt: metav1.NewTime(e.End.Truncate(time.Second))}
	s.pod.Spec.NodeName = s.node.Name
	s.pod.Status = corev1.PodStatus{Phase: corev1.PodSucceeded, ContainerStatuses: []corev1.ContainerStatus{{Name: workload.ProgramContainer,
		Image: l.Task.Benchmark.Spec.Image, ImageID: file, State: corev1.ContainerState{Terminated: &state}}}}
	return nil
}

// Programs finds programs in some folders first, then where the shell would.
type Programs struct {
	Folders []string
	// Log receives what the programs say beside their results.
	Log io.Writer
}

// Execute runs the program of a benchmark. One that is not there is an error of this attempt.
func (p Programs) Execute(ctx context.Context, b *v1alpha1.Benchmark, argv []string) (left result.Envelope, file string) {
	path, err := p.find(argv[0])
	if err != nil {
		now := time.Now().UTC()
		return result.Envelope{Version: result.EnvelopeVersion, Outcome: result.OutcomeFailed, Reason: v1alpha1.ReasonPodStartFailed,
			ExitCode: result.NoExitCode, Message: localNoProgram(argv[0], p.Folders), Start: now, End: now}, ""
	}
	return execute(ctx, b, append([]string{path}, argv[1:]...), p.Log), fileHash(path)
}

// Has says whether a program is there.
func (p Programs) Has(program string) bool {
	_, err := p.find(program)
	return err == nil
}

// lacking says which programs are not there, and what can be measured without them, before anything is measured: a benchmark that is skipped needs none.
func (s *session) lacking() error {
	var programs, rest []string
	for _, t := range s.tasks {
		switch {
		case s.Has == nil || t.Benchmark.Spec.Needs.DeviceResource != "" && len(s.Host.GPUs) == 0:
		case s.Has(t.Argv[0]):
			rest = append(rest, t.Name())
		case !slices.Contains(programs, t.Argv[0]):
			programs = append(programs, t.Argv[0])
		}
	}
	if len(programs) == 0 {
		return nil
	}
	text := "nothing was measured, because this host lacks " + message.Several(len(programs), "program") + ": " + strings.Join(programs, ", ") +
		". Name the folder that has them with --programs: a checkout has them in build/kernels/bin after make kernels-cpu or, for GPUs, " +
		"make kernels, and Assay's images in /usr/local/bin"
	return errors.New(message.With(text, ". Or measure without them: --benchmark ", strings.Join(rest, ",")))
}

// find a program. What is in the folders goes before what is installed.
func (p Programs) find(name string) (string, error) {
	for _, folder := range p.Folders {
		path, err := filepath.Abs(filepath.Join(folder, filepath.Base(name)))
		if err != nil {
			return "", err
		}
		if _, err := exec.LookPath(path); !errors.Is(err, fs.ErrNotExist) {
			return path, err
		}
	}
	return exec.LookPath(name)
}

// fileHash is as an image's digest is written.
func fileHash(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return "local@sha256:" + hex.EncodeToString(h.Sum(nil))
}

// localNoProgram is for a program that is not on this host; folders are where it was looked for first.
func localNoProgram(program string, folders []string) string {
	if len(folders) == 0 {
		return fmt.Sprintf("there is no program %s in PATH: name the folder that has it with --programs", program)
	}
	return fmt.Sprintf("there is no program %s in %s, nor in PATH: build it, or name its folder with --programs", program, strings.Join(folders, ", "))
}
