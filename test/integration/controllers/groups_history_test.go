package controllers_test

import (
	"cmp"
	"slices"
	"strconv"
	"testing"
	"time"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestGroupMaxConcurrentNodes: by the history of all MPIJobs and pods, never more nodes at once than the run allows, and never
// a node in two jobs.
func TestGroupMaxConcurrentNodes(t *testing.T) {
	t.Parallel()
	l := newGroupLab(t, 6)
	history := l.record()
	l.run(by("-pairs"), func(r *v1alpha1.ValidationRun) { r.Spec.MaxConcurrentNodes = new(intstr.FromInt32(2)) })
	run := l.finish()
	same(t, "the rows", all("abcdef", "Pass/Passed"), l.rowsOf(run))
	same(t, "the most nodes in jobs at once", 2, history.replay(12))
	l.checkNoJobLeft()
}

// history is all that happened to the MPIJobs and pods of a run.
type history struct {
	l          *lab
	jobs, pods watch.Interface
}

func (l *lab) record() *history {
	l.t.Helper()
	h := &history{l: l}
	for list, to := range map[client.ObjectList]*watch.Interface{&mpi.MPIJobList{}: &h.jobs, &corev1.PodList{}: &h.pods} {
		w, err := api.Watch(l.t.Context(), list, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.LabelRunName: l.name})
		l.must(err)
		l.t.Cleanup(w.Stop)
		*to = w
	}
	return h
}

type happening struct {
	version uint64
	kind    watch.EventType
	object  client.Object
}

// collect reads a watch until everything that appeared is gone again, at least so many objects.
func (h *history) collect(w watch.Interface, least int) []happening {
	h.l.t.Helper()
	var out []happening
	there, appeared := map[string]bool{}, 0
	timeout := time.After(patience)
	for appeared < least || len(there) > 0 {
		select {
		case e := <-w.ResultChan():
			o, ok := e.Object.(client.Object)
			if !ok {
				h.l.t.Fatalf("the watch tells of a %T", e.Object)
			}
			version, err := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
			h.l.must(err)
			out = append(out, happening{version, e.Type, o})
			switch e.Type {
			case watch.Added:
				there[string(o.GetUID())] = true
				appeared++
			case watch.Deleted:
				delete(there, string(o.GetUID()))
			}
		case <-timeout:
			h.l.t.Fatalf("after %s %d objects have appeared, of at least %d, and %d are there", patience, appeared, least, len(there))
		}
	}
	return out
}

// replay goes through the history in order and returns the most nodes that were in MPIJobs, or under workers that may run, at
// once. There were at least so many jobs.
func (h *history) replay(least int) (most int) {
	h.l.t.Helper()
	all := append(h.collect(h.jobs, least), h.collect(h.pods, 3*least)...)
	slices.SortFunc(all, func(a, b happening) int { return cmp.Compare(a.version, b.version) })
	jobs, workers := map[string][]string{}, map[string]string{}
	for _, e := range all {
		uid := string(e.object.GetUID())
		pod, isPod := e.object.(*corev1.Pod)
		switch {
		case !isPod && e.kind == watch.Deleted:
			delete(jobs, uid)
		case !isPod:
			jobs[uid] = h.l.job(e.object).nodes
		case isPod && (e.kind == watch.Deleted || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed):
			delete(workers, uid)
		case isPod && !isLauncher(pod) && pod.Spec.NodeName != "":
			workers[uid] = pod.Spec.NodeName
		}
		inJobs, measured := map[string]bool{}, map[string]bool{}
		for _, nodes := range jobs {
			for _, n := range nodes {
				if inJobs[n] {
					h.l.t.Errorf("node %s is in two MPIJobs at once", n)
				}
				inJobs[n] = true
			}
		}
		for _, n := range workers {
			if measured[n] {
				h.l.t.Errorf("node %s has two workers at once", n)
			}
			measured[n] = true
		}
		most = max(most, len(inJobs), len(measured))
	}
	return most
}
