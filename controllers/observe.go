package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/plan"
	"github.com/assay-dev/assay/internal/verdict"
	"github.com/assay-dev/assay/internal/workload"
)

// errInvalid marks what only a person can put right: the spec refers to what does not exist, or sets what is not allowed.
var errInvalid = errors.New("")

func invalidf(format string, args ...any) error {
	return fmt.Errorf("%w"+format, append([]any{errInvalid}, args...)...)
}

// shared lets a list return the cache's own objects: thousands of results are read in every pass, and none is changed.
const shared = client.UnsafeDisableDeepCopyOption(true)

// observe reads everything that one pass needs.
func (r *RunReconciler) observe(ctx context.Context, run *v1alpha1.ValidationRun) (*scope, error) {
	s := &scope{run: run, now: r.Clock.Now(), groups: map[string]*groupScope{}}
	s.started = s.now
	if run.Status.StartTime != nil && !run.Spec.Suspend && !resumed(run) {
		s.started = run.Status.StartTime.Time
	}
	s.deadline = s.started.Add(time.Duration(*run.Spec.ActiveDeadlineSeconds) * time.Second)
	if err := r.observeTasks(ctx, s); err != nil {
		return nil, err
	}
	if err := r.observeNodes(ctx, s); err != nil {
		return nil, err
	}
	return s, nil
}

// observeTasks resolves the run's benchmarks, cheapest first.
func (r *RunReconciler) observeTasks(ctx context.Context, s *scope) error {
	var all v1alpha1.BenchmarkList
	if err := r.List(ctx, &all); err != nil {
		return fmt.Errorf("listing Benchmarks: %w", err)
	}
	refs := s.run.Spec.Benchmarks
	if suite := s.run.Spec.Suite; suite != "" {
		refs = nil
		for _, b := range all.Items {
			if slices.Contains(b.Spec.Suites, suite) {
				refs = append(refs, v1alpha1.BenchmarkRef{Name: b.Name})
			}
		}
		if len(refs) == 0 {
			return invalidf("no Benchmark lists the suite %q: choose one that `kubectl get benchmarks` shows", suite)
		}
	}
	for _, ref := range refs {
		i := slices.IndexFunc(all.Items, func(b v1alpha1.Benchmark) bool { return b.Name == ref.Name })
		if i < 0 {
			return invalidf("there is no Benchmark %q: choose one that `kubectl get benchmarks` shows, or install it", ref.Name)
		}
		t, err := newTask(&all.Items[i], ref)
		if err != nil {
			return invalidf("%s", err)
		}
		s.tasks = append(s.tasks, t)
	}
	slices.SortStableFunc(s.tasks, func(a, b task) int {
		return cmp.Or(cmp.Compare(a.benchmark.Spec.CostSeconds, b.benchmark.Spec.CostSeconds), cmp.Compare(a.name(), b.name()))
	})
	return nil
}

func newTask(b *v1alpha1.Benchmark, ref v1alpha1.BenchmarkRef) (task, error) {
	argv, err := workload.Arguments(b, ref.Parameters)
	if err != nil {
		return task{}, err
	}
	metrics, err := verdict.EffectiveMetrics(b, ref.Expectations)
	if err != nil {
		return task{}, err
	}
	return task{benchmark: b, argv: argv, metrics: metrics, configuration: workload.Configuration(b, argv)}, nil
}

// observeNodes resolves the run's nodes together with their pods, results and history.
func (r *RunReconciler) observeNodes(ctx context.Context, s *scope) error {
	byName, err := r.selectNodes(ctx, s)
	if err != nil {
		return err
	}
	if err := r.observeResults(ctx, s, byName); err != nil {
		return err
	}
	if err := r.observeJobs(ctx, s); err != nil {
		return err
	}
	for _, g := range s.groups { // what took part is part of the run, whatever became of it
		for _, ref := range g.nodes {
			if _, err := r.adopt(ctx, byName, ref.Name); err != nil {
				return err
			}
		}
	}
	s.indexGroups()
	if err := r.observePods(ctx, s, byName); err != nil {
		return err
	}
	s.observeOperator()
	if err := r.observeComplaints(ctx, s); err != nil {
		return err
	}
	var profiles v1alpha1.HardwareProfileList
	if err := r.List(ctx, &profiles, shared); err != nil {
		return fmt.Errorf("listing HardwareProfiles: %w", err)
	}
	s.profiles, s.badProfiles = verdict.ReadProfiles(profiles.Items)
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		n := byName[name]
		if err := r.completeNode(ctx, s, n); err != nil {
			return err
		}
		s.nodes = append(s.nodes, n)
	}
	return nil
}

