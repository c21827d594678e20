package controllers_test

import (
	"bytes"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func (l *lab) editBenchmark(name string, change func(*v1alpha1.Benchmark)) {
	l.t.Helper()
	b := &v1alpha1.Benchmark{}
	l.must(api.Get(l.t.Context(), keyOf(name), b))
	change(b)
	l.must(api.Update(l.t.Context(), b))
}

// TestTheCatalogueOfARunIsPinned: whatever becomes of Benchmarks and HardwareProfiles while it goes on, also across a restart of the
// operator, a run measures and judges by what it was started with.
func TestTheCatalogueOfARunIsPinned(t *testing.T) {
	t.Parallel()
	for sentence, c := range map[string]struct {
		change  func(l *lab)
		restart bool
	}{
		"a Benchmark is deleted":                            {func(l *lab) { l.must(api.Delete(l.t.Context(), l.benchmark(l.name))) }, false},
		"a Benchmark is deleted, and the operator restarts": {func(l *lab) { l.must(api.Delete(l.t.Context(), l.benchmark(l.name))) }, true},
		"a Benchmark is made anew, as a Helm upgrade does": {func(l *lab) {
			l.must(api.Delete(l.t.Context(), l.benchmark(l.name)))
			anew := l.benchmark(l.name)
			anew.Spec.Image, anew.Spec.Metrics[0].Expectation.Min = "registry.example/rate:2", "10"
			l.must(api.Create(l.t.Context(), anew))
		}, true},
		"a Benchmark is edited": {func(l *lab) {
			l.editBenchmark(l.name, func(b *v1alpha1.Benchmark) {
				b.Spec.Image, b.Spec.Metrics[0].Expectation.Min = "registry.example/rate:2", "10"
			})
		}, true},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 2)
			l.plays = on("a", program{rate: 50})
			l.run(tainting)
			l.until("node a has failed once", func() bool { r := l.result("a"); return r != nil && len(r.Benchmarks[0].Attempts) == 1 })
			c.change(l)
			if c.restart {
				l.restart()
			}
			var images []string
			l.until("finished", func() bool {
				for _, p := range l.pods() {
					images = append(images, p.Spec.Containers[0].Image)
				}
				return l.finished()
			})
			run := l.finish()
			same(t, "the conditions", failed, state(run))
			same(t, "node a", unfit, l.standing("a"))
			same(t, "node b", fit, l.standing("b"))
			same(t, "attempts of node a", 2, len(l.result("a").Benchmarks[0].Attempts))
			slices.Sort(images)
			same(t, "images", []string{"registry.example/rate:1"}, slices.Compact(images))
			pinned := run.Status.Catalogue
			if len(pinned.Benchmarks) != 1 || pinned.Benchmarks[0].Name != l.name || pinned.Benchmarks[0].Generation != 1 || pinned.Benchmarks[0].Configuration == "" {
				t.Errorf("pinned: %+v", pinned)
			}
		})
	}
}

// TestASuiteIsPinned: a Benchmark that leaves a suite, or joins it, in mid-run changes nothing.
func TestASuiteIsPinned(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	other := l.benchmark(l.name + "-late")
	l.editBenchmark(l.name, func(b *v1alpha1.Benchmark) { b.Spec.Suites = []string{l.name} })
	l.plays = always(program{rate: 50})
	l.run(tainting, func(r *v1alpha1.ValidationRun) { r.Spec.Benchmarks, r.Spec.Suite = nil, l.name })
	l.until("one attempt is stored", func() bool { return l.result("a") != nil })
	l.editBenchmark(l.name, func(b *v1alpha1.Benchmark) { b.Spec.Suites = nil })
	other.Spec.Suites = []string{l.name}
	l.create(other)
	l.restart()
	l.finish()
	same(t, "node a", unfit, l.standing("a"))
	same(t, "benchmarks measured", 1, len(l.result("a").Benchmarks))
}

