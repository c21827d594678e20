package operator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/test/campaign/kube"
)

// actor is one pass: it stops at each of its calls to the API server until the simulation lets it go on. So only one pass is at work at any moment,
// and all orders of calls are possible.
type actor struct {
	c       *controller
	request reconcile.Request
	// rope is what the pass is held by.
	*rope
	dead bool
	// parts that the pass does at the same time, each like a pass of its own; parent, if it is one of those.
	parts  parts
	parent *actor
	result reconcile.Result
	err    error
	panic  any
}

var errStopped = errors.New("the process was stopped")

// begin to do something: a pass, or a part of one.
func (a *actor) begin(do func()) {
	a.c.p.leaders.current = a
	a.passes <- func() {
		defer func() {
			a.panic = recover()
			a.signal <- nil
		}()
		do()
	}
	a.await()
}

func (a *actor) pass() { a.result, a.err = a.c.Reconciler.Reconcile(context.Background(), a.request) }

// await the next call of the pass, or its end.
func (a *actor) await() {
	l, call := a.c.p.leaders, <-a.signal
	l.current = nil
	switch {
	case a.panic != nil:
		l.Broken("P9", "the operator panics: %v", a.panic)
		a.c.actors = slices.DeleteFunc(a.c.actors, func(o *actor) bool { return o == a })
		a.leave()
	case call == nil:
		l.ropes.giveBack(a.rope)
		if !a.leave() {
			a.c.finish(a)
		}
	case call == &divides:
		a.goOnWithParts()
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
	if r.Stalls > 0 {
		p.leaders.stallProcess(p, r.Stalls, r.Overlap)
		p.leaders.At(p.frozen, func() { a.goOn(call) })
		return
	}
	if r.Joined > 0 {
		p.leaders.After(0, p.leaders.Lead)
		p.leaders.After(r.Overlap, p.kill)
		for i := range r.Joined - 1 {
			p.leaders.After(0, func() { p.leaders.TakeOver(r.Overlap * time.Duration(i+2)) })
		}
	}
	if r.Wait > 0 {
		p.leaders.After(r.Wait, func() { a.goOn(call) })
		return
	}
	if r.DieBefore {
		p.kill()
		return
	}
	p.leaders.current = a
	a.proceed <- r
	a.await()
	if r.DieAfter {
		p.kill()
	}
}

// kill the pass where it stands: it makes no call any more.
func (a *actor) kill() {
	a.dead = true
	for _, part := range a.parts.at {
		part.kill()
	}
	a.c.p.leaders.current = a
	a.proceed <- Ruling{}
	<-a.signal
	a.c.p.leaders.ropes.giveBack(a.rope)
}

// through is every call of every pass to the API server.
func (l *Leaders) through(call kube.Call, do func() error) error {
	a := l.current
	if a.dead {
		return errStopped
	}
	a.signal <- &call
	r := <-a.proceed
	switch {
	case a.dead:
		return errStopped
	case r.Fail != nil && !r.Applied:
		l.Say("%-11s %s %s %s: %v", a.c.p.name, call.Verb, call.Kind, call.Name, r.Fail)
		return r.Fail
	}
	err := do()
	a.c.p.hear()
	if r.Applied && err == nil {
		l.Say("%-11s %s %s %s was made, and it does not learn of it", a.c.p.name, call.Verb, call.Kind, call.Name)
		err = r.Fail
	}
	if err != nil && call.Writes {
		l.Say("%-11s %s %s %s: %v", a.c.p.name, call.Verb, call.Kind, call.Name, err)
	}
	return err
}

func (l *Leaders) latency(call *kube.Call) time.Duration {
	key := fmt.Sprintf("call/%s/%s/%s", call.Verb, call.Kind, call.Name)
	if call.Writes {
		return l.Between(key, 3*time.Millisecond, 40*time.Millisecond)
	}
	return l.Between(key, time.Millisecond, 15*time.Millisecond)
}

// Ruling on one call.
type Ruling struct {
	Fail                error
	Applied             bool // the call is made, and the caller does not learn of it
	DieBefore, DieAfter bool
	Wait                time.Duration
	// Stalls: the process stops for so long before the call; another one leads until then, and for a while after it.
	Stalls, Overlap time.Duration
	Joined          int // so many others lead from now on, too
}