// selectNodes returns the nodes that the spec names or selects now. A node that joined after the run started is not part of it.
func (r *RunReconciler) selectNodes(ctx context.Context, s *scope) (map[string]*nodeScope, error) {
	var all corev1.NodeList
	if err := r.List(ctx, &all, shared); err != nil {
		return nil, fmt.Errorf("listing nodes: %w", err)
	}
	selector, err := metav1.LabelSelectorAsSelector(s.run.Spec.NodeSelector)
	if err != nil {
		return nil, invalidf("spec.nodeSelector cannot be used: %s", err)
	}
	out := map[string]*nodeScope{}
	for _, name := range s.run.Spec.NodeNames {
		out[name] = &nodeScope{name: name}
	}
	for i := range all.Items {
		node := fresh(r.memory, &all.Items[i])
		joined := s.run.Status.StartTime != nil && node.CreationTimestamp.After(s.run.Status.StartTime.Time)
		if n := out[node.Name]; n != nil {
			n.node = node
		} else if s.run.Spec.NodeSelector != nil && selector.Matches(labels.Set(node.Labels)) && !joined {
			out[node.Name] = &nodeScope{name: node.Name, node: node}
		}
	}
	return out, nil
}

// adopt returns the node of this name, adding it where the run has measured it before but does not select it any more.
func (r *RunReconciler) adopt(ctx context.Context, byName map[string]*nodeScope, name string) (*nodeScope, error) {
	if n := byName[name]; n != nil {
		return n, nil
	}
	n := &nodeScope{name: name}
	node := &corev1.Node{}
	if err := r.Get(ctx, client.ObjectKey{Name: name}, node); client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("getting node %s: %w", name, err)
	} else if err == nil {
		n.node = node
	}
	byName[name] = n
	return n, nil
}

func (r *RunReconciler) observeResults(ctx context.Context, s *scope, byName map[string]*nodeScope) error {
	var results v1alpha1.ValidationResultList
	if err := r.List(ctx, &results, client.MatchingFields{indexRunUID: string(s.run.UID)}, shared); err != nil {
		return fmt.Errorf("listing ValidationResults: %w", err)
	}
	seen := map[string]bool{}
	add := func(v *v1alpha1.ValidationResult) error {
		seen[v.Name] = true
		if v.Group != nil {
			s.observeGroupResult(fresh(r.memory, v))
			return nil
		}
		n, err := r.adopt(ctx, byName, v.Node.Name)
		if err == nil {
			n.stored = fresh(r.memory, v)
			n.result = n.stored
		}
		return err
	}
	for i := range results.Items {
		if err := add(&results.Items[i]); err != nil {
			return err
		}
	}
	mine := func(v *v1alpha1.ValidationResult) bool { return v.Run.UID == s.run.UID }
	for _, v := range unseen(r.memory, mine, func(v *v1alpha1.ValidationResult) bool { return seen[v.Name] }) {
		if err := add(v); err != nil {
			return err
		}
	}
	return nil
}

// observePods sorts the pods of the benchmark namespace: the run's own to their tasks; those of other runs occupy a node.
func (r *RunReconciler) observePods(ctx context.Context, s *scope, byName map[string]*nodeScope) error {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(r.Settings.Namespace), shared); err != nil {
		return fmt.Errorf("listing benchmark pods: %w", err)
	}
	seen := map[string]bool{}
	for i := range pods.Items {
		// fresh also forgets a pod once the cache has it: a pod that somebody deletes later is gone, not on its way.
		pod := fresh(r.memory, &pods.Items[i])
		seen[pod.Name] = true
		if err := r.placePod(ctx, s, byName, pod); err != nil {
			return err
		}
	}
	ours := func(*corev1.Pod) bool { return true }
	for _, pod := range unseen(r.memory, ours, func(p *corev1.Pod) bool { return seen[p.Name] }) {
		if err := r.placePod(ctx, s, byName, pod); err != nil {
			return err
		}
	}
	return nil
}

