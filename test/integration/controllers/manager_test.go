package controllers_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	runs "github.com/assay-dev/assay/controllers/run"
	"github.com/assay-dev/assay/internal/operate/metrics"
)

// The tests of this file run the real manager, which looks at every run there is: they are not parallel, so that they
// are over before any other test has a run. All others are parallel, tables of cases too: one that is not would keep the rest waiting.

const (
	// patience is how long the operator may write nothing before a test with a real clock fails, and patientRounds how often the kubelet has
	// to have looked meanwhile: on a machine with much else to do, minutes pass in which little is done.
	patience      = 3 * time.Minute
	patientRounds = 1500
	// endless is for an operator that writes on and on.
	endless = 10 * patience
	// unawaited is less than the operator's timers would take where nothing wakes it, and far more than it takes where something does.
	unawaited = 45 * time.Second
)

// manage starts the operator with its caches and its own clock. It stops with the test, or when the returned function is called.
func (l *lab) manage() (stop func()) {
	l.t.Helper()
	operator := rest.CopyConfig(config)
	operator.Wrap(l.requests.wrap)
	known := controllers.NewKnownFleet(l.knownMaxAge)
	mgr, err := ctrl.NewManager(operator, ctrl.Options{
		Scheme: scheme, Metrics: server.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Controller: ctrlconfig.Controller{SkipNameValidation: new(true)},
		Cache:      controllers.CacheOptions(namespace),
		NewClient: func(c *rest.Config, o client.Options) (client.Client, error) {
			inner, err := client.NewWithWatch(c, o)
			return l.hand.client(writing(inner)), err
		},
	})
	l.must(err)
	ctx, cancel := context.WithCancel(background)
	r := &runs.Reconciler{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Recorder: l.events, Clock: clock.RealClock{},
		Settings: settings, Policy: generous, Metrics: metrics.New(prometheus.NewRegistry()), KnownFleet: known, KnownMaxAge: l.knownMaxAge}
	if l.slices {
		r.Devices = &controllers.Devices{Reader: mgr.GetClient(), Live: mgr.GetAPIReader(), Rules: true}
	}
	l.must(r.SetupWithManager(mgr, 2))
	l.r = r
	if l.also != nil {
		l.must(l.also(mgr))
	}
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	select { // a manager that is stopped while it starts may never return
	case <-mgr.Elected():
	case err := <-done:
		l.t.Fatalf("the manager did not start: %v", err)
	}
	stop = func() {
		cancel()
		if err := <-done; err != nil {
			l.t.Errorf("the manager stopped: %v", err)
		}
		done <- nil
	}
	l.t.Cleanup(stop)
	return stop
}

// see lets time pass, with a kubelet at work, until something is so. It gives up when the operator has stopped to work, not when the machine
// is slow.
func (l *lab) see(what string, is func() bool) {
	l.t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	began := time.Now()
	writes, rounds, since := l.hand.count(), 0, began
	for !is() {
		l.clock.SetTime(time.Now())
		l.kubelet()
		<-ticker.C
		if now := l.hand.count(); now != writes {
			writes, rounds, since = now, 0, time.Now()
		}
		if rounds++; rounds > patientRounds && time.Since(since) > patience || time.Since(began) > endless {
			l.t.Fatalf("not %s after %s; the last write was %s and %d rounds ago: %s", what, time.Since(began), time.Since(since), rounds, l.describe())
		}
	}
}

func quick(p program) program {
	p.takes = 50 * time.Millisecond
	return p
}

func TestManagerRunsAndIsQuiet(t *testing.T) {
	l := newLab(t, 3)
	l.plays = func(node, _ string, _ int) program {
		if node == "a" {
			return quick(program{rate: 50})
		}
		return quick(program{})
	}
	l.manage()
	l.run(tainting)
	l.see("finished", l.finished)
	l.see("without pods", func() bool { return len(l.pods()) == 0 })
	same(t, "the conditions", failed, state(l.get()))
	same(t, "the taints", []string{"assay.dev/unfit=failed:NoSchedule"}, taints(l.getNode("a")))

	// Heartbeats of nodes, changes of the catalogue and a person's label move the versions of what they touch, and nothing else.
	l.editNode("b", func(n *corev1.Node) { n.Labels["shelf"] = "3" })
	versions := l.versions()
	quietUntil := time.Now().Add(5 * time.Second)
	b := &v1alpha1.Benchmark{}
	l.must(api.Get(t.Context(), keyOf(l.name), b))
	b.Spec.CostSeconds = 61
	l.must(api.Update(t.Context(), b))
	writes := l.hand.count()
	l.see("quiet for five seconds", func() bool {
		if now := l.versions(); time.Now().Before(quietUntil) {
			same(t, "the versions", versions, now)
		}
		return t.Failed() || time.Now().After(quietUntil)
	})
	same(t, "the writes since the run finished", writes, l.hand.count())

	again := l.next("-again")
	again.plays = func(string, string, int) program { return quick(program{}) }
	again.see("finished", again.finished)
	same(t, "the taints after recovery", []string{}, taints(l.getNode("a")))
}

