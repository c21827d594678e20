package operator

import (
	"context"
	"slices"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/controllers"
)

// controller is a queue, and passes over what is in it, as controller-runtime has it: no object is in two passes at once, and what wakes
// it during a pass makes another one.
type controller struct {
	controllers.Controller
	workqueue.TypedRateLimitingInterface[reconcile.Request] // only Add and AddAfter are asked for

	p        *process
	ready    []reconcile.Request
	waiting  map[reconcile.Request]time.Time
	working  map[reconcile.Request]bool
	again    map[reconcile.Request]bool
	failures map[reconcile.Request]int
	actors   []*actor
}

func newController(p *process, c controllers.Controller) *controller {
	return &controller{Controller: c, p: p, waiting: map[reconcile.Request]time.Time{}, working: map[reconcile.Request]bool{},
		again: map[reconcile.Request]bool{}, failures: map[reconcile.Request]int{}}
}

// handle a change: after is nil where the object is gone.
func (c *controller) handle(w controllers.Watch, before, after client.Object) {
	ctx, h := context.Background(), w.Handler
	if h == nil {
		h = &handler.EnqueueRequestForObject{}
	}
	switch {
	case before == nil:
		e := event.CreateEvent{Object: after}
		if !slices.ContainsFunc(w.Predicates, func(p predicate.Predicate) bool { return !p.Create(e) }) {
			h.Create(ctx, e, c)
		}
	case after == nil:
		e := event.DeleteEvent{Object: before}
		if !slices.ContainsFunc(w.Predicates, func(p predicate.Predicate) bool { return !p.Delete(e) }) {
			h.Delete(ctx, e, c)
		}
	default:
		e := event.UpdateEvent{ObjectOld: before, ObjectNew: after}
		if !slices.ContainsFunc(w.Predicates, func(p predicate.Predicate) bool { return !p.Update(e) }) {
			h.Update(ctx, e, c)
		}
	}
}

// Add an object that is to be looked at.
func (c *controller) Add(r reconcile.Request) {
	switch {
	case c.working[r]:
		c.again[r] = true
	case !slices.Contains(c.ready, r):
		c.ready = append(c.ready, r)
		c.p.leaders.After(0, c.dispatch)
	}
}

// AddAfter a while, unless it is to be looked at sooner.
func (c *controller) AddAfter(r reconcile.Request, d time.Duration) {
	at := c.p.leaders.Now().Add(d)
	if d <= 0 {
		c.Add(r)
		return
	}
	if sooner, ok := c.waiting[r]; ok && !sooner.After(at) {
		return
	}
	c.waiting[r] = at
	c.p.leaders.At(at, func() {
		if c.waiting[r].Equal(at) {
			delete(c.waiting, r)
			c.Add(r)
		}
	})
}

// dispatch starts passes, as many as may go on at once.
func (c *controller) dispatch() {
	if c.p.leaders.Now().Before(c.p.frozen) {
		c.p.leaders.At(c.p.frozen, c.dispatch)
		return
	}
	for c.p.alive && len(c.ready) > 0 && len(c.actors) < c.Concurrency {
		r := c.ready[0]
		c.ready = c.ready[1:]
		c.working[r] = true
		a := &actor{c: c, request: r, rope: c.p.leaders.ropes.take()}
		c.actors = append(c.actors, a)
		c.p.leaders.Figures.Passes++
		a.begin(a.pass)
	}
}

// finish a pass.
func (c *controller) finish(a *actor) {
	c.actors = slices.DeleteFunc(c.actors, func(o *actor) bool { return o == a })
	if !c.p.alive {
		return
	}
	r := a.request
	delete(c.working, r)
	if a.err != nil {
		c.p.leaders.Say("%-11s %s of %s failed: %v", c.p.name, c.Name, r.Name, a.err)
		wait := min(50*time.Millisecond<<min(c.failures[r], 20), time.Minute)
		c.failures[r]++
		c.AddAfter(r, wait)
	} else {
		delete(c.failures, r)
		if a.result.RequeueAfter > 0 {
			c.AddAfter(r, a.result.RequeueAfter)
		}
	}
	if c.again[r] {
		delete(c.again, r)
		c.Add(r)
	}
	c.dispatch()
}
