package controllers_test

import (
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
)

// offClock is a clock that is ahead of another one.
type offClock struct {
	clock.PassiveClock
	by time.Duration
}

func (c offClock) Now() time.Time                  { return c.PassiveClock.Now().Add(c.by) }
func (c offClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// dates answers as the API server does: with its time.
type dates struct{ clock clock.PassiveClock }

func (d dates) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{Header: http.Header{"Date": {d.clock.Now().UTC().Format(http.TimeFormat)}}}, nil
}

// lead lets a new operator take over whose own clock is ahead by so much. The lab's clock is the API server's.
func (l *lab) lead(ahead time.Duration) {
	l.t.Helper()
	l.restart()
	server := controllers.NewServerClock(offClock{l.clock, ahead})
	_, err := server.Transport(dates{l.clock}).RoundTrip(&http.Request{})
	l.must(err)
	l.r.Clock = server
}

const tenMinutes = 10 * time.Minute

// offLeaders are the clocks of two leaders, of which the second takes over in mid-run.
var offLeaders = map[string][2]time.Duration{
	"both are ahead":               {tenMinutes, tenMinutes},
	"both are behind":              {-tenMinutes, -tenMinutes},
	"one is ahead, then behind":    {tenMinutes, -tenMinutes},
	"one is behind, then ahead":    {-tenMinutes, tenMinutes},
	"one is right, then far ahead": {0, 24 * time.Hour},
}

// TestClocksOfLeaders: the clock of the machine that the operator runs on makes no difference to the nodes of a run, which may be younger
// than that clock tells, to a fleet, a taint, or a recovery.
func TestClocksOfLeaders(t *testing.T) {
	t.Parallel()
	for sentence, ahead := range offLeaders {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 5)
			l.editBenchmark(l.name, func(b *v1alpha1.Benchmark) {
				b.Spec.Metrics[0].Expectation = &v1alpha1.Expectation{MaxFleetDeviation: "0.05"}
			})
			l.lead(ahead[0])
			l.plays = on("a", program{rate: 50})
			began := l.clock.Now()
			l.run(tainting, func(r *v1alpha1.ValidationRun) { r.Spec.ActiveDeadlineSeconds = new(int64(300)) })
			l.until("node a has failed once", func() bool { r := l.result("a"); return r != nil && len(r.Benchmarks[0].Attempts) == 1 })
			l.lead(ahead[1])
			run := l.finish()
			same(t, "the conditions", failed, state(run))
			same(t, "the rows", but(all("abcde", "Pass/Passed"), "a", "Fail/BelowExpectation"), l.rowsOf(run))
			same(t, "node a", unfit, l.standing("a"))
			for what, at := range map[string]*metav1.Time{"started": run.Status.StartTime, "ended": run.Status.CompletionTime} {
				if off := at.Sub(began); off < -2*time.Second || off > 5*time.Minute {
					t.Errorf("the run says that it %s %s after its creation", what, off)
				}
			}
			again := l.next("-again")
			again.lead(-ahead[0])
			again.finish()
			same(t, "node a, repaired", fit, l.standing("a"))
			same(t, "the run that proved it last", again.get().UID, l.validation("a").Proof.Run.UID)
		})
	}
}

// TestDeadlineOfLeaders: a run ends neither early nor never by the clock of a leader or of the one before, and its pods have the time to
// start that every pod has.
func TestDeadlineOfLeaders(t *testing.T) {
	t.Parallel()
	for sentence, ahead := range offLeaders {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 2)
			l.lead(ahead[0])
			waiting := containerStatus(corev1.PodPending, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}})
			l.plays = on("a", program{status: &waiting})
			began := l.clock.Now()
			l.run(tainting, func(r *v1alpha1.ValidationRun) { r.Spec.ActiveDeadlineSeconds = new(int64(600)) })
			l.until("node b is measured", func() bool { return l.result("b") != nil })
			l.lead(ahead[1])
			l.until("finished", l.finished)
			if took := l.clock.Now().Sub(began); took < 590*time.Second || took > 13*time.Minute {
				t.Errorf("it was over after %s, its deadline is 10m", took)
			}
			run := l.finish()
			same(t, "the rows", map[string]string{"a": "Missing/DeadlineExceeded", "b": "Pass/Passed"}, l.rowsOf(run))
		})
	}
}

// TestProofsOfLeadersKeepTheirOrder: a run that ends last, under another leader, is not for that the newest proof.
func TestProofsOfLeadersKeepTheirOrder(t *testing.T) {
	t.Parallel()
	for sentence, ahead := range map[string]time.Duration{"the older run's leader is ahead": tenMinutes, "it is behind": -tenMinutes} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 2)
			free := l.holdBack("b")
			l.lead(ahead)
			l.run(tainting, func(r *v1alpha1.ValidationRun) { r.Spec.OnFailure.MaxTaintedNodes = percent("100%") })
			l.until("node a is measured", func() bool { return l.get().Status.Progress == "1/2" && len(l.pods()) == 0 })
			newer := l.next("-newer", tainting, l.alone("a"))
			newer.lead(-ahead)
			newer.plays = on("a", program{rate: 50})
			newer.finish()
			same(t, "node a after the newer run", unfit, l.standing("a"))
			free()
			l.finish()
			same(t, "node a after the end of the older run", unfit, l.standing("a"))
			same(t, "the run that proved it last", newer.get().UID, l.validation("a").Proof.Run.UID)
			same(t, "its history", []string{l.name, newer.name}, l.historyOf("a"))
		})
	}
}

// historyOf a node is the runs that measured it, oldest first.
func (l *lab) historyOf(short string) []string {
	l.t.Helper()
	var runs []string
	for _, h := range l.entries(short) {
		runs = append(runs, h.Run)
	}
	return runs
}
