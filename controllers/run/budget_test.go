package run

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestLastWrite: an announcement is as old as its last write, not as the record of the node, which may have been there for months.
func TestLastWrite(t *testing.T) {
	created := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(months int) *metav1.Time { return &metav1.Time{Time: created.AddDate(0, months, 0)} }
	v := &v1alpha1.NodeValidation{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(created)}}
	if got := lastWrite(v); !got.Equal(created) {
		t.Errorf("never written since it was created, but at %s", got)
	}
	v.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "a", Time: at(1)}, {Manager: "b", Time: at(3)}, {Manager: "c"}, {Manager: "d", Time: at(2)}}
	if got := lastWrite(v); !got.Equal(at(3).Time) {
		t.Errorf("last written at %s, want %s", got, at(3))
	}
}