func (r *RunReconciler) placePod(ctx context.Context, s *scope, byName map[string]*nodeScope, pod *corev1.Pod) error {
	if owner := metav1.GetControllerOf(pod); owner == nil || owner.Kind != "ValidationRun" {
		s.placeJobPod(byName, pod)
		return nil
	}
	name := pod.Annotations[v1alpha1.AnnotationNode]
	if !metav1.IsControlledBy(pod, s.run) {
		over := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		if n := byName[name]; n != nil && !over {
			n.occupied = fmt.Sprintf("waiting for run %s, which measures this node", pod.Labels[v1alpha1.LabelRunName])
		}
		return nil
	}
	n, err := r.adopt(ctx, byName, name)
	if err != nil {
		return err
	}
	attempt, _ := strconv.ParseInt(pod.Annotations[v1alpha1.AnnotationAttempt], 10, 32)
	p := &podScope{pod: pod, attempt: int32(attempt), task: slices.IndexFunc(s.tasks, func(t task) bool {
		return t.name() == pod.Labels[v1alpha1.LabelBenchmark]
	})}
	n.pods = append(n.pods, p)
	return nil
}

// completeNode adds what is known of a node itself.
func (r *RunReconciler) completeNode(ctx context.Context, s *scope, n *nodeScope) error {
	n.facts = nodeFacts(n)
	s.groupFacts(n)
	n.unmet = make([]string, len(s.tasks))
	validation := &v1alpha1.NodeValidation{}
	err := r.Get(ctx, client.ObjectKey{Name: n.name}, validation, client.UnsafeDisableDeepCopyOption(true))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("getting NodeValidation %s: %w", n.name, err)
	}
	if err == nil {
		n.validation = fresh(r.memory, validation)
	}
	if n.node == nil {
		return nil
	}
	if n.occupied == "" {
		valid := plan.BusyRecheck
		if s.run.Spec.BusyNodes == v1alpha1.BusySkip {
			valid = memoryLimit // a node that was skipped must not come and go
		}
		n.occupied = r.memory.busyMessage(n.name, s.now, valid)
	}
	n.peaks = s.profiles.Peaks(n.node.Labels)
	for i, t := range s.tasks {
		if n.unmet[i], err = unmet(t.benchmark, n.node); err != nil {
			return invalidf("Benchmark %s: spec.needs.nodeSelector cannot be used: %s", t.name(), err)
		}
	}
	return nil
}

// groupFacts adds what the groups that the node took part in tell of it.
func (s *scope) groupFacts(n *nodeScope) {
	for _, uid := range s.index.nodes[n.name] {
		n.facts.Lost = n.facts.Lost || n.node == nil
		n.facts.Recreated = n.facts.Recreated || n.node != nil && n.node.UID != uid
	}
}

// nodeFacts reads a node the way the planner wants it.
func nodeFacts(n *nodeScope) plan.Facts {
	began := n.stored != nil || len(n.pods) > 0
	if n.node == nil {
		return plan.Facts{Lost: began}
	}
	f := plan.Facts{Exists: true, Cordoned: n.node.Spec.Unschedulable, NotReadySince: n.node.CreationTimestamp.Time}
	for _, c := range n.node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			f.Ready, f.NotReadySince = c.Status == corev1.ConditionTrue, c.LastTransitionTime.Time
		}
	}
	for _, t := range n.node.Spec.Taints {
		if strings.HasPrefix(t.Key, "node-role.kubernetes.io/") && t.Effect != corev1.TaintEffectPreferNoSchedule {
			f.ReservedBy = t.Key
		}
	}
	f.Recreated = n.stored != nil && n.stored.Node.UID != n.node.UID
	for _, p := range n.pods {
		f.Recreated = f.Recreated || p.pod.Annotations[v1alpha1.AnnotationNodeUID] != string(n.node.UID)
	}
	return f
}

// unmet says what a node lacks for a benchmark.
func unmet(b *v1alpha1.Benchmark, node *corev1.Node) (string, error) {
	if sel := b.Spec.Needs.NodeSelector; sel != nil {
		selector, err := metav1.LabelSelectorAsSelector(sel)
		if err != nil {
			return "", err
		}
		if !selector.Matches(labels.Set(node.Labels)) {
			return fmt.Sprintf("benchmark %s needs a node with labels %s", b.Name, selector), nil
		}
	}
	if b.Spec.Needs.DeviceResource == "" {
		return "", nil
	}
	least := int64(1)
	if b.Spec.Needs.MinDevices != nil {
		least = int64(*b.Spec.Needs.MinDevices)
	}
	if have := workload.Devices(b, node); have.Value() < least {
		return fmt.Sprintf("benchmark %s needs %d %s, the node offers %d", b.Name, least, b.Spec.Needs.DeviceResource, have.Value()), nil
	}
	return "", nil
}
