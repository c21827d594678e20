package controllers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/plan"
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
	if f := run.Spec.OnFailure; f != nil && f.Taint != nil {
		s.taintRefused = r.Policy.Refuses(failureTaint(run))
		if s.taintRefused != "" && !started(run) { // one that has started goes on, and taints nobody
			return nil, invalidf("%s", s.taintRefused)
		}
	}
	if err := r.observeCatalogue(ctx, s); err != nil {
		return nil, err
	}
	if err := r.observeNodes(ctx, s); err != nil {
		return nil, err
	}
	return s, nil
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
	names := slices.Sorted(maps.Keys(byName))
	if err := r.readValidations(ctx, s.run, names); err != nil {
		return err
	}
	for _, name := range names {
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
	s.clusterNodes = len(all.Items)
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
	results, err := r.resultsOf(ctx, s.run, s.now)
	if err != nil {
		return err
	}
	for _, v := range results {
		if v.Group != nil {
			s.observeGroupResult(v)
			continue
		}
		n, err := r.adopt(ctx, byName, v.Node.Name)
		if err != nil {
			return err
		}
		n.stored, n.result = v, v
	}
	return nil
}

// completeNode adds what is known of a node itself.
func (r *RunReconciler) completeNode(ctx context.Context, s *scope, n *nodeScope) error {
	n.facts = nodeFacts(n)
	s.groupFacts(n)
	n.unmet = make([]string, len(s.tasks))
	var err error
	if n.validation, err = r.nodeValidation(ctx, n.name); err != nil {
		return err
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
