package owned

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// eventReader answers every list with these events and counts the lists.
type eventReader struct {
	client.Reader
	events []corev1.Event
	lists  int
	asked  string
}

func (r *eventReader) List(_ context.Context, list client.ObjectList, options ...client.ListOption) error {
	r.lists++
	r.asked = (&client.ListOptions{}).ApplyOptions(options).FieldSelector.String()
	list.(*corev1.EventList).Items = r.events
	return nil
}

// TestComplaintsAreAskedForOnce: however many jobs wait, a pass lists the events once, and gives each job its latest one.
func TestComplaintsAreAskedForOnce(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	event := func(job int, second int, message string) corev1.Event {
		return corev1.Event{InvolvedObject: corev1.ObjectReference{UID: types.UID(fmt.Sprintf("job-%05d", job))}, Reason: "Reason", Message: message,
			LastTimestamp: metav1.NewTime(now.Add(time.Duration(second) * time.Second))}
	}
	reader := &eventReader{events: []corev1.Event{event(7, -2, "new"), event(7, -5, "old"), event(9, -1, "other"), event(1000, 0, "of another run")}}
	r := &Objects{Live: reader}
	stalled := map[types.UID]bool{}
	for i := range 100 {
		stalled[types.UID(fmt.Sprintf("job-%05d", i))] = true
	}
	got := r.Complaints(t.Context(), stalled)
	if want := "involvedObject.kind=MPIJob,type=Warning"; reader.lists != 1 || reader.asked != want {
		t.Errorf("%d lists, the last one for %q, want one for %q", reader.lists, reader.asked, want)
	}
	if diff := cmp.Diff(map[types.UID]string{"job-00007": "Reason: new", "job-00009": "Reason: other"}, got); diff != "" {
		t.Errorf("other complaints (-want +got):\n%s", diff)
	}
	if r.Complaints(t.Context(), nil); reader.lists != 1 {
		t.Error("events are listed although no job waits")
	}
}

// jobReader answers every list with these MPIJobs.
type jobReader struct {
	client.Reader
	jobs []metav1.PartialObjectMetadata
}

func (r *jobReader) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	list.(*metav1.PartialObjectMetadataList).Items = r.jobs
	return nil
}

// TestJobsOfOthers: a label says whose an MPIJob is to be, its owner whose it is.
func TestJobsOfOthers(t *testing.T) {
	run := &v1alpha1.ValidationRun{}
	run.Name, run.UID = "run", "run-uid"
	job := func(name string, owners ...metav1.OwnerReference) metav1.PartialObjectMetadata {
		return metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: owners}}
	}
	owner := func(uid types.UID) metav1.OwnerReference {
		return metav1.OwnerReference{UID: uid, Controller: new(true)}
	}
	r := &Objects{Live: &jobReader{jobs: []metav1.PartialObjectMetadata{job("its own", owner("run-uid")), job("of another run", owner("another")), job("of nobody")}}}
	jobs, known, err := r.Jobs(t.Context(), run)
	if err != nil || !known || len(jobs) != 1 || jobs[0].Name != "its own" {
		t.Errorf("jobs %v of a known kind (%v), error %v: want its own only", jobs, known, err)
	}
}
