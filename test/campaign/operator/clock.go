package operator

import (
	"net/http"
	"time"

	"github.com/assay-dev/assay/controllers"
)

// serverClock is the API server's clock, as the operator itself reads it from the answers that it gets.
type serverClock struct {
	*controllers.ServerClock
	answers http.RoundTripper
}

func newServerClock(p *process) *serverClock {
	c := &serverClock{ServerClock: controllers.NewServerClock(localClock{p, p.clock})}
	c.answers = c.Transport(dated{p})
	return c
}

// localClock of a process, which somebody sets. What has passed since it began it knows all the same.
type localClock struct {
	p     *process
	ahead time.Duration
}

func (c localClock) Now() time.Time                  { return c.p.leaders.Now().Add(c.p.clock) }
func (c localClock) Since(t time.Time) time.Duration { return c.p.leaders.Now().Add(c.ahead).Sub(t) }

// dated answers of the API server.
type dated struct{ p *process }

func (d dated) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{Header: http.Header{"Date": {d.p.leaders.api.Now().UTC().Format(http.TimeFormat)}}}, nil
}

// hear the API server answer.
func (p *process) hear() {
	if p.server != nil && p.alive && !p.leaders.Now().Before(p.frozen) {
		_, _ = p.server.answers.RoundTrip(&http.Request{})
	}
}

// Jump of the leader's own clock.
func (l *Leaders) Jump(by time.Duration) {
	if p := l.leader(); p != nil {
		p.clock += by
		l.Troubled(l.Now())
	}
}
