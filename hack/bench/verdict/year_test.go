package main

import (
	"math/rand/v2"
	"testing"
)

func seeded(k int) *rand.Rand { return rand.New(rand.NewPCG(7, uint64(k))) }

// TestAHealthyYear: 52 runs by FP64 for 6 seconds, which is nearest to its bounds, and by STREAM fail next to none of 160 nodes.
func TestAHealthyYear(t *testing.T) {
	l := testLab(t)
	var failed, tainted tally
	for _, y := range each(20, func(k int) healthyYear {
		return l.healthyYear(seeded(k), lived, l.named("gemm-fp64"), l.named("stream"))
	}) {
		failed, tainted = failed.plus(y.failed), tainted.plus(y.tainted)
	}
	t.Logf("%d of %d nodes failed, %d were tainted", failed.yes, failed.all, tainted.yes)
	if failed.yes > 1 {
		t.Errorf("%d of %d healthy nodes failed in a year, want at most 1", failed.yes, failed.all)
	}
}

func TestAFleetThatMoves(t *testing.T) {
	l := testLab(t)
	driver, slow := fault{benchmark: "gpustream", where: onNode, size: 0.01}, fault{benchmark: "gpustream", metrics: []string{"hbmTriad"}, size: 0.01}
	for k := range 3 {
		got := l.move(seeded(k), movement{all: driver, more: slow, nodes: 8})
		for i := range got.found {
			if got.found[i].yes == 0 || got.failed[i].yes > 0 {
				t.Errorf("fleet %d, look %d: found %d of %d, failed %d of %d others", k, i+1, got.found[i].yes, got.found[i].all, got.failed[i].yes, got.failed[i].all)
			}
		}
		if got.open.yes > 0 {
			t.Errorf("the breaker was open in %d of %d runs", got.open.yes, got.open.all)
		}
	}
}

// TestHalfAFleetThatMoves fails until somebody accepts the loss, and its really slow node fails then, too.
func TestHalfAFleetThatMoves(t *testing.T) {
	l := testLab(t)
	half := movement{all: fault{benchmark: "gpustream", where: onNode, size: 0.01}, more: fault{benchmark: "gpustream", metrics: []string{"hbmTriad"}, size: 0.02}, nodes: 4, accepted: true}
	for k := range 2 {
		got := l.move(seeded(k), half)
		for i, failed := range [len(looks)]int{4, 0, 0} {
			if got.failed[i].yes != failed || got.found[i].yes != 1 {
				t.Errorf("fleet %d, look %d: %d of %d others failed, want %d; the slow one was found: %v", k, i+1, got.failed[i].yes, got.failed[i].all, failed, got.found[i].yes == 1)
			}
		}
	}
}

func TestWhatALoneNodeLosesIsFound(t *testing.T) {
	l := testLab(t)
	for _, benchmark := range []string{"collectives", "stream", "dgemm", "hpl"} {
		f := fault{benchmark: benchmark, where: onNode, size: 0.2}
		if week := l.weekFound(seeded(1), setup{nodes: 1, gpus: 8}, &f, fromWeek); week != 1 {
			t.Errorf("%s: found in week %d", benchmark, week)
		}
	}
}
