package controllers_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assay-dev/assay/controllers/webhook"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/notice"
)

// TestTheWebhookIsTold of a run that ended, of a node that was tainted, and of one that was freed. Its receiver answers nobody until all is over, and
// the runs end all the same.
func TestTheWebhookIsTold(t *testing.T) {
	t.Parallel()
	l := newLab(t, 3)
	l.plays = func(node, _ string, _ int) program {
		if node == "a" {
			return program{rate: 50}
		}
		return program{}
	}
	var mu sync.Mutex
	told, answer := map[string]string{}, make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var n notice.Notice
		if err := json.NewDecoder(r.Body).Decode(&n); err != nil {
			t.Error(err)
		}
		select {
		case <-answer:
		case <-r.Context().Done():
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(n.Run.Name, l.name) { // other labs are in the same cluster
			told[n.Event+" "+n.Run.Name] = n.Text
		}
	}))
	t.Cleanup(receiver.Close)
	file := filepath.Join(t.TempDir(), "secret")
	l.must(os.WriteFile(file, []byte("s3cret"), 0o600))
	hook, err := webhook.New(webhook.Options{URL: receiver.URL, SecretFile: file})
	l.must(err)
	hook.Reader, hook.Live, hook.Clock, hook.Recorder, hook.Metrics = api, live, l.clock, l.events, metrics.New(prometheus.NewRegistry())
	l.r.Webhook = hook
	ctx, cancel := context.WithCancel(background)
	done := make(chan error, 1)
	go func() { done <- hook.Start(ctx) }()
	t.Cleanup(func() { cancel(); <-done })

	l.run(tainting)
	l.finish()
	second := l.next("-again")
	second.finish()
	close(answer)
	want := map[string]string{
		"TaintAdded " + l.name: "Node " + l.node("a") + " was tainted with assay.dev/unfit=failed:NoSchedule by run " + l.name + ": " + l.node("a") +
			" is slow, and the cause is not known. Compare it with one that passed: what differs, what has changed, and whether the fault moves when the two are swapped",
		"RunFinished " + l.name:       "Run " + l.name + ": Fail: " + l.get().Status.Conditions[0].Message,
		"TaintRemoved " + second.name: "Node " + l.node("a") + ": run " + second.name + " lifted taint assay.dev/unfit:NoSchedule: the node now meets what " + l.name + " had convicted it of",
		"RunFinished " + second.name:  "Run " + second.name + ": Pass: " + second.get().Status.Conditions[0].Message,
	}
	got := func() map[string]string {
		mu.Lock()
		defer mu.Unlock()
		all := map[string]string{}
		for k, v := range told {
			all[k] = v
		}
		return all
	}
	for end := time.Now().Add(patience); len(got()) < len(want) && time.Now().Before(end); {
		<-time.After(20 * time.Millisecond)
	}
	if diff := cmp.Diff(want, got()); diff != "" {
		t.Error(diff)
	}
}
