package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const (
	// patience with what is to happen at once.
	patience = time.Minute
	// mostSlow GPUs of a node: more are the node as a whole.
	mostSlow = 3
)

// restarted kills the operator so many times amid a run, while things happen to machines, and checks after each time that exactly the slow GPUs are out of
// service. It says how long that took once the operator was ready and the run over.
func (f *gpuFleet) restarted(ctx context.Context, times int) (took []time.Duration, err error) {
	due := map[*gpuNode]bool{}
	for i := range times {
		measured := slices.Concat(f.worsen(), f.some(10, func(*gpuNode) bool { return true }), slices.Collect(maps.Keys(due)))
		slices.SortFunc(measured, func(a, b *gpuNode) int { return strings.Compare(a.node.Name, b.node.Name) })
		clear(due)
		t, err := f.restart(ctx, fmt.Sprintf("restart-%d", i), slices.Compact(measured), due)
		if err != nil {
			return took, fmt.Errorf("restart %d: %w", i+1, err)
		}
		took = append(took, t)
	}
	return took, nil
}

// restart the operator amid a run over these nodes. Things happen before, while there is none, and as it starts.
func (f *gpuFleet) restart(ctx context.Context, name string, measured []*gpuNode, due map[*gpuNode]bool) (time.Duration, error) {
	run, err := f.runOn(ctx, name, measured...)
	if err != nil {
		return 0, err
	}
	happen := func(times int) func() error { return func() error { return f.happen(ctx, times, measured, due) } }
	for _, step := range []func() error{
		happen(3), func() error { return f.interrupt(ctx, run) },
		happen(3), func() (err error) { f.operator, err = f.startManager(ctx, f.config.Host, ""); return err },
		happen(2),
	} {
		if err := step(); err != nil {
			return 0, err
		}
	}
	failed := 0
	for _, n := range measured {
		if n.out = f.slowOf(n); len(n.out) > 0 {
			failed++
		}
	}
	if err := f.over(ctx, run, failed); err != nil {
		return 0, err
	}
	took, err := f.exact(ctx)
	return took, errors.Join(err, f.Delete(ctx, run))
}

// interrupt a run at some moment.
func (f *gpuFleet) interrupt(ctx context.Context, run *v1alpha1.ValidationRun) error {
	time.Sleep(time.Duration(f.random.IntN(2000)) * time.Millisecond)
	if err := f.Get(ctx, client.ObjectKeyFromObject(run), run); err != nil {
		return fmt.Errorf("reading run %s: %w", run.Name, err)
	}
	if !run.Finished() {
		f.happened["runs interrupted"]++
	}
	f.operator.kill()
	return nil
}

// some nodes, drawn.
func (f *gpuFleet) some(count int, is func(*gpuNode) bool) (drawn []*gpuNode) {
	for _, i := range f.random.Perm(len(f.all)) {
		if n := f.all[i]; len(drawn) < count && is(n) {
			drawn = append(drawn, n)
		}
	}
	return drawn
}

// happen so many things to nodes that are not being measured, most of them to those where a GPU is out. They are due for the next run.
func (f *gpuFleet) happen(ctx context.Context, times int, measured []*gpuNode, due map[*gpuNode]bool) error {
	for i := range times {
		one := f.some(1, func(n *gpuNode) bool { return !slices.Contains(measured, n) && (len(n.out) > 0 || i%2 == 1) })
		if len(one) == 0 {
			continue
		}
		due[one[0]] = true
		if err := f.happens(ctx, one[0]); err != nil {
			return err
		}
	}
	return nil
}

// happens one thing to a node.
func (f *gpuFleet) happens(ctx context.Context, n *gpuNode) error {
	slot := f.random.IntN(gpusPerNode)
	if len(n.out) > 0 {
		slot = max(0, slices.Index(n.gpus, n.out[0]))
	}
	things := []struct {
		what string
		do   func() error
	}{
		{"nodes lost and made again", func() error { return f.lose(ctx, n) }},
		{"nodes numbered otherwise", func() error {
			f.random.Shuffle(len(n.gpus), func(i, j int) { n.gpus[i], n.gpus[j] = n.gpus[j], n.gpus[i] })
			return f.publish(ctx, n)
		}},
		{"GPUs replaced", func() error { return f.replace(ctx, n, slot) }},
		{"drivers restarted", func() error { return errors.Join(f.withdraw(ctx, n), f.publish(ctx, n)) }},
		{"rules deleted by hand", func() error { return f.deleteRules(ctx, n) }},
		{"GPUs repaired", func() error { f.setSlow(n.gpus[slot], false); return nil }},
	}
	if len(n.out) == 0 {
		things = things[:4] // it has no rule, and nothing to repair
	}
	thing := things[f.random.IntN(len(things))]
	f.happened[thing.what]++
	return thing.do()
}

