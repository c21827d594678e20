package cluster

import (
	"net/http"
	"sync"
	"time"
)

// clockwork notes what time the API server says it is: its answers have a Date, of whole seconds.
type clockwork struct {
	mu     sync.Mutex
	server time.Time
	here   time.Time
	took   time.Duration
}

// wrap a transport.
func (c *clockwork) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		began := time.Now()
		answer, err := next.RoundTrip(r)
		if err != nil {
			return answer, err
		}
		took := time.Since(began)
		if date, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.server, c.here, c.took = date.Add(time.Second/2), began.Add(took/2), took
		}
		return answer, err
	})
}

// ServerTime is that of the last answer, and the time of this computer then.
func (c *clockwork) ServerTime() (server, here time.Time, uncertain time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server, c.here, c.took, !c.server.IsZero()
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
