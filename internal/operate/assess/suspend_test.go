package assess

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// A run that is suspended does nothing to nodes: docs/on-call.md tells whoever sees too many taints to suspend it.
func TestASuspendedRunTouchesNoNode(t *testing.T) {
	in := measuredRun(4, 1, false)
	in.Tasks[0].Metrics = []v1alpha1.Metric{bandwidth(v1alpha1.Expectation{Min: "200"})}
	in.Run.Spec.Confirmations = new(int32(0))
	in.Run.Spec.OnFailure = &v1alpha1.OnFailure{Taint: &v1alpha1.Taint{Key: "assay.dev/unfit", Effect: corev1.TaintEffectNoSchedule}}
	in.Run.Spec.Suspend = true
	out, err := assessed(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Judged) > 0 {
		t.Errorf("%d nodes are acted on, the first by the verdict %s", len(out.Judged), out.Judged[0].Verdict)
	}
}
