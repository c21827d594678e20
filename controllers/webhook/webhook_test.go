package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/notice"
	"github.com/assay-dev/assay/internal/operate/taint"
)

const secret = "s3cret"

// told is what a receiver was sent.
type told struct {
	header http.Header
	body   []byte
	notice notice.Notice
}

// receiver answers one request after the other with these codes, and with 204 from then on.
func receiver(t *testing.T, codes ...int) (url string, got chan told) {
	t.Helper()
	got = make(chan told, 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		next := told{header: r.Header, body: body}
		if err := json.Unmarshal(body, &next.notice); err != nil || r.Method != http.MethodPost {
			t.Errorf("%s %s: %v", r.Method, body, err)
		}
		code := http.StatusNoContent
		if len(codes) > 0 {
			code, codes = codes[0], codes[1:]
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(code)
		got <- next
	}))
	t.Cleanup(s.Close)
	return s.URL, got
}

// sender to a URL, in a cluster with these objects.
func sender(t *testing.T, url, secret string, objects ...client.Object) (*Sender, *prometheus.Registry) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{URL: url, SecretFile: file, Cluster: "dc1"})
	if err != nil {
		t.Fatal(err)
	}
	scheme, registry := runtime.NewScheme(), prometheus.NewRegistry()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	s.Reader = fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
	s.Live, s.Clock, s.Metrics, s.Recorder = s.Reader, clock.RealClock{}, metrics.New(registry), events.NewFakeRecorder(1000)
	s.queue = workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Millisecond, 10*time.Millisecond))
	return s, registry
}

// start delivers until the returned function is called, which the test does at its end.
func start(t *testing.T, s *Sender) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Start(ctx) }()
	stop = func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			done <- nil
		case <-time.After(5 * time.Second):
			t.Fatal("it waits for somebody at its end")
		}
	}
	t.Cleanup(stop)
	return stop
}

func next(t *testing.T, got chan told) told {
	t.Helper()
	select {
	case n := <-got:
		return n
	case <-time.After(10 * time.Second):
		t.Fatal("the receiver was told nothing")
		return told{}
	}
}

// see waits until something is so.
func see(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); !is(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("not %s", what)
		}
	}
}

func finished(name string, ago time.Duration) *v1alpha1.ValidationRun {
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-of-" + name)}}
	run.Status.Verdict = v1alpha1.VerdictFail
	run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionFinished, Status: metav1.ConditionTrue, Reason: "NodesFailed",
		Message: "1 of 4 nodes failed", LastTransitionTime: metav1.NewTime(time.Now().Add(-ago).Truncate(time.Second))}}
	return run
}

// tainted is a node with its record and its result.
func tainted(name string, ago time.Duration) (*corev1.Node, *v1alpha1.NodeValidation, *v1alpha1.ValidationResult) {
	run := finished("rack-7", 0)
	q := &v1alpha1.Quarantine{Key: "assay.dev/unfit", Value: "failed", Effect: corev1.TaintEffectNoSchedule, ID: types.UID("q-" + name),
		Run: v1alpha1.ObjectReference{Name: run.Name, UID: run.UID}, Since: metav1.NewTime(time.Now().Add(-ago).Truncate(time.Second))}
	node, _ := taint.Bind(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-of-" + name)}}, q)
	record := &v1alpha1.NodeValidation{ObjectMeta: metav1.ObjectMeta{Name: name}, Quarantine: q}
	result := &v1alpha1.ValidationResult{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.ResultName(run, name)}, Node: v1alpha1.ObjectReference{Name: name},
		Message: "gemm: checksum of gpu1 is wrong", Benchmarks: []v1alpha1.BenchmarkResult{{Name: "gemm", Verdict: v1alpha1.VerdictFail, Findings: []v1alpha1.Finding{
			{Metric: "checksum", At: "gpu1", Rule: "DataCheck", Verdict: v1alpha1.VerdictFail, Message: "checksum of gpu1 is wrong"}}}}}
	return node, record, result
}

