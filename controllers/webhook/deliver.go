package webhook

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/notice"
	"github.com/assay-dev/assay/internal/quantity"
)

// Start delivers until ctx ends, and waits for nobody then. A manager starts it on the leader only.
func (s *Sender) Start(ctx context.Context) error {
	s.Metrics.Notices(notice.RunFinished, notice.TaintAdded, notice.TaintRemoved)
	var all sync.WaitGroup
	all.Go(func() { s.lookBack(ctx) })
	for range workers {
		all.Go(func() { s.work(ctx) })
	}
	<-ctx.Done()
	s.queue.ShutDown()
	all.Wait()
	return nil
}

// lookBack at what happened before this process led, until it could be read. What was told meanwhile is not told twice.
func (s *Sender) lookBack(ctx context.Context) {
	for wait := firstRetry; ; wait = min(2*wait, slowestRetry) {
		err := s.tellRecent(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		ctrl.LoggerFrom(ctx).Error(err, recentUnread)
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

func (s *Sender) work(ctx context.Context) {
	for {
		id, over := s.queue.Get()
		if over || ctx.Err() != nil {
			return
		}
		s.deliver(ctx, id)
		s.queue.Done(id)
	}
}

// deliver once; what fails is tried again later, until it is too old.
func (s *Sender) deliver(ctx context.Context, id string) {
	s.mu.Lock()
	n := s.waiting[id]
	s.mu.Unlock()
	err := s.post(ctx, n)
	switch {
	case err == nil:
		s.Metrics.NoticeDelivered(n.Event)
	case ctx.Err() != nil:
		return
	case s.Clock.Since(n.Time) < tryFor:
		if s.queue.NumRequeues(id) == 0 {
			ctrl.LoggerFrom(ctx).Error(err, toldLater, "notice", id)
		}
		s.queue.AddRateLimited(id)
		return
	default:
		s.lose(n, err)
	}
	s.queue.Forget(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, id)
	s.told[id] = s.Clock.Now()
}

// lose a notice, and say so.
func (s *Sender) lose(n notice.Notice, why error) {
	s.Metrics.NoticeLost(n.Event)
	var about runtime.Object
	if n.Node != nil {
		about = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Node.Name, UID: n.Node.UID}}
	} else {
		about = &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: n.Run.Name, UID: n.Run.UID}}
	}
	s.Recorder.Eventf(about, nil, corev1.EventTypeWarning, v1alpha1.ReasonNoticeLost, "Notify", "%s", quantity.Clip(fmt.Sprintf(notTold, n.Event, why), 1000))
}
