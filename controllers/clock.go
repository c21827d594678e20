package controllers

import (
	"net/http"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// ServerClock is the API server's clock, as this process knows it. Every time that a pass compares was written by the API server or by
// a leader before this one: a process that went by a clock of its own, minutes off, would end runs early or late, leave out nodes
// that are younger than its own idea of now, and give up pods that have only just been made.
type ServerClock struct {
	local  clock.PassiveClock
	began  time.Time
	mu     sync.Mutex
	offset time.Duration
}

// NewServerClock begins with the local clock, and follows the API server's as soon as answers pass through Transport.
func NewServerClock(local clock.PassiveClock) *ServerClock {
	return &ServerClock{local: local, began: local.Now()}
}

// steady is the local clock as if nobody had set it since the process began: a pass would go by what it was set to until the next answer.
func (c *ServerClock) steady() time.Time { return c.began.Round(0).Add(c.local.Since(c.began)) }

// Now by the API server's clock.
func (c *ServerClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.steady().Add(c.offset)
}

// Since a time that the API server's clock told.
func (c *ServerClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Transport reads the date of every answer; rest.Config.Wrap takes it.
func (c *ServerClock) Transport(next http.RoundTripper) http.RoundTripper { return &dated{next, c} }

type dated struct {
	next  http.RoundTripper
	clock *ServerClock
}

// RoundTrip passes a request on.
func (d *dated) RoundTrip(r *http.Request) (*http.Response, error) {
	asked := d.clock.steady()
	answer, err := d.next.RoundTrip(r)
	if err == nil {
		if told, bad := http.ParseTime(answer.Header.Get("Date")); bad == nil {
			d.clock.observe(told, asked, d.clock.steady())
		}
	}
	return answer, err
}

// WrappedRoundTripper lets client-go find the transport below, to close what is idle.
func (d *dated) WrappedRoundTripper() http.RoundTripper { return d.next }

// observe takes a time in whole seconds that the API server told between two times of the local clock. That bounds the offset, which
// moves no further than it must: clocks that agree are left alone, and a slow answer changes nothing.
func (c *ServerClock) observe(told, asked, answered time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	least, most := told.Sub(answered), told.Add(time.Second).Sub(asked)
	if least <= most { // a local clock that was set meanwhile says nothing
		c.offset = min(max(c.offset, least), most)
	}
}
