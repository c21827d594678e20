package policy

import (
	"context"
	"slices"
	"time"

	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/policy"
)

const (
	// looksPerSecond bounds, over time, how often the pods of a node are listed.
	looksPerSecond = 5
	// keepLook is how long a look is remembered: policy.Next asks for a new one long before.
	keepLook = 20 * time.Minute
)

// take as many looks as there are, up to n.
func take(looks *rate.Limiter, n int, now time.Time) int {
	n = min(n, int(looks.TokensAt(now)))
	looks.AllowN(now, n)
	return n
}

// lookAround looks at nodes that the plan asks about, and decides again by what it saw. Those that the budget leaves out are asked for again.
func (w *pass) lookAround(ctx context.Context) error {
	if len(w.plan.Look) == 0 {
		return nil
	}
	names := w.plan.Look[:take(w.looks, len(w.plan.Look), w.now)]
	err := w.look(ctx, names)
	w.plan = policy.Next(w.snapshot, w.now)
	return err
}

// look at the pods of some nodes. Those of benchmarks are in use as well: no run goes on there, but a pod of one that was deleted may hang.
func (w *pass) look(ctx context.Context, names []string) error {
	nodes := list.Those(w.snapshot.Nodes, func(n *policy.Node) bool { return slices.Contains(names, n.Object.Name) })
	devices := w.devices()
	err := controllers.Each(nodes, func(n *policy.Node) error {
		busy, err := controllers.Holder(ctx, w.Live, "", n.Object.Name, devices...)
		if err == nil {
			n.Look = policy.Look{At: w.now, Busy: busy}
		}
		return err
	})
	for _, n := range nodes {
		w.memory.looks[n.Object.UID] = n.Look
	}
	return err
}

// devices that the policy's benchmarks use.
func (w *pass) devices() []corev1.ResourceName {
	var all []corev1.ResourceName
	for _, b := range w.snapshot.Benchmarks {
		device := corev1.ResourceName(b.Object.Spec.Needs.DeviceResource)
		if device != "" && !slices.Contains(all, device) {
			all = append(all, device)
		}
	}
	return all
}
