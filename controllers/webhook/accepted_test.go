package webhook

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestWhatWasAcceptedIsNotToldAgain, although the receiver's answer never ends, or breaks off.
func TestWhatWasAcceptedIsNotToldAgain(t *testing.T) {
	for sentence, end := range map[string]func(*http.Request){
		"never ends": func(r *http.Request) { <-r.Context().Done() },
		"breaks off": func(*http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(sentence, func(t *testing.T) {
			accepts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.ReadAll(r.Body)
				w.WriteHeader(http.StatusAccepted)
				_, _ = io.WriteString(w, "thanks")
				_ = http.NewResponseController(w).Flush()
				end(r)
			}))
			t.Cleanup(accepts.Close)
			s, registry := sender(t, accepts.URL, secret)
			s.client.Timeout = time.Second
			start(t, s)
			run := finished("rack-7", 0)
			s.RunFinished(run, &run.Status)
			see(t, "delivered", func() bool { return count(t, registry, "RunFinished", "delivered") == 1 })
		})
	}
}
