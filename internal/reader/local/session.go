package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/summary"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/operate/pack"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/internal/reader/export"
)

// session is a run on this host: what a cluster would hold of it, and what its controller would remember.
type session struct {
	Options
	run        *v1alpha1.ValidationRun
	node       *corev1.Node
	snapshot   catalogue.Snapshot
	tasks      []observe.Task
	leftOut    []string
	profiles   peak.Profiles
	validation *v1alpha1.NodeValidation
	history    *v1alpha1.NodeHistory
	// stored is the host's result as a pass reads it; nil: there is none.
	stored *pack.Result
	// pod is the attempt that is due or over; nil: there is none. It has been started if launched is nil.
	pod      *corev1.Pod
	launched *assess.PodLaunch

	memory      observe.Memory
	cutShort    map[observe.Attempted]string
	startedAnew observe.StartedAnew
	shortSince  map[observe.Short]time.Time
	// changed says that a pass wrote something, so that the next one is due at once. recheck is when it is due without that.
	changed bool
	recheck time.Duration
	over    bool
	// interrupted is how many seconds the run had gone on when its user ended it; nil: nobody did.
	interrupted *int64
}

// pass is one look at the run: read, assess, write, report.
func (s *session) pass() error {
	now := s.Now()
	in := s.input(now)
	collected, err := assess.Collect(in)
	if err != nil {
		return err
	}
	out := assess.Run(collected.Given(map[string]*v1alpha1.NodeHistory{s.node.Name: s.history}))
	written, err := s.write(&out)
	if err != nil {
		return err
	}
	report := out.Report(written)
	run := *s.run
	run.Status = report.Status
	s.changed = s.changed || !observe.Started(s.run)
	s.run, s.over, s.recheck = &run, report.Over, report.Recheck
	return nil
}

// input is what there is.
func (s *session) input(now time.Time) observe.Input {
	in := observe.Input{Run: s.run, Now: now, Cut: summary.CutOnHost, Tasks: s.tasks, Profiles: s.profiles, Nodes: []*corev1.Node{s.node}, Memory: &s.memory,
		CutShort: s.cutShort, StartedAnew: s.startedAnew, ShortSince: s.shortSince, Validations: map[string]*v1alpha1.NodeValidation{}}
	if s.interrupted != nil { // its deadline is now, whatever the user asked for first, which is what is kept
		run := *s.run
		run.Spec.ActiveDeadlineSeconds = s.interrupted
		in.Run, in.Cut = &run, summary.CutByUser
	}
	if s.validation != nil {
		in.Validations[s.node.Name] = s.validation
	}
	if s.stored != nil {
		in.Results = []*pack.Result{s.stored}
	}
	if s.pod != nil {
		in.Pods = []*corev1.Pod{s.pod}
	}
	return in
}

// write what a pass decided.
func (s *session) write(out *assess.Output) (assess.Written, error) {
	written := assess.Written{Nodes: map[string]assess.NodeWritten{}}
	s.changed = false
	if !observe.Started(s.run) {
		_, hash, err := s.snapshot.Encode()
		if err != nil {
			return written, err
		}
		configurations := map[string]string{}
		for _, t := range s.tasks {
			configurations[t.Name()] = t.Configuration
		}
		written.Catalogue = s.snapshot.Reference("local", hash, configurations)
		return written, nil
	}
	s.shortSince = out.ShortSince
	cut := map[observe.Attempted]string{}
	maps.Copy(cut, out.CutShort)
	maps.Copy(cut, s.cutShort) // what was known first counts: what is being deleted only waits for its end
	s.cutShort = cut
	s.startedAnew.Add(out.StartedAnew)
	for _, n := range out.Nodes {
		if err := s.store(n.Result); err != nil {
			return written, err
		}
		written.Stored++
	}
	if len(out.DeletePods) > 0 {
		s.pod, s.launched, s.changed = nil, nil, true
	}
	for _, j := range out.Judged {
		written.Nodes[j.Node.Name] = s.conclude(j)
	}
	for _, l := range out.LaunchPods {
		s.launch(l)
	}
	return written, nil
}

// store the host's result as an API server would: with whole seconds.
func (s *session) store(r *v1alpha1.ValidationResult) error {
	kept := &v1alpha1.ValidationResult{}
	data, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(data, kept)
	}
	if err != nil {
		return fmt.Errorf("storing the result: %w", err)
	}
	s.tellEnded(kept)
	s.stored, s.changed = pack.Plain(kept), true
	return nil
}

// tellEnded tells of the attempts that are new in a result.
func (s *session) tellEnded(r *v1alpha1.ValidationResult) {
	for b := range list.Each(r.Benchmarks) {
		told := 0
		if s.stored != nil && s.stored.Head.Benchmark(b.Name) != nil {
			told = len(s.stored.Head.Benchmark(b.Name).Attempts)
		}
		task := list.First(s.tasks, func(t *observe.Task) bool { return t.Name() == b.Name })
		for _, a := range b.Attempts[min(told, len(b.Attempts)):] {
			s.Ended(task.Benchmark, a)
		}
	}
}

// conclude keeps what is known of the host now. Nothing follows for it: there is no taint here.
func (s *session) conclude(j assess.JudgedNode) assess.NodeWritten {
	judgement := j.Judge(s.validation, s.history)
	current := taint.Current{Node: s.node, Validation: s.validation, History: s.history}
	next := judgement.Next(current)
	if next.Action == taint.Lift {
		next = judgement.Lifted(current)
	}
	s.validation, s.history = taint.Labelled(next.Validation, s.node.Name), next.History
	return assess.NodeWritten{Note: judgement.Noted(next.Note, s.validation)}
}

// goOn runs the program that is due, or waits until the run is to be looked at.
func (s *session) goOn(ctx context.Context) error {
	switch {
	case s.launched != nil:
		return s.execute(ctx)
	case s.changed:
		return nil
	case s.recheck <= 0:
		return errors.New("the run has nothing left to do and does not end: please report this as a bug, with the command that you ran")
	}
	select {
	case <-ctx.Done():
	case <-time.After(s.recheck):
	}
	return nil
}

// interrupt ends the run now, with what was measured.
func (s *session) interrupt() {
	ran := int64(0)
	if t := s.run.Status.StartTime; t != nil {
		ran = int64(s.Now().Sub(t.Time) / time.Second)
	}
	s.interrupted = &ran
}

// export is the run and all that is known of it.
func (s *session) export() export.Run {
	e := export.Run{Cluster: s.node.Name, Run: s.run, Catalogue: &s.snapshot}
	if s.stored != nil {
		e.Results = []v1alpha1.ValidationResult{*s.stored.Whole()}
	}
	if s.validation != nil {
		e.Validations = []v1alpha1.NodeValidation{*s.validation}
	}
	if s.history != nil {
		e.Histories = []v1alpha1.NodeHistory{*s.history}
	}
	return e
}
