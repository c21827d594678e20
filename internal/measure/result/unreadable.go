package result

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// Stored is a result by its text. What cannot be decoded is replaced by an error of the benchmarks that it was about: of the node's, which are given, or of the
// group's own. It is an error where not even this much can be told.
func Stored(text []byte, ofNode []string) (*v1alpha1.ValidationResult, error) {
	v := &v1alpha1.ValidationResult{}
	cause := json.Unmarshal(text, v)
	if cause == nil {
		return v, nil
	}
	var is struct {
		metav1.ObjectMeta `json:"metadata"`

		Run        v1alpha1.ObjectReference `json:"run"`
		Node       v1alpha1.ObjectReference `json:"node"`
		Group      *v1alpha1.GroupReference `json:"group"`
		Benchmarks []struct {
			Name string `json:"name"`
		} `json:"benchmarks"`
	}
	if err := json.Unmarshal(text, &is); err != nil {
		return nil, fmt.Errorf("%s: %w", is.Name, cause)
	}
	v = &v1alpha1.ValidationResult{ObjectMeta: is.ObjectMeta, Run: is.Run, Node: is.Node, Group: is.Group, Verdict: v1alpha1.VerdictPending}
	failed := v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonUnreadable,
		Message: quantity.Clip("what ValidationResult "+is.Name+" held could not be decoded, so it counts for nothing and this error stands in "+
			"its place: find out who wrote it, then start another run: "+cause.Error(), maxMessage)}
	if is.Group != nil {
		failed.Round, ofNode = 1, nil
		for _, b := range is.Benchmarks {
			ofNode = append(ofNode, b.Name)
		}
	}
	for _, name := range ofNode {
		v.Benchmarks = append(v.Benchmarks, v1alpha1.BenchmarkResult{Name: name, Verdict: v1alpha1.VerdictPending, Attempts: []v1alpha1.Attempt{failed}})
	}
	return v, nil
}