// TestANoticeIsSignedAndSaysWhatIsWrong and is accepted once.
func TestANoticeIsSignedAndSaysWhatIsWrong(t *testing.T) {
	url, got := receiver(t)
	s, registry := sender(t, url, secret+"\n")
	stop := start(t, s)
	node, record, result := tainted("gpu-7", 0)
	s.TaintAdded(node, record.Quarantine, result)
	s.TaintAdded(node, record.Quarantine, result)
	n := next(t, got)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(n.body)
	for header, want := range map[string]string{"X-Assay-Signature-256": "sha256=" + hex.EncodeToString(mac.Sum(nil)), "X-Assay-Event": "TaintAdded",
		"X-Assay-Delivery": "TaintAdded/q-gpu-7", "Content-Type": "application/json"} {
		if is := n.header.Get(header); is != want {
			t.Errorf("%s: %s, want %s", header, is, want)
		}
	}
	want := notice.Notice{Schema: "assay.dev/notice/v1", ID: "TaintAdded/q-gpu-7", Event: "TaintAdded", Time: record.Quarantine.Since.UTC(), Cluster: "dc1",
		Text: "Node gpu-7 was tainted with assay.dev/unfit=failed:NoSchedule by run rack-7: gpu1 computes or stores wrong data. Take the node out of service, and have the part replaced",
		Run:  &notice.Run{Name: "rack-7", UID: "uid-of-rack-7"},
		Node: &notice.Node{Name: "gpu-7", UID: "uid-of-gpu-7", Taint: "assay.dev/unfit=failed:NoSchedule", Message: result.Message, Faults: []cause.Told{{Cause: "WrongData",
			Sure: true, At: "gpu1", Message: "gpu1 computes or stores wrong data", Action: "Take the node out of service, and have the part replaced",
			Command: "nvidia-smi -q -d ECC", Findings: []string{"gemm: checksum of gpu1 is wrong"}}}}}
	if diff := cmp.Diff(want, n.notice); diff != "" {
		t.Error(diff)
	}
	see(t, "counted once", func() bool { return count(t, registry, "TaintAdded", "delivered") == 1 })
	s.TaintAdded(node, record.Quarantine, result)
	s.TaintRemoved(node, taint.MarkOn(node), finished("rack-8", 0), "run rack-8 lifted the taint")
	if n := next(t, got).notice; n.ID != "TaintRemoved/q-gpu-7" || n.Run.Name != "rack-8" || n.Node.Taint != "assay.dev/unfit=failed:NoSchedule" || n.Time.IsZero() {
		t.Errorf("got %+v", n)
	}
	see(t, "counted", func() bool { return count(t, registry, "TaintRemoved", "delivered") == 1 })
	stop()
	if len(got) > 0 {
		t.Errorf("told %s again", (<-got).body)
	}
}

func count(t *testing.T, registry *prometheus.Registry, event, outcome string) int {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if l := m.GetLabel(); f.GetName() == "assay_notices_total" && l[0].GetValue() == event && l[1].GetValue() == outcome {
				return int(m.GetCounter().GetValue())
			}
		}
	}
	return 0
}

// TestWhatIsNotAcceptedIsToldAgain with the same id and the same body.
func TestWhatIsNotAcceptedIsToldAgain(t *testing.T) {
	url, got := receiver(t, http.StatusInternalServerError, http.StatusUnauthorized)
	s, registry := sender(t, url, secret)
	start(t, s)
	run := finished("rack-7", 0)
	s.RunFinished(run, &run.Status)
	first := next(t, got)
	for range 2 {
		if again := next(t, got); string(again.body) != string(first.body) || again.header.Get(HeaderDelivery) != first.header.Get(HeaderDelivery) {
			t.Errorf("told %s, then %s", first.body, again.body)
		}
	}
	see(t, "delivered", func() bool { return count(t, registry, "RunFinished", "delivered") == 1 })
	if n := count(t, registry, "RunFinished", "lost"); n != 0 {
		t.Errorf("%d are lost", n)
	}
}

// TestWhatCannotBeDeliveredIsGivenUp after its time, and an event says why, without the URL.
func TestWhatCannotBeDeliveredIsGivenUp(t *testing.T) {
	failing, _ := receiver(t, 500)
	elsewhere, _ := receiver(t, 302)
	for sentence, c := range map[string]struct{ url, secret, want string }{
		"an error":     {failing, secret, "the receiver answered 500 Internal Server Error"},
		"a redirect":   {elsewhere, secret, "the receiver answered 302 Found"},
		"nobody there": {"http://127.0.0.1:1/hook", secret, "dial tcp 127.0.0.1:1: connect: connection refused"},
		"no secret":    {failing, "\n", "put the key there that the receiver checks signatures by"},
	} {
		t.Run(sentence, func(t *testing.T) {
			s, registry := sender(t, c.url, c.secret)
			start(t, s)
			run := finished("rack-7", tryFor+time.Second)
			s.RunFinished(run, &run.Status)
			see(t, "given up", func() bool { return count(t, registry, "RunFinished", "lost") == 1 })
			told := <-s.Recorder.(*events.FakeRecorder).Events
			if !strings.HasPrefix(told, "Warning NoticeLost the webhook was not told of RunFinished: ") || !strings.HasSuffix(told, c.want) || strings.Contains(told, "http") {
				t.Errorf("the event is %q, want %q", told, c.want)
			}
		})
	}
}

