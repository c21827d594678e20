package controllers_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/controllers"
)

// answering has every node, and one answer to who asks for a record.
type answering struct {
	client.Reader
	record error
}

func (a answering) Get(_ context.Context, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	if _, node := o.(*corev1.Node); node {
		return nil
	}
	return a.record
}

// TestAKindThatIsGoneIsNoMissingRecord: a gate would open by what nobody could read.
func TestAKindThatIsGoneIsNoMissingRecord(t *testing.T) {
	missing := apierrors.NewNotFound(schema.GroupResource{Resource: "nodevalidations"}, "a")
	gone := apierrors.NewGenericServerResponse(404, "get", schema.GroupResource{Resource: "nodevalidations"}, "a", "404 page not found", 0, true)
	for sentence, c := range map[string]struct {
		answer error
		fails  bool
	}{"there is no record": {missing, false}, "there is no such kind": {gone, true}} {
		t.Run(sentence, func(t *testing.T) {
			node, record, err := controllers.LiveNode(t.Context(), answering{record: c.answer}, "a")
			if (err != nil) != c.fails || !c.fails && (node == nil || record != nil) {
				t.Errorf("node %v, record %v, error %v", node, record, err)
			}
		})
	}
	if !apierrors.HasStatusCause(gone, metav1.CauseTypeUnexpectedServerResponse) {
		t.Error("the answer is not that of an API server without the kind")
	}
}
