package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const (
	// changes of one node that a pass is averaged over: the kernel counts processor time in hundredths of a second.
	changes = 20
	// joining nodes.
	joining = 1000
	// changedDriver makes a node due.
	changedDriver = "590.10.01"
)

// measurePolicy is what a policy over all nodes costs that hold a valid pass: while nothing happens, when one node changes, and when many
// join at once and wait at the gate.
func (b *bench) measurePolicy(ctx context.Context, idle time.Duration) error {
	begin := time.Now()
	nodes, err := b.validNodes(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%d NodeValidations created in %.0f s\n", len(nodes), time.Since(begin).Seconds())
	counter, err := newCounter(b.config)
	if err != nil {
		return err
	}
	defer counter.close()
	m, err := b.startManager(ctx, counter.url(), b.dir)
	if err != nil {
		return err
	}
	defer func() { m.stop() }()
	p, err := b.enforce(ctx)
	if err != nil {
		return err
	}
	start, err := m.atRest(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("\n%d nodes under one policy of %d benchmarks, all valid\n", len(nodes), len(p.Spec.Benchmarks))
	fmt.Printf("  started              %6.0f MB peak RSS (%s), %.1f s of CPU\n", start.rssMB, b.goals.most(600, start.rssMB, "memory after the start"), start.cpuSeconds)
	rate, err := b.idle(ctx, m, counter, idle)
	if err != nil {
		return err
	}
	if err := b.changeOne(ctx, m, p, &nodes[len(nodes)/2], rate); err != nil {
		return err
	}
	m.stop()
	if m, err = b.restart(ctx, counter, p, &nodes[len(nodes)/2]); err != nil {
		return err
	}
	return b.join(ctx, m, counter, p)
}

// restart starts an operator, and measures how long it takes until it acts on what happened while there was none.
func (b *bench) restart(ctx context.Context, c *counter, p *v1alpha1.ValidationPolicy, n *corev1.Node) (*process, error) {
	if err := b.label(ctx, n, changedDriver); err != nil {
		return nil, err
	}
	begin := time.Now()
	m, err := b.startManager(ctx, c.url(), b.dir)
	if err != nil {
		return nil, err
	}
	if err := b.untilPolicy(ctx, p, func(s *v1alpha1.ValidationPolicyStatus) bool { return s.Nodes.Due == 1 }); err != nil {
		return m, err
	}
	acts := time.Since(begin).Seconds()
	fmt.Printf("  restarted            %6.1f s until it acts (%s)\n", acts, b.goals.most(20, acts, "restart"))
	if err := b.label(ctx, n, ""); err != nil {
		return m, err
	}
	return m, b.untilPolicy(ctx, p, func(s *v1alpha1.ValidationPolicyStatus) bool { return s.Nodes.Due == 0 })
}

// idle is how much CPU the operator uses in a second in which nothing happens.
func (b *bench) idle(ctx context.Context, m *process, c *counter, span time.Duration) (rate float64, err error) {
	c.reset()
	before, err := m.usage()
	if err != nil {
		return 0, err
	}
	select {
	case <-time.After(span):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	after, err := m.usage()
	rate = (after.cpuSeconds - before.cpuSeconds) / span.Seconds()
	fmt.Printf("  idle for %-9s   %6.2f%% of a core (%s), %d writes (%s)\n", span, 100*rate, b.goals.most(0.1, 100*rate, "idle"),
		c.writes(), b.goals.most(0, float64(c.writes()), "writes while idle"))
	for _, line := range c.table(1) {
		fmt.Println("    " + line)
	}
	return rate, err
}

// changeOne gives one node a driver, and takes it away again, as often as it takes to measure what one pass costs.
func (b *bench) changeOne(ctx context.Context, m *process, p *v1alpha1.ValidationPolicy, n *corev1.Node, idle float64) error {
	before, err := m.usage()
	if err != nil {
		return err
	}
	start := time.Now()
	for i := range changes {
		driver, due := "", int32(i+1)%2
		if due == 1 {
			driver = changedDriver
		}
		if err := b.label(ctx, n, driver); err != nil {
			return err
		}
		if err := b.untilPolicy(ctx, p, func(s *v1alpha1.ValidationPolicyStatus) bool { return s.Nodes.Due == due }); err != nil {
			return err
		}
	}
	after, err := m.usage()
	each := (after.cpuSeconds - before.cpuSeconds - idle*time.Since(start).Seconds()) / changes
	fmt.Printf("  one node changes     %6.0f ms of CPU for the pass (%s), mean of %d\n", 1000*each, b.goals.most(20, 1000*each, "one node changes"), changes)
	return err
}

// join lets nodes join that wait at the gate, and measures how they are let in.
func (b *bench) join(ctx context.Context, m *process, c *counter, p *v1alpha1.ValidationPolicy) error {
	p.Spec.Benchmarks = []v1alpha1.BenchmarkRef{{Name: "stub"}} // as bench-operator: writes are counted for one benchmark a node
	if err := b.Update(ctx, p); err != nil {
		return fmt.Errorf("leaving one benchmark in the policy: %w", err)
	}
	if err := b.untilPolicy(ctx, p, func(s *v1alpha1.ValidationPolicyStatus) bool { return s.ObservedGeneration == p.Generation }); err != nil {
		return err
	}
	before, err := m.atRest(ctx)
	if err != nil {
		return err
	}
	c.reset()
	waited, last, err := b.admit(ctx)
	if err != nil {
		return err
	}
	runs, err := b.policyRuns(ctx, p)
	if err != nil {
		return err
	}
	after, err := m.atRest(ctx)
	if err != nil {
		return err
	}
	measured := span(runs)
	middle, longest, writes := median(waited).Seconds(), slices.Max(waited).Seconds(), float64(c.writes())/joining
	fmt.Printf("  %d gated nodes join: admitted after %.0f s (median, %s), %.0f s (last, %s); %d runs over %.0f s\n", joining, middle,
		b.goals.most(45, middle, "median admission"), longest, b.goals.most(120, longest, "last admission"), len(runs), measured.ends.Sub(measured.begins).Seconds())
	fmt.Printf("  gate behind its run  %6.1f s from the end of the last run to the last gate\n", last.Sub(measured.ends).Seconds())
	fmt.Printf("  operator             %6.0f MB peak RSS (%s), %.1f s of CPU\n", after.rssMB, b.goals.most(600, after.rssMB, "memory"), after.cpuSeconds-before.cpuSeconds)
	fmt.Printf("  API writes per node  %6.2f (%s)\n", writes, b.goals.most(7, writes, "writes"))
	for _, line := range c.table(joining) {
		fmt.Println("    " + line)
	}
	return nil
}

// policyRuns waits until the runs of the policy are over.
func (b *bench) policyRuns(ctx context.Context, p *v1alpha1.ValidationPolicy) ([]v1alpha1.ValidationRun, error) {
	if err := b.untilPolicy(ctx, p, func(s *v1alpha1.ValidationPolicyStatus) bool { return s.Nodes.Validating == 0 && s.Nodes.Due == 0 }); err != nil {
		return nil, err
	}
	var runs v1alpha1.ValidationRunList
	if err := b.List(ctx, &runs, client.MatchingLabels{v1alpha1.LabelPolicy: p.Name}); err != nil {
		return nil, fmt.Errorf("listing the runs of the policy: %w", err)
	}
	return runs.Items, nil
}

// lasted is from when the first run was created to when the last one was over.
type lasted struct{ begins, ends time.Time }

func span(runs []v1alpha1.ValidationRun) (all lasted) {
	for i := range runs {
		if at := runs[i].CreationTimestamp.Time; all.begins.IsZero() || at.Before(all.begins) {
			all.begins = at
		}
		if end := runs[i].Status.CompletionTime; end != nil && end.After(all.ends) {
			all.ends = end.Time
		}
	}
	return all
}