// worsen GPUs until as many nodes as at first have a slow one; now and then one of these gets another. It returns the nodes that are worse.
func (f *gpuFleet) worsen() (worse []*gpuNode) {
	ill := f.some(len(f.all), func(n *gpuNode) bool { return len(f.slowOf(n)) > 0 })
	worse = f.some(f.slowNodes-len(ill), func(n *gpuNode) bool { return !slices.Contains(ill, n) })
	if f.random.IntN(3) == 0 {
		worse = append(worse, f.some(1, func(n *gpuNode) bool { return slices.Contains(ill, n) && len(f.slowOf(n)) < mostSlow })...)
	}
	for _, n := range worse {
		f.setSlow(n.gpus[f.random.IntN(gpusPerNode)], true)
		f.happened["GPUs become slow"]++
	}
	return worse
}

func (f *gpuFleet) deleteRules(ctx context.Context, n *gpuNode) error {
	all, err := f.rules(ctx)
	for _, r := range all {
		if r.Annotations[v1alpha1.AnnotationNode] == n.node.Name {
			err = errors.Join(err, client.IgnoreNotFound(f.Delete(ctx, &r)))
		}
	}
	return err
}

func (f *gpuFleet) rules(ctx context.Context) ([]resourcev1.DeviceTaintRule, error) {
	var list resourcev1.DeviceTaintRuleList
	if err := f.List(ctx, &list); err != nil {
		return nil, fmt.Errorf("listing the rules: %w", err)
	}
	return list.Items, nil
}

// exact waits until exactly those GPUs have a rule that are to be out of service, and no node has a taint. It says how long that took.
func (f *gpuFleet) exact(ctx context.Context) (time.Duration, error) {
	begin, wrong := time.Now(), ""
	var want []string
	for _, n := range f.all {
		for i, uuid := range n.gpus {
			if slices.Contains(n.out, uuid) {
				want = append(want, fmt.Sprintf("%s/%s %s", n.node.Name, gpuName(i), uuid))
			}
		}
	}
	slices.Sort(want)
	err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		all, err := f.rules(ctx)
		if err != nil {
			return false, err
		}
		var is []string
		for _, r := range all {
			s := r.Spec.DeviceSelector
			is = append(is, fmt.Sprintf("%s/%s %s", ptr.Deref(s.Pool, "*"), ptr.Deref(s.Device, "*"), r.Annotations[v1alpha1.AnnotationDevice]))
		}
		slices.Sort(is)
		wrong = differ(is, want)
		return wrong == "", nil
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", wrong, err)
	}
	took := time.Since(begin)
	if wrong := f.seen.wrongRules(); wrong != "" {
		return took, errors.New(wrong)
	}
	return took, f.noTaints(ctx)
}

// differ says what is there too much and what is missing.
func differ(is, want []string) string {
	without := func(a, b []string) []string {
		return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
	}
	if slices.Equal(is, want) {
		return ""
	}
	return fmt.Sprintf("of %d rules that there should be, %q are missing, and %q are too many", len(want), without(want, is), without(is, want))
}

func (f *gpuFleet) noTaints(ctx context.Context) error {
	var nodes corev1.NodeList
	if err := f.List(ctx, &nodes, client.MatchingLabels{"type": "kwok"}); err != nil {
		return fmt.Errorf("listing the nodes: %w", err)
	}
	for _, n := range nodes.Items {
		for _, t := range n.Spec.Taints {
			if strings.HasPrefix(t.Key, "assay.dev/") {
				return fmt.Errorf("node %s is tainted as a whole: %s", n.Name, t.ToString())
			}
		}
	}
	return nil
}
