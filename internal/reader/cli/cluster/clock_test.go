package cluster

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestTheServersClock(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", "Sun, 22 Nov 2026 12:00:00 GMT")
	}))
	defer server.Close()
	var c clockwork
	if _, _, _, ok := c.ServerTime(); ok {
		t.Error("it knows the time before any answer")
	}
	answer, err := (&http.Client{Transport: c.wrap(http.DefaultTransport)}).Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	at, here, _, ok := c.ServerTime()
	if want := time.Date(2026, 11, 22, 12, 0, 0, 5e8, time.UTC); !ok || !at.Equal(want) || time.Since(here) > time.Minute {
		t.Errorf("%v %v, here %v", ok, at, here)
	}
}
