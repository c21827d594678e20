// Package webhook delivers notices to a receiver by HTTP. Nobody waits for it: what is to be told goes into a queue of bounded length, and what
// cannot be delivered within an hour is given up, with an event and in the metrics.
package webhook

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/notice"
	"github.com/assay-dev/assay/internal/operate/taint"
)

const (
	// tryFor so long to deliver a notice, from when it happened on. A new leader does not know what the one before it delivered in that time,
	// and tells it again.
	tryFor = time.Hour
	// most notices wait at the same time.
	most = 500
	// workers deliver at the same time, and requestTimeout is what each waits for the receiver.
	workers        = 4
	requestTimeout = 10 * time.Second
	// firstRetry and slowestRetry are what lies between two tries: each waits twice as long as the one before.
	firstRetry   = time.Second
	slowestRetry = 5 * time.Minute
)

// Options of the webhook.
type Options struct {
	URL string
	// SecretFile has the key that signs what is sent. It is read each time, so that it can be replaced.
	SecretFile string
	// Cluster is sent along; empty: nothing is.
	Cluster string
}

// Sender tells a receiver what happened. A nil Sender tells nobody.
type Sender struct {
	// Reader of the cache, and Live past it: for what happened before this process led.
	Reader, Live client.Reader
	Recorder     events.EventRecorder
	Metrics      *metrics.Recorder
	Clock        clock.PassiveClock

	options Options
	client  *http.Client
	queue   workqueue.TypedRateLimitingInterface[string]

	mu sync.Mutex
	// waiting to be delivered, by id; told, or given up, is when the others were.
	waiting map[string]notice.Notice
	told    map[string]time.Time
}

// New checks the options. Without a URL there is no Sender.
func New(o Options) (*Sender, error) {
	if o.URL == "" {
		return nil, nil
	}
	if u, err := url.Parse(o.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New(badURL)
	}
	if o.SecretFile == "" {
		return nil, errors.New(unsigned)
	}
	return &Sender{
		options: o,
		client: &http.Client{Timeout: requestTimeout, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // a POST that is redirected would become a GET
		}},
		queue: workqueue.NewTypedRateLimitingQueue(
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](firstRetry, slowestRetry)),
		waiting: map[string]notice.Notice{}, told: map[string]time.Time{},
	}, nil
}

// RunFinished tells of a run that ended with this status.
func (s *Sender) RunFinished(run *v1alpha1.ValidationRun, status *v1alpha1.ValidationRunStatus) {
	if s != nil {
		s.send(notice.OfRun(run, status))
	}
}

// TaintAdded tells of a node that was tainted; result is what the run found on it, nil where that is not known.
func (s *Sender) TaintAdded(node *corev1.Node, q *v1alpha1.Quarantine, result *v1alpha1.ValidationResult) {
	if s != nil {
		s.send(notice.OfTaint(reference(node), q, result))
	}
}

// TaintRemoved tells of a node whose taint was lifted, with the mark that it had, and why; run is nil where none brought that about.
func (s *Sender) TaintRemoved(node *corev1.Node, mark string, run *v1alpha1.ValidationRun, why string) {
	if s == nil {
		return
	}
	var by *notice.Run
	if run != nil {
		by = &notice.Run{Name: run.Name, UID: run.UID}
	}
	n := notice.OfLift(reference(node), taint.Named(mark), by, why)
	n.Time = s.Clock.Now().UTC().Truncate(time.Second)
	s.send(n)
}

func reference(node *corev1.Node) v1alpha1.ObjectReference {
	return v1alpha1.ObjectReference{Name: node.Name, UID: node.UID}
}

// send it once, as soon as a worker has time. This never waits for anything.
func (s *Sender) send(n notice.Notice) {
	n.Cluster = s.options.Cluster
	switch full, known := s.admit(n); {
	case known:
	case full:
		s.lose(n, fmt.Errorf(noRoom, most))
	default:
		s.queue.Add(n.ID)
	}
}

func (s *Sender) admit(n notice.Notice) (full, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Clock.Now()
	maps.DeleteFunc(s.told, func(_ string, at time.Time) bool { return now.Sub(at) > 2*tryFor })
	_, waits := s.waiting[n.ID]
	_, told := s.told[n.ID]
	full, known = len(s.waiting) >= most, waits || told
	switch {
	case known:
	case full:
		s.told[n.ID] = now
	default:
		s.waiting[n.ID] = n
	}
	return full, known
}
