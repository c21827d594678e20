package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
)

// measureDevices checks that exactly the slow GPUs go out of service, whatever happens to operator and nodes, and measures how soon.
func (b *bench) measureDevices(ctx context.Context, samples, restarts int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := b.prepareGPUs(ctx); err != nil {
		return err
	}
	f, err := b.gpuFleet(ctx)
	if err != nil {
		return err
	}
	program := &gpuProgram{gpuFleet: f, ended: map[string]bool{}}
	if f.seen, err = f.watch(ctx, func(pod *corev1.Pod) { program.see(ctx, pod) }); err != nil {
		return err
	}
	if f.operator, err = b.startManager(ctx, b.config.Host, ""); err != nil {
		return err
	}
	defer func() { f.operator.stop() }()
	fmt.Printf("%d nodes of %d GPUs by a DRA driver\n", len(f.all), gpusPerNode)
	if err := f.fleetRun(ctx); err != nil {
		return err
	}
	if samples > 0 {
		out, back, err := f.oneByOne(ctx, samples)
		if err != nil {
			return err
		}
		printWay("one after the other", out, func(p95 time.Duration) string { return " (p95: " + f.goals.most(2, p95.Seconds(), "refusal") + " s)" })
		fmt.Printf("  back in service      %s from the stored pass until the pod that waits for the GPU is scheduled\n", spread(back))
	}
	if restarts > 0 {
		took, err := f.restarted(ctx, restarts)
		if err != nil {
			return err
		}
		fmt.Printf("  %4d restarts        %s after the operator was ready and the run over, exactly the slow GPUs were out\n", restarts, spread(took))
		for _, what := range slices.Sorted(maps.Keys(f.happened)) {
			fmt.Printf("    %4d %s\n", f.happened[what], what)
		}
	}
	return f.everyDevice(ctx)
}

// fleetRun measures all nodes, of which some have a slow GPU.
func (f *gpuFleet) fleetRun(ctx context.Context) error {
	ill := f.some(f.slowNodes, func(n *gpuNode) bool { return len(f.slowOf(n)) == 0 })
	for _, n := range ill {
		n.out = []string{n.gpus[f.random.IntN(gpusPerNode)]}
		f.setSlow(n.out[0], true)
	}
	before, err := f.operator.usage()
	if err != nil {
		return err
	}
	start := time.Now()
	run, err := f.runOn(ctx, "fleet")
	if err != nil {
		return err
	}
	var g errgroup.Group
	ways := make([]waiter, len(ill))
	for i, n := range ill {
		g.Go(func() (err error) {
			ways[i], err = f.follow(ctx, run.Name, n.node.Name, n.out[0])
			return err
		})
	}
	if err := f.over(ctx, run, len(ill)); err != nil {
		return err
	}
	took := time.Since(start)
	if err := g.Wait(); err != nil {
		return err
	}
	if _, err := f.exact(ctx); err != nil {
		return err
	}
	after, err := f.operator.usage()
	if err != nil {
		return err
	}
	fmt.Printf("  a run over all       %.1f s, %.1f s of the operator's CPU, %.0f MB peak RSS: %d GPUs are out by as many rules, and no node\n",
		took.Seconds(), after.cpuSeconds-before.cpuSeconds, after.rssMB, len(ill))
	var all []sample
	for _, w := range ways {
		all = append(all, w.sample)
		if err := f.leave(ctx, w.asker); err != nil {
			return err
		}
	}
	printWay("in that run", all, func(time.Duration) string { return "" }) // the scheduler has other pods of the run before
	return nil
}

// printWay of slow GPUs; goal judges the 95th percentile of the last step.
func printWay(when string, all []sample, goal func(time.Duration) string) {
	if len(all) == 0 {
		return
	}
	var mark, rule, refused, answer []time.Duration
	tooSoon := 0
	for _, s := range all {
		tooSoon += s.tooSoon
		mark, rule = append(mark, s.mark), append(rule, s.rule)
		refused, answer = append(refused, s.refused), append(answer, s.answer)
	}
	fmt.Printf("  %s (%d), from the stored verdict: p50, p95, and the longest\n", when, len(all))
	fmt.Printf("    to the mark        %s\n", spread(mark))
	fmt.Printf("    to the rule        %s\n", spread(rule))
	fmt.Printf("    to the refusal     %s%s\n", spread(refused), goal(quantile(refused, 0.95)))
	fmt.Printf("    the scheduler's    %s of it; %d pods got a GPU after its rule was there, and before the scheduler knew\n", spread(answer), tooSoon)
}

// quantile by nearest rank.
func quantile(d []time.Duration, q float64) time.Duration {
	s := slices.Sorted(slices.Values(d))
	return s[max(0, int(math.Ceil(q*float64(len(s))))-1)]
}

func spread(d []time.Duration) string {
	return fmt.Sprintf("%5d, %5d, %5d ms", quantile(d, 0.5).Milliseconds(), quantile(d, 0.95).Milliseconds(), slices.Max(d).Milliseconds())
}

// everyDevice checks that the scheduler gives each GPU to a pod but those that are out of service.
func (f *gpuFleet) everyDevice(ctx context.Context) error {
	var g errgroup.Group
	g.SetLimit(creators)
	out := 0
	for _, n := range f.all {
		bad := len(slices.DeleteFunc(slices.Clone(n.gpus), func(uuid string) bool { return !slices.Contains(n.out, uuid) }))
		out += bad
		g.Go(func() error {
			if bad > 0 {
				if _, err := f.ask(ctx, "more-"+n.node.Name, gpusPerNode-int64(bad)+1, "", n.node.Name); err != nil {
					return err
				}
				if _, err := f.seen.await(ctx, sawRefused, "more-"+n.node.Name); err != nil {
					return err
				}
			}
			_, err := f.ask(ctx, "all-"+n.node.Name, gpusPerNode-int64(bad), "", n.node.Name)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, n := range f.all {
		if _, err := f.seen.await(ctx, sawScheduled, "all-"+n.node.Name); err != nil {
			return err
		}
		if at := f.seen.of(sawScheduled, "more-"+n.node.Name); !at.IsZero() {
			return fmt.Errorf("a pod got a GPU of %s that is out of service", n.node.Name)
		}
	}
	fmt.Printf("  at last              pods got %d GPUs, and none got one of the %d that are out\n", len(f.all)*gpusPerNode-out, out)
	return nil
}
