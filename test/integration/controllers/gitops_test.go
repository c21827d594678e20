package controllers_test

import (
	"path/filepath"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/integration/gitops"
)

// argoCD has the scripts of our sample.
var argoCD = sync.OnceValues(func() (gitops.ArgoCD, error) {
	return gitops.ReadArgoCD(filepath.Join("..", "..", "..", "config", "samples", "argocd", "argocd-cm.yaml"))
})

// checkTools: whatever state a run is in, Flux and Argo CD read it right. Every test that reads its run checks that.
func checkTools(t *testing.T, run *v1alpha1.ValidationRun) {
	t.Helper()
	kstatus, health := whatToolsShow(run)
	checkShown(t, run, v1alpha1.GroupVersion.WithKind("ValidationRun"), kstatus, health)
}

// checkPolicyTools is checkTools for a policy.
func checkPolicyTools(t *testing.T, p *v1alpha1.ValidationPolicy) {
	t.Helper()
	kstatus, health := whatToolsShowOfAPolicy(p)
	checkShown(t, p, v1alpha1.GroupVersion.WithKind("ValidationPolicy"), kstatus, health)
}

func checkShown(t *testing.T, of client.Object, kind schema.GroupVersionKind, wantStatus status.Status, wantHealth string) {
	t.Helper()
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(of)
	if err != nil {
		t.Fatal(err)
	}
	o := &unstructured.Unstructured{Object: fields}
	o.SetGroupVersionKind(kind)
	computed, err := status.Compute(o)
	if err != nil {
		t.Fatal(err)
	}
	argo, err := argoCD()
	if err != nil {
		t.Fatal(err)
	}
	health, err := argo.Health(o)
	if err != nil {
		t.Fatal(err)
	}
	if computed.Status != wantStatus || health.Status != wantHealth || health.Message == "" {
		t.Errorf("%s %s: kstatus says %s and Argo CD %q, want %s and %s; its status is %v", kind.Kind, of.GetName(), computed.Status, health, wantStatus, wantHealth,
			fields["status"])
	}
}

func whatToolsShow(run *v1alpha1.ValidationRun) (kstatus status.Status, health string) {
	is := func(kind string) bool { return meta.IsStatusConditionTrue(run.Status.Conditions, kind) }
	switch {
	case run.DeletionTimestamp != nil:
		return status.TerminatingStatus, "Progressing"
	case run.Status.ObservedGeneration != run.Generation:
		return status.InProgressStatus, "Progressing"
	case is(v1alpha1.ConditionFinished) && run.Status.Verdict == v1alpha1.VerdictPass:
		return status.CurrentStatus, "Healthy"
	case is(v1alpha1.ConditionFinished) || state(run)[v1alpha1.ConditionFinished] == "False/"+v1alpha1.ReasonInvalid:
		return status.FailedStatus, "Degraded"
	case run.Spec.Suspend:
		return status.CurrentStatus, "Suspended"
	}
	return status.InProgressStatus, "Progressing"
}

func whatToolsShowOfAPolicy(p *v1alpha1.ValidationPolicy) (kstatus status.Status, health string) {
	is := func(kind string) bool { return meta.IsStatusConditionTrue(p.Status.Conditions, kind) }
	switch {
	case p.DeletionTimestamp != nil:
		return status.TerminatingStatus, "Progressing"
	case p.Status.ObservedGeneration != p.Generation:
		return status.InProgressStatus, "Progressing"
	case is(v1alpha1.ConditionStalled):
		return status.FailedStatus, "Degraded"
	case !is(v1alpha1.ConditionReady): // what was refused is tried again
		return status.InProgressStatus, "Progressing"
	case p.Spec.Suspend:
		return status.CurrentStatus, "Suspended"
	}
	if n := p.Status.Nodes; n.Failed+n.Overdue > 0 {
		return status.CurrentStatus, "Degraded"
	} else if n.Valid < n.Selected {
		return status.CurrentStatus, "Progressing"
	}
	return status.CurrentStatus, "Healthy"
}