// TestHardwareProfilesArePinned: a peak that is corrected in mid-run is for the next run.
func TestHardwareProfilesArePinned(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	p := &v1alpha1.HardwareProfile{ObjectMeta: metav1.ObjectMeta{Name: l.name}}
	p.Spec.Selector = metav1.LabelSelector{MatchLabels: map[string]string{"lab": l.name}}
	p.Spec.Peaks = []v1alpha1.Peak{{Name: "rate", Unit: "GB/s", Value: "100", Source: "test"}}
	l.create(p)
	t.Cleanup(func() { _ = api.Delete(background, p) })
	l.editBenchmark(l.name, func(b *v1alpha1.Benchmark) {
		b.Spec.Metrics[0].Peak, b.Spec.Metrics[0].Expectation = "rate", &v1alpha1.Expectation{MinFractionOfPeak: "0.9"}
	})
	l.plays = on("a", program{rate: 50})
	l.run(tainting)
	l.until("node a has failed once", func() bool { return l.result("a") != nil })
	p.Spec.Peaks[0].Value = "10"
	l.must(api.Update(t.Context(), p))
	l.restart()
	l.finish()
	same(t, "node a, judged by the peak of the start", unfit, l.standing("a"))
	again := l.next("-again")
	again.plays = l.plays
	again.finish()
	same(t, "node a, judged by the corrected peak", fit, l.standing("a"))
}

// TestTheStartIsSafe: an operator that is killed between pinning and starting goes on with what it pinned.
func TestTheStartIsSafe(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{rate: 50})
	l.run(tainting)
	l.hand.before = func(_ int, w write, _ runtime.Object) error {
		if w == "patch status ValidationRun" {
			return errKilled
		}
		return nil
	}
	l.tolerate = func(error) bool { return true }
	l.pass()
	l.hand.before = nil
	l.editBenchmark(l.name, func(b *v1alpha1.Benchmark) { b.Spec.Metrics[0].Expectation.Min = "10" })
	l.restart()
	l.finish()
	same(t, "node a, judged by what was pinned", unfit, l.standing("a"))
}

// TestAForgedPinIsNotUsed: a ControllerRevision of the run's name that the run does not own, or of other content, says nothing.
func TestAForgedPinIsNotUsed(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	run := l.run()
	forged := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "validationrun-" + string(run.UID)},
		Data: runtime.RawExtension{Raw: []byte(`{"benchmarks":[]}`)}, Revision: 1}
	l.must(api.Create(t.Context(), forged))
	l.pass()
	same(t, "the conditions", "True/Invalid", state(l.get())[v1alpha1.ConditionStalled])
	contains(t, "the message", finishedMessage(l.get()), "is not the one that this run was started with")
	l.must(api.Delete(t.Context(), forged))
	same(t, "the conditions once it is gone", passed, state(l.finish()))
}

// TestAPinOfOtherContentIsNotUsed: who deletes a run's ControllerRevision and makes another one in its place, owner and all, changes no
// bound of the run.
func TestAPinOfOtherContentIsNotUsed(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{forever: true})
	l.run()
	l.until("a pod runs", func() bool { return l.anyPod(corev1.PodRunning) })
	pinned := &appsv1.ControllerRevision{}
	l.must(api.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: l.get().Status.Catalogue.Revision}, pinned))
	other := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: pinned.Name, Labels: pinned.Labels, OwnerReferences: pinned.OwnerReferences},
		Data: runtime.RawExtension{Raw: bytes.Replace(pinned.Data.Raw, []byte(`"min":"90"`), []byte(`"min":"10"`), 1)}, Revision: 1}
	if bytes.Equal(other.Data.Raw, pinned.Data.Raw) {
		t.Fatalf("no bound to change in %s", pinned.Data.Raw)
	}
	l.must(api.Delete(t.Context(), pinned))
	l.must(api.Create(t.Context(), other))
	l.pass()
	same(t, "an operator that has read the right one goes on", "True/Running", state(l.get())[v1alpha1.ConditionReconciling])
	l.restart()
	l.pass()
	same(t, "the conditions", "True/Invalid", state(l.get())[v1alpha1.ConditionStalled])
	contains(t, "the message", finishedMessage(l.get()), "is not the one that this run was started with")
}

// TestAPinThatIsGone: a run whose ControllerRevision somebody deleted goes on where the catalogue is still the same, and says what happened
// where it is not.
func TestAPinThatIsGone(t *testing.T) {
	t.Parallel()
	for sentence, changed := range map[string]bool{"and the catalogue is the same": false, "and a bound has changed": true} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 1)
			l.run()
			l.until("a pod runs", func() bool { return l.anyPod(corev1.PodRunning) })
			l.must(api.Delete(t.Context(), &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: l.get().Status.Catalogue.Revision}}))
			l.restart()
			if !changed {
				same(t, "the conditions", passed, state(l.finish()))
				return
			}
			l.expect(v1alpha1.Expectation{Min: "10"})
			l.pass()
			same(t, "the conditions", "True/Invalid", state(l.get())[v1alpha1.ConditionStalled])
			contains(t, "the message", finishedMessage(l.get()), "which keeps what this run measures, is gone, and the catalogue has changed since")
		})
	}
}