// TestManagerMendsStrays: the set-up of the manager looks after taints whose mark or record is gone, while no run is active: at its start, and when
// that happens.
func TestManagerMendsStrays(t *testing.T) {
	l := newLab(t, 2)
	l.plays = func(string, string, int) program { return quick(program{rate: 50}) }
	stop := l.manage()
	l.run(taintingUpTo(2))
	l.see("finished", l.finished)
	mark := func(short string) string { return l.getNode(short).Annotations[v1alpha1.AnnotationQuarantine] }
	marked := mark("a")
	if marked == "" {
		t.Fatalf("node a is not tainted: %s", l.describe())
	}
	unmark := func(n *corev1.Node) { delete(n.Annotations, v1alpha1.AnnotationQuarantine) }
	l.editNode("a", unmark)
	l.see("marked again", func() bool { return mark("a") == marked })
	stop()
	l.editNode("a", unmark)
	l.must(api.Delete(t.Context(), l.validation("b")))
	l.manage()
	l.see("marked again after a restart", func() bool { return mark("a") == marked })
	l.see("lifted, as its record is gone", func() bool { return len(taints(l.getNode("b"))) == 0 })
	same(t, "the taints", []string{"assay.dev/unfit=failed:NoSchedule"}, taints(l.getNode("a")))
}

// TestManagerRestartsAgainAndAgain: the operator is stopped after every third write, and another one goes on.
func TestManagerRestartsAgainAndAgain(t *testing.T) {
	l := newLab(t, 2)
	l.plays = func(node, _ string, _ int) program {
		if node == "a" {
			return quick(program{rate: 50})
		}
		return quick(program{})
	}
	l.run(tainting, func(r *v1alpha1.ValidationRun) { r.Spec.Confirmations = new(int32(0)) })
	restarts := 0
	for !l.finished() {
		enough := make(chan struct{})
		written := 0
		l.hand.before = func(int, write, runtime.Object) error {
			l.hand.mu.Lock()
			defer l.hand.mu.Unlock()
			switch written++; {
			case written == 3:
				close(enough)
			case written > 3: // it is as good as dead, however much later it is stopped
				return errors.New("this operator has written enough")
			}
			return nil
		}
		stop := l.manage()
		l.see("finished, or three writes later", func() bool {
			select {
			case <-enough:
				return true
			default:
				return l.finished()
			}
		})
		stop()
		restarts++
	}
	l.hand.before = nil
	l.manage()
	l.see("without pods", func() bool { return len(l.pods()) == 0 })
	same(t, "the end", wantEnd, l.endState())
	if restarts < 3 {
		t.Errorf("there were only %d restarts", restarts)
	}
}

// TestManagerWakes: everything that lets a run go on wakes it at once.
func TestManagerWakes(t *testing.T) {
	cases := map[string]struct {
		spec func(*lab, *v1alpha1.ValidationRun)
		// before the change the run is held up so.
		reason string
		change func(*lab)
	}{
		"a Benchmark is installed": {
			func(l *lab, r *v1alpha1.ValidationRun) { r.Spec.Benchmarks[0].Name = l.name + "-new" }, "Invalid",
			func(l *lab) { l.create(l.benchmark(l.name + "-new")) }},
		"the run is resumed": {
			func(_ *lab, r *v1alpha1.ValidationRun) { r.Spec.Suspend = true }, "Suspended",
			func(l *lab) { l.suspend(false) }},
		"a node is Ready again": {
			func(l *lab, _ *v1alpha1.ValidationRun) {
				l.clock.SetTime(time.Now().Add(time.Hour)) // so that it is not given up
				l.ready("a", corev1.ConditionFalse)
			}, "Waiting",
			func(l *lab) { l.ready("a", corev1.ConditionTrue) }},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			l := newLab(t, 1)
			l.plays = func(string, string, int) program { return quick(program{}) }
			stop := l.manage()
			defer stop()
			l.run(func(r *v1alpha1.ValidationRun) { c.spec(l, r) })
			l.see("held up", func() bool { return strings.HasSuffix(state(l.get())["Finished"], "/"+c.reason) })
			begin := time.Now()
			c.change(l)
			l.see("finished", l.finished)
			same(t, "the conditions", passed, state(l.get()))
			if took := time.Since(begin); took > unawaited {
				t.Errorf("it took %s to go on", took)
			}
		})
	}
}

// TestManagerRelaunches: a pod that somebody deletes as soon as it appears is launched again at once.
func TestManagerRelaunches(t *testing.T) {
	l := newLab(t, 1)
	l.plays = func(string, string, int) program { return quick(program{}) }
	l.manage()
	l.run()
	var uids []string
	l.see("deleted three times", func() bool {
		for _, p := range l.pods() {
			if len(uids) < 3 && p.DeletionTimestamp == nil {
				uids = append(uids, string(p.UID))
				l.must(client.IgnoreNotFound(api.Delete(t.Context(), &p, client.GracePeriodSeconds(0))))
			}
		}
		return len(uids) == 3
	})
	l.see("finished", l.finished)
	same(t, "the conditions", passed, state(l.get()))
	same(t, "the attempts stored", 1, len(l.result("a").Benchmarks[0].Attempts))
}

// TestManagerManyRuns: runs of the same nodes take turns, and all end.
func TestManagerManyRuns(t *testing.T) {
	l := newLab(t, 2)
	l.plays = func(string, string, int) program { return quick(program{}) }
	l.manage()
	var runs []*lab
	for _, name := range []string{"-one", "-two"} {
		r := *l
		r.name = l.name + name
		run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: r.name}}
		run.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"lab": l.nodes}}
		run.Spec.Benchmarks = []v1alpha1.BenchmarkRef{{Name: l.nodes}}
		l.create(run)
		t.Cleanup(func() { discard(run.Name) })
		runs = append(runs, &r)
	}
	for _, r := range runs {
		r.see("finished", func() bool {
			for _, other := range runs {
				other.kubelet()
			}
			return r.finished()
		})
		same(t, "the conditions", passed, state(r.get()))
	}
}
