package controllers_test

import (
	"path/filepath"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/integration/gitops"
)

// argoCD has the scripts of our sample.
var argoCD = sync.OnceValues(func() (gitops.ArgoCD, error) {
	return gitops.ReadArgoCD(filepath.Join("..", "..", "..", "config", "samples", "argocd", "argocd-cm.yaml"))
})

// checkTools: whatever state a run is in, kubectl wait, Flux and Argo CD read it right. Every test that reads its run checks that.
func checkTools(t *testing.T, run *v1alpha1.ValidationRun) {
	t.Helper()
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(run)
	if err != nil {
		t.Fatal(err)
	}
	o := &unstructured.Unstructured{Object: fields}
	o.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("ValidationRun"))
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
	wantStatus, wantHealth := whatToolsShow(run)
	if computed.Status != wantStatus || health.Status != wantHealth || health.Message == "" {
		t.Errorf("run %s: kstatus says %s and Argo CD %q, want %s and %s; its conditions are %v", run.Name, computed.Status, health, wantStatus, wantHealth, state(run))
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
