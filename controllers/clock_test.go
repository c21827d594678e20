package controllers

import (
	"errors"
	"net/http"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"
)

// answers is an API server with a clock of its own. takes is how long the local clock goes on while it answers.
type answers struct {
	local *testclock.FakePassiveClock
	date  string
	takes time.Duration
	err   error
}

func (a *answers) RoundTrip(*http.Request) (*http.Response, error) {
	a.local.SetTime(a.local.Now().Add(a.takes))
	if a.err != nil {
		return nil, a.err
	}
	return &http.Response{Header: http.Header{"Date": {a.date}}}, nil
}

func TestServerClock(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 500e6, time.UTC)
	at := func(offset time.Duration) string { return now.Add(offset).UTC().Format(http.TimeFormat) }
	tests := map[string]struct {
		answers []answers
		want    time.Duration
	}{
		"no answer yet":                         {nil, 0},
		"clocks that agree":                     {[]answers{{date: at(0)}}, 0},
		"they agree, and the answer is slow":    {[]answers{{date: at(2 * time.Second), takes: 5 * time.Second}}, 0},
		"the local clock is ten minutes ahead":  {[]answers{{date: at(-10 * time.Minute)}}, -10*time.Minute + 500*time.Millisecond},
		"it is ten minutes behind":              {[]answers{{date: at(10 * time.Minute)}}, 10*time.Minute - 500*time.Millisecond},
		"it is behind, and then put right":      {[]answers{{date: at(10 * time.Minute)}, {date: at(0)}}, 500 * time.Millisecond},
		"a slow answer keeps what is known":     {[]answers{{date: at(10 * time.Minute)}, {date: at(10*time.Minute + time.Second), takes: 3 * time.Second}}, 10*time.Minute - 500*time.Millisecond},
		"an answer without a date":              {[]answers{{date: at(10 * time.Minute)}, {}}, 10*time.Minute - 500*time.Millisecond},
		"no answer":                             {[]answers{{date: at(10 * time.Minute)}, {err: errors.New("refused")}}, 10*time.Minute - 500*time.Millisecond},
		"the local clock is set back meanwhile": {[]answers{{date: at(0), takes: -time.Hour}}, 0},
	}
	for sentence, c := range tests {
		t.Run(sentence, func(t *testing.T) {
			local := testclock.NewFakePassiveClock(now)
			server := NewServerClock(local)
			for i := range c.answers {
				c.answers[i].local = local
				_, err := server.Transport(&c.answers[i]).RoundTrip(&http.Request{})
				if !errors.Is(err, c.answers[i].err) {
					t.Errorf("the error became %v", err)
				}
			}
			if got := server.Now().Sub(local.Now()); got != c.want {
				t.Errorf("the offset is %s, want %s", got, c.want)
			}
			if got := server.Since(local.Now()); got != c.want {
				t.Errorf("since now: %s, want %s", got, c.want)
			}
		})
	}
}

// setClock is a local clock that somebody sets: time goes on as before.
type setClock struct {
	*testclock.FakePassiveClock
	set time.Duration
}

func (c *setClock) Now() time.Time { return c.FakePassiveClock.Now().Add(c.set) }

// TestServerClockIsNotSetWithTheLocalOne: between two answers it only goes on.
func TestServerClockIsNotSetWithTheLocalOne(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	local := &setClock{FakePassiveClock: testclock.NewFakePassiveClock(now)}
	server := NewServerClock(local)
	for _, set := range []time.Duration{time.Hour, -time.Hour} {
		local.set = set
		local.SetTime(local.FakePassiveClock.Now().Add(time.Second))
		if got, want := server.Now(), local.FakePassiveClock.Now(); !got.Equal(want) {
			t.Errorf("the local clock was set by %s: it is %s, want %s", set, got, want)
		}
	}
}
