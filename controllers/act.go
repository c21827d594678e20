package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/plan"
	"github.com/assay-dev/assay/internal/verdict"
	"github.com/assay-dev/assay/internal/workload"
)

// act does all writes of a pass but the run's status, in an order that is safe to break off anywhere: results before the
// pods that hold them are deleted, node actions after the results that justify them, launches last. Errors of single
// nodes do not stop the others.
func (r *RunReconciler) act(ctx context.Context, s *scope) error {
	if !started(s.run) {
		// The start time bounds the run; it is stored before the first pod exists, and what is measured before the start time.
		if len(s.nodes) == 0 || s.run.Spec.Suspend { // a run that was never let go starts with what there is then
			return nil
		}
		return r.storePin(ctx, s)
	}
	if err := r.storePin(ctx, s); err != nil {
		return err
	}
	grouped := each(s.sortedGroups(), func(g *groupScope) error { return r.storeGroupResult(ctx, g) })
	if s.groupRefused() {
		s.undecided(s.nodes...)
		return grouped
	}
	stored := each(s.nodes, func(n *nodeScope) error { return r.storeResult(ctx, s, n) })
	deleted := each(actions(s.plan, plan.Delete), func(a plan.Action) error {
		if a.Group != "" {
			return r.deleteJob(ctx, s, a)
		}
		return r.deletePod(ctx, s, a)
	})
	swept := each(s.leftovers, func(p *corev1.Pod) error { return r.deleteLeftover(ctx, p) })
	noded := r.actOnNodes(ctx, s)
	pods, jobs := actions(s.plan, plan.Launch), actions(s.plan, plan.Launch)
	pods = slices.DeleteFunc(pods, func(a plan.Action) bool { return a.Group != "" })
	jobs = slices.DeleteFunc(jobs, func(a plan.Action) bool { return a.Group == "" })
	launched := errors.Join(each(pods, func(a plan.Action) error { return r.launch(ctx, s, a) }), r.launchJobs(ctx, s, jobs))
	if launched != nil { // a quota or an admission policy, mostly: nobody would look for it in the operator's log
		r.Recorder.Eventf(s.run, nil, corev1.EventTypeWarning, v1alpha1.ReasonLaunchFailed, "Launch",
			"%s: what the message names holds the run up; it is tried again until the run's deadline", verdict.Clip(launched.Error(), 800))
	}
	return errors.Join(grouped, stored, deleted, swept, noded, launched)
}

func actions(p plan.Plan, kind plan.ActionKind) []plan.Action {
	return slices.DeleteFunc(slices.Clone(p.Actions), func(a plan.Action) bool { return a.Kind != kind })
}

// each runs f for all items, some in parallel, and joins the errors.
func each[T any](items []T, f func(T) error) error {
	errs := make([]error, len(items))
	var g errgroup.Group
	g.SetLimit(writers)
	for i, item := range items {
		g.Go(func() error {
			errs[i] = f(item)
			return nil
		})
	}
	_ = g.Wait()
	return errors.Join(errs...)
}

// storeResult writes what was measured and judged. A conflict means that the cache was old: the next pass has it new.
func (r *RunReconciler) storeResult(ctx context.Context, s *scope, n *nodeScope) error {
	if n.result == n.stored {
		return nil
	}
	next, refused, err := r.writeResult(ctx, n.stored, n.result)
	if err != nil {
		n.unstored = err
		return fmt.Errorf("storing the result of node %s: %w", n.name, err)
	}
	n.stored, n.result = next, next
	if refused {
		s.undecided(n)
	}
	return nil
}

// countAttempts tells the metrics of the attempts that a write has added.
func (r *RunReconciler) countAttempts(before, after *v1alpha1.ValidationResult) {
	old := &nodeScope{result: before}
	for i := range after.Benchmarks {
		b := &after.Benchmarks[i]
		for a := len(old.attempts(b.Name)); a < len(b.Attempts); a++ {
			if b.Attempts[a].Pod != "" { // not the extract of a group's attempt, which counts there
				r.Metrics.AttemptStored(b.Name, &b.Attempts[a])
			}
		}
	}
}

