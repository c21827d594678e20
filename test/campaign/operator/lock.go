package operator

import "github.com/assay-dev/assay/test/campaign/kube"

// lock of a process: passes that wait for it stand still, as those do that wait for an answer.
type lock struct {
	leaders *Leaders
	held    bool
	waiting []*actor
}

// waits stands for a call to nobody: the pass goes on when it gets the lock.
var waits kube.Call

// Lock lets the pass that is at work wait until it has the lock.
func (l *lock) Lock() {
	a := l.leaders.current
	if a.dead || !l.held {
		l.held = true
		return
	}
	l.waiting = append(l.waiting, a)
	a.signal <- &waits
	<-a.proceed
}

// Unlock lets the next pass have it.
func (l *lock) Unlock() {
	if len(l.waiting) == 0 {
		l.held = false
		return
	}
	next := l.waiting[0]
	l.waiting = l.waiting[1:]
	l.leaders.After(0, func() {
		if !next.dead {
			l.leaders.current = next
			next.proceed <- Ruling{}
			next.await()
		}
	})
}

// rope holds a pass: it stops at each of its calls until the simulation lets it go on. Behind it is a goroutine that makes one pass after the other, as
// its stack is large enough for the next one then.
type rope struct {
	passes  chan func()
	signal  chan *kube.Call // nil: the pass is over
	proceed chan Ruling
}

// ropes that hold nothing.
type ropes []*rope

func (r *ropes) take() *rope {
	if last := len(*r) - 1; last >= 0 {
		one := (*r)[last]
		*r = (*r)[:last]
		return one
	}
	one := &rope{passes: make(chan func()), signal: make(chan *kube.Call), proceed: make(chan Ruling)}
	go func() {
		for pass := range one.passes {
			pass()
		}
	}()
	return one
}

func (r *ropes) giveBack(one *rope) { *r = append(*r, one) }

// end the goroutines.
func (r *ropes) end() {
	for _, one := range *r {
		close(one.passes)
	}
	*r = nil
}