// TestASlowReceiverHoldsNobodyUp: neither those who tell something nor the end, and it takes no more memory than for what may wait.
func TestASlowReceiverHoldsNobodyUp(t *testing.T) {
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		<-r.Context().Done()
	}))
	t.Cleanup(hangs.Close)
	s, registry := sender(t, hangs.URL, secret)
	stop := start(t, s)
	began := time.Now()
	for i := range most + 100 {
		run := finished(fmt.Sprint("run-", i), 0)
		s.RunFinished(run, &run.Status)
	}
	if took := time.Since(began); took > requestTimeout/2 {
		t.Errorf("telling took %s", took)
	}
	if n := count(t, registry, "RunFinished", "lost"); n != 100 {
		t.Errorf("%d are lost, want those for which there is no room: 100", n)
	}
	stop()
}

// TestANewLeaderTellsWhatIsRecent, as it does not know what the one before it delivered.
func TestANewLeaderTellsWhatIsRecent(t *testing.T) {
	url, got := receiver(t)
	run := finished("rack-7", time.Minute)
	node, record, result := tainted("gpu-7", time.Minute)
	longAgo, oldRecord, _ := tainted("gpu-6", 2*tryFor)
	without, itsRecord, _ := tainted("gpu-5", time.Minute)
	without.Annotations = nil
	running := finished("rack-9", time.Minute)
	running.Status.Conditions[0].Status = metav1.ConditionFalse
	s, _ := sender(t, url, secret, run, finished("rack-6", 2*tryFor), running, node, record, result, longAgo, oldRecord, without, itsRecord)
	start(t, s)
	s.RunFinished(run, &run.Status)
	ids := []string{next(t, got).notice.ID, next(t, got).notice.ID}
	slices.Sort(ids)
	if diff := cmp.Diff([]string{"RunFinished/uid-of-rack-7", "TaintAdded/q-gpu-7"}, ids); diff != "" {
		t.Error(diff)
	}
	see(t, "all told", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.waiting) == 0 })
	if len(got) > 0 {
		t.Errorf("told %s as well", (<-got).body)
	}
}

// TestANewLeaderTellsWhichNodesDidNotPass, although the operator's cache does not keep that of a run that is over.
func TestANewLeaderTellsWhichNodesDidNotPass(t *testing.T) {
	url, got := receiver(t)
	run := finished("rack-7", time.Minute)
	run.Status.Nodes = []v1alpha1.NodeRow{{Name: "gpu-7", Verdict: v1alpha1.VerdictFail, Message: "gemm: checksum of gpu1 is wrong"}}
	s, _ := sender(t, url, secret, run)
	s.Reader = fake.NewClientBuilder().WithScheme(s.Live.(client.Client).Scheme()).WithObjects(cached(t, run)).Build()
	start(t, s)
	if n := next(t, got).notice; len(n.Run.Nodes) != 1 || n.Run.Nodes[0].Name != "gpu-7" {
		t.Errorf("nodes that did not pass: %+v, want gpu-7; the notice says %q", n.Run.Nodes, n.Text)
	}
}

// cached is a run as the operator's cache has it.
func cached(t *testing.T, run *v1alpha1.ValidationRun) client.Object {
	t.Helper()
	for kind, of := range controllers.CacheOptions("bench").ByObject {
		if _, is := kind.(*v1alpha1.ValidationRun); is {
			kept, err := of.Transform(run.DeepCopy())
			if err != nil {
				t.Fatal(err)
			}
			return kept.(client.Object)
		}
	}
	t.Fatal("the cache has no runs")
	return nil
}

func TestOptions(t *testing.T) {
	for sentence, c := range map[string]struct {
		o    Options
		want string
	}{
		"nobody to tell":      {Options{}, ""},
		"not signed":          {Options{URL: "https://hooks.example"}, "--webhook-url needs --webhook-secret-file: whoever is told has to know by whom"},
		"no URL":              {Options{URL: "hooks.example/x", SecretFile: "f"}, "--webhook-url is no URL that begins with http:// or https://: give it one, for example https://hooks.example.com/assay"},
		"of another protocol": {Options{URL: "ftp://hooks.example", SecretFile: "f"}, "--webhook-url is no URL that begins with http:// or https://: give it one, for example https://hooks.example.com/assay"},
	} {
		t.Run(sentence, func(t *testing.T) {
			s, err := New(c.o)
			if got := fmt.Sprint(err); s != nil || got != c.want && (err != nil || c.want != "") {
				t.Errorf("got %v, %q, want %q", s, got, c.want)
			}
		})
	}
	var none *Sender
	none.RunFinished(nil, nil)
	none.TaintAdded(nil, nil, nil)
	none.TaintRemoved(nil, "", nil, "")
}
