package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/test/campaign/kube"
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
		a.begin()
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
		c.AddAfterIfAsked(r, a.result)
	}
	if c.again[r] {
		delete(c.again, r)
		c.Add(r)
	}
	c.dispatch()
}

// AddAfterIfAsked looks again when the pass asked for it.
func (c *controller) AddAfterIfAsked(r reconcile.Request, result reconcile.Result) {
	if result.RequeueAfter > 0 {
		c.AddAfter(r, result.RequeueAfter)
	}
}

// actor is one pass: it stops at each of its calls to the API server until the world lets it go on. So only one pass is at work at any moment,
// and all orders of calls are possible.
type actor struct {
	c       *controller
	request reconcile.Request
	// rope is what the pass is held by.
	*rope
	dead   bool
	result reconcile.Result
	err    error
	panic  any
}

var errStopped = errors.New("the process was stopped")

func (a *actor) begin() {
	a.c.p.leaders.current = a
	a.passes <- a.pass
	a.await()
}

func (a *actor) pass() {
	defer func() {
		a.panic = recover()
		a.signal <- nil
	}()
	a.result, a.err = a.c.Reconciler.Reconcile(context.Background(), a.request)
}

// await the next call of the pass, or its end.
func (a *actor) await() {
	l, call := a.c.p.leaders, <-a.signal
	l.current = nil
	switch {
	case a.panic != nil:
		l.Broken("P9", "the operator panics: %v", a.panic)
		a.c.actors = slices.DeleteFunc(a.c.actors, func(o *actor) bool { return o == a })
	case call == nil:
		l.ropes.giveBack(a.rope)
		a.c.finish(a)
	case call == &waits:
	default:
		l.After(l.latency(call), func() { a.goOn(call) })
	}
}

// goOn with a call, as the faults of this moment have it.
func (a *actor) goOn(call *kube.Call) {
	p := a.c.p
	if a.dead {
		return
	}
	if p.leaders.Now().Before(p.frozen) {
		p.leaders.At(p.frozen, func() { a.goOn(call) })
		return
	}
	r := p.leaders.rule(call)
	if r.stalls > 0 {
		p.leaders.stallProcess(p, r.stalls, r.overlap)
		p.leaders.At(p.frozen, func() { a.goOn(call) })
		return
	}
	if r.joined {
		p.leaders.After(0, p.leaders.lead)
		p.leaders.After(r.overlap, p.kill)
	}
	if r.wait > 0 {
		p.leaders.After(r.wait, func() { a.goOn(call) })
		return
	}
	if r.dieBefore {
		p.kill()
		return
	}
	p.leaders.current = a
	a.proceed <- r
	a.await()
	if r.dieAfter {
		p.kill()
	}
}

// kill the pass where it stands: it makes no call any more.
func (a *actor) kill() {
	a.dead = true
	a.c.p.leaders.current = a
	a.proceed <- ruling{}
	<-a.signal
	a.c.p.leaders.ropes.giveBack(a.rope)
}

// through is every call of every pass to the API server.
func (l *leaders) through(call kube.Call, do func() error) error {
	a := l.current
	if a.dead {
		return errStopped
	}
	a.signal <- &call
	r := <-a.proceed
	switch {
	case a.dead:
		return errStopped
	case r.fail != nil && !r.applied:
		l.Say("%-11s %s %s %s: %v", a.c.p.name, call.Verb, call.Kind, call.Name, r.fail)
		return r.fail
	}
	err := do()
	if r.applied && err == nil {
		l.Say("%-11s %s %s %s was made, and it does not learn of it", a.c.p.name, call.Verb, call.Kind, call.Name)
		err = r.fail
	}
	if err != nil && call.Writes {
		l.Say("%-11s %s %s %s: %v", a.c.p.name, call.Verb, call.Kind, call.Name, err)
	}
	return err
}

func (l *leaders) latency(call *kube.Call) time.Duration {
	key := fmt.Sprintf("call/%s/%s/%s", call.Verb, call.Kind, call.Name)
	if call.Writes {
		return l.Between(key, 3*time.Millisecond, 40*time.Millisecond)
	}
	return l.Between(key, time.Millisecond, 15*time.Millisecond)
}

// ruling on one call.
type ruling struct {
	fail                error
	applied             bool // the call is made, and the caller does not learn of it
	dieBefore, dieAfter bool
	wait                time.Duration
	// stalls: the process stops for so long before the call; another one leads until then, and for a while after it.
	stalls, overlap time.Duration
	joined          bool // another one leads from now on, too
}
