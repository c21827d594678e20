package campaign

import "github.com/assay-dev/assay/test/campaign/kube"

// rope holds a pass: it stops at each of its calls until the world lets it go on. Behind it is a goroutine that makes one pass after the other, as
// its stack is large enough for the next one then.
type rope struct {
	passes  chan func()
	signal  chan *kube.Call // nil: the pass is over
	proceed chan ruling
}

// ropes that hold nothing.
type ropes []*rope

func (r *ropes) take() *rope {
	if last := len(*r) - 1; last >= 0 {
		one := (*r)[last]
		*r = (*r)[:last]
		return one
	}
	one := &rope{passes: make(chan func()), signal: make(chan *kube.Call), proceed: make(chan ruling)}
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