// deletePod removes a pod by name and UID, and only once its attempt is stored, or the run is stopped.
func (r *RunReconciler) deletePod(ctx context.Context, s *scope, a plan.Action) error {
	n, p := s.findPod(a)
	if p == nil {
		return nil
	}
	if p.ended && p.task >= 0 && p.attempt > 0 && n.stored != n.result {
		return nil
	}
	options := []client.DeleteOption{client.Preconditions{UID: &p.pod.UID}}
	if a.Force {
		options = append(options, client.GracePeriodSeconds(0))
	}
	if r.memory.isRemoved(p.pod.UID) && !a.Force {
		return nil
	}
	err := r.Delete(ctx, p.pod.DeepCopy(), options...)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting pod %s: %w", a.Pod, err)
	}
	r.memory.removed(p.pod.UID)
	return nil
}

func (s *scope) findPod(a plan.Action) (*nodeScope, *podScope) {
	n := s.node(a.Node)
	for _, p := range n.pods {
		if p.pod.Name == a.Pod {
			return n, p
		}
	}
	return n, nil
}

// node of the run; nil where it is none.
func (s *scope) node(name string) *nodeScope {
	i, found := slices.BinarySearchFunc(s.nodes, name, func(n *nodeScope, name string) int { return cmp.Compare(n.name, name) })
	if !found {
		return nil
	}
	return s.nodes[i]
}

// launch creates the pod of an attempt. Its name is the attempt's, so that a second try finds the first.
func (r *RunReconciler) launch(ctx context.Context, s *scope, a plan.Action) error {
	n := s.node(a.Node)
	t := s.tasks[slices.IndexFunc(s.tasks, func(t task) bool { return t.name() == a.Benchmark })]
	busy, err := r.busy(ctx, t.benchmark, n.name)
	if err != nil {
		return err
	}
	r.memory.markBusy(n.name, busy, s.now)
	if busy != "" {
		n.occupied = busy
		n.wake(workload.Outcome{LookAgain: s.now.Add(batchDelay)})
		return nil
	}
	if seen, err := r.asSeen(ctx, s.run, resultName(s.run, n.name), n.stored); err != nil || !seen {
		n.wake(workload.Outcome{LookAgain: s.now.Add(batchDelay)})
		return err
	}
	l := workload.Launch{Run: s.run, Benchmark: t.benchmark, Argv: t.argv, Node: n.node, Attempt: a.Attempt}
	if n.validation != nil {
		l.Quarantine = n.validation.Quarantine
	}
	pod := workload.Pod(l, r.Settings)
	err = r.Create(ctx, pod, client.FieldOwner(fieldOwner))
	if apierrors.IsAlreadyExists(err) {
		return r.checkOwner(ctx, s, pod)
	}
	if err != nil {
		return fmt.Errorf("creating the pod of benchmark %s on node %s: %w", t.name(), n.name, err)
	}
	// Only what the cache will hold of it: no pass may see more of a pod that was just made than of one that was read.
	pod.ManagedFields, pod.Spec = nil, corev1.PodSpec{NodeName: pod.Spec.NodeName}
	r.memory.wrote(pod)
	return nil
}

// checkOwner makes sure that a pod which was there already is this run's own.
func (r *RunReconciler) checkOwner(ctx context.Context, s *scope, pod *corev1.Pod) error {
	found := &corev1.Pod{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(pod), found); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !metav1.IsControlledBy(found, s.run) {
		return fmt.Errorf("creating pod %s: somebody else has made a pod of this name in namespace %s: delete it", pod.Name, pod.Namespace)
	}
	return nil
}

// busy looks, live, for pods of others that hold the node's devices. It reads one node's pods just before a launch instead of
// caching all pods of the cluster; the scheduler, which counts devices itself, has the last word.
func (r *RunReconciler) busy(ctx context.Context, b *v1alpha1.Benchmark, node string) (string, error) {
	device := corev1.ResourceName(b.Spec.Needs.DeviceResource)
	if device == "" {
		return "", nil
	}
	var pods corev1.PodList
	if err := r.Live.List(ctx, &pods, client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector("spec.nodeName", node)}); err != nil {
		return "", fmt.Errorf("listing the pods of node %s: %w", node, err)
	}
	for i := range pods.Items {
		p := &pods.Items[i]
		over := p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
		if over || p.Labels[v1alpha1.LabelBenchmark] != "" && p.Namespace == r.Settings.Namespace {
			continue
		}
		for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
			if q, ok := c.Resources.Limits[device]; ok && !q.IsZero() {
				return fmt.Sprintf("pod %s/%s holds %s %s", p.Namespace, p.Name, q.String(), device), nil
			}
		}
	}
	return "", nil
}

// started: the run's start time is stored.
func started(run *v1alpha1.ValidationRun) bool { return run.Status.StartTime != nil }