// TestTheCheapestComesFirst: so that a node that is plainly unfit is found out in seconds.
func TestTheCheapestComesFirst(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	names := map[string]int32{"-a": 300, "-b": 30, "-c": 100}
	for suffix, cost := range names {
		b := l.benchmark(l.name + suffix)
		b.Spec.TimeoutSeconds, b.Spec.CostSeconds, b.Spec.Suites = 600, cost, []string{l.name}
		l.create(b)
	}
	l.run(func(r *v1alpha1.ValidationRun) { r.Spec.Benchmarks, r.Spec.Suite = nil, l.name })
	var order []string
	l.hand.after = func(_ int, _ write, o runtime.Object) error {
		if pod, ok := o.(*corev1.Pod); ok && pod.Status.Phase == corev1.PodPending {
			order = append(order, pod.Labels[v1alpha1.LabelBenchmark])
		}
		return nil
	}
	l.finish()
	same(t, "the order", []string{l.name + "-b", l.name + "-c", l.name + "-a"}, order)
}

// TestTheFleetIsOfOneImage: a node whose image changed between its attempts counts in the fleet of the one that the others ran.
func TestTheFleetIsOfOneImage(t *testing.T) {
	t.Parallel()
	l := newLab(t, 4)
	l.expect(v1alpha1.Expectation{Min: "90", MaxFleetDeviation: "0.05"})
	l.plays = func(node, _ string, attempt int) program {
		switch {
		case node == "a":
			return program{rate: 92}
		case node == "d" && attempt == 1:
			return program{rate: 50, image: "sha256:old"}
		}
		return program{}
	}
	l.run()
	same(t, "the rows", but(all("abcd", "Pass/Passed"), "a", "Fail/BelowExpectation"), l.rowsOf(l.finish()))
}

// TestAnotherImageConfirmsNothing: a tag that moves in mid-run makes another measurement, and each has its own history.
func TestAnotherImageConfirmsNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = func(_, _ string, attempt int) program {
		return program{rate: 50, image: map[int]string{1: "sha256:aaa", 2: "sha256:bbb", 3: "sha256:bbb"}[attempt]}
	}
	l.run(tainting)
	l.finish()
	attempts := l.result("a").Benchmarks[0].Attempts
	if len(attempts) != 3 || attempts[0].Configuration == attempts[1].Configuration || attempts[1].Configuration != attempts[2].Configuration {
		t.Errorf("attempts: %+v", attempts)
	}
	same(t, "node a", unfit, l.standing("a"))
	v := l.validation("a")
	same(t, "the configuration in its history", attempts[2].Configuration, l.entries("a")[0].Configuration)
	same(t, "the configuration that convicted", attempts[2].Configuration, v.Convictions[0].Configuration)
}

// TestAnImageThatNeverStaysConvictsNobody: no two attempts are of one configuration.
func TestAnImageThatNeverStaysConvictsNobody(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = func(_, _ string, attempt int) program {
		return program{rate: 50, image: "sha256:" + string(rune('a'+attempt))}
	}
	l.run(tainting)
	run := l.finish()
	same(t, "the row", map[string]string{"a": "Error/NotConfirmed"}, l.rowsOf(run))
	contains(t, "its message", l.message(run, "a"), "none of 8 attempts could confirm it", "name the image by digest")
	same(t, "taints", []string{}, taints(l.getNode("a")))
}

// TestPinsGoWithTheirRun: they are owned by it.
func TestPinsGoWithTheirRun(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.run()
	run := l.finish()
	revision := &appsv1.ControllerRevision{}
	l.must(api.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: run.Status.Catalogue.Revision}, revision))
	if !metav1.IsControlledBy(revision, run) {
		t.Errorf("owners: %v", revision.OwnerReferences)
	}
	var pods corev1.PodList
	l.must(api.List(t.Context(), &pods, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.LabelRunName: l.name}))
	same(t, "pods left", 0, len(pods.Items))
}
