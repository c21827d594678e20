package webhook

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// runsPage bounds what one answer of the API server holds: a run may have more than a MB.
const runsPage = 20

// tellRecent tells what is still worth it of what happened before this process led: runs that ended, and nodes that were tainted. That a taint
// was lifted is recorded nowhere. Runs are read past the cache, which does not keep which nodes of them did not pass.
func (s *Sender) tellRecent(ctx context.Context) error {
	err := controllers.EachPage(ctx, s.Live, &v1alpha1.ValidationRunList{}, func(page *v1alpha1.ValidationRunList) {
		for run := range list.Each(page.Items) {
			c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFinished)
			if run.Finished() && s.isRecent(c.LastTransitionTime) {
				s.RunFinished(run, &run.Status)
			}
		}
	}, client.Limit(runsPage))
	var errs []error
	if err != nil {
		errs = append(errs, fmt.Errorf("listing the runs: %w", err))
	}
	var records v1alpha1.NodeValidationList
	if err := s.Reader.List(ctx, &records, controllers.Shared); err != nil {
		errs = append(errs, fmt.Errorf("listing the NodeValidations: %w", err))
	}
	for i := range records.Items {
		if q := records.Items[i].Quarantine; q != nil && s.isRecent(q.Since) {
			errs = append(errs, s.tellTaint(ctx, records.Items[i].Name, q))
		}
	}
	return errors.Join(errs...)
}

func (s *Sender) isRecent(t metav1.Time) bool { return s.Clock.Since(t.Time) < tryFor }

// tellTaint of a quarantine, if the node carries it.
func (s *Sender) tellTaint(ctx context.Context, name string, q *v1alpha1.Quarantine) error {
	node := &corev1.Node{}
	if err := s.Reader.Get(ctx, client.ObjectKey{Name: name}, node, controllers.Shared); err != nil {
		return client.IgnoreNotFound(err)
	}
	if taint.MarkOn(node) != taint.MarkOf(q) {
		return nil
	}
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: q.Run.Name, UID: q.Run.UID}}
	result := &v1alpha1.ValidationResult{}
	err := s.Live.Get(ctx, client.ObjectKey{Name: v1alpha1.ResultName(run, name)}, result)
	if err != nil { // the run may be gone, and its results with it
		result = nil
	}
	s.TaintAdded(node, q, result)
	return client.IgnoreNotFound(err)
}
