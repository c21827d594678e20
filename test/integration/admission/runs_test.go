package admission_test

import (
	"context"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const quarantinePolicy = "assay-quarantine"

func TestTaintsThatRunsMayAskFor(t *testing.T) {
	cases := map[string]struct {
		taint *v1alpha1.Taint
		want  string
	}{
		"none":                   {nil, ""},
		"the default":            {&v1alpha1.Taint{}, ""},
		"a key of assay.dev":     {&v1alpha1.Taint{Key: "assay.dev/slow", Effect: "PreferNoSchedule"}, ""},
		"not one that evicts":    {&v1alpha1.Taint{Effect: "NoExecute"}, "NoExecute evicts running pods from failed nodes, and this cluster does not allow that. Use NoSchedule"},
		"not one of others":      {&v1alpha1.Taint{Key: "nvidia.com/gpu"}, "spec.onFailure.taint.key: nvidia.com/gpu is outside assay.dev, and this cluster does not allow it"},
		"not one without domain": {&v1alpha1.Taint{Key: "unfit"}, "unfit is outside assay.dev"},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			run := newRun(v1alpha1.Taint{})
			if run.Spec.OnFailure.Taint = c.taint; c.taint == nil {
				run.Spec.OnFailure = nil
			}
			check(t, quarantinePolicy, as(admin).Create(t.Context(), run, client.DryRunAll), c.want)
		})
	}
}

// TestWhatTheAdministratorAllows: the variables of the policies, which config/localcluster patches and the chart sets. No test runs
// beside it.
func TestWhatTheAdministratorAllows(t *testing.T) {
	node := fullNode(t, "allowed")
	node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: "site/unfit", Effect: corev1.TaintEffectNoExecute})
	tries := map[string]func(context.Context) error{
		nodesPolicy: func(ctx context.Context) error { return as(operator).Update(ctx, node.DeepCopy(), client.DryRunAll) },
		quarantinePolicy: func(ctx context.Context) error {
			return as(admin).Create(ctx, newRun(v1alpha1.Taint{Key: "site/unfit", Effect: "NoExecute"}), client.DryRunAll)
		},
		podsPolicy: func(ctx context.Context) error { return as("mpi-operator").Create(ctx, newPod("p"), client.DryRunAll) },
	}
	t.Cleanup(func() {
		for policy, try := range tries {
			if err := await(context.Background(), func() bool { return refusedBy(policy, try(context.Background())) }); err != nil {
				t.Errorf("policy %s does not refuse again what it refused before: %v", policy, err)
			}
		}
	})
	for policy, try := range tries {
		if err := try(t.Context()); !refusedBy(policy, err) {
			t.Errorf("policy %s, before anything is allowed: %v", policy, err)
		}
		setVariables(t, policy, map[string]string{"allowedTaintKeys": `["site/unfit"]`, "allowNoExecute": "true", "mpiOperators": `["mpi-operator"]`})
		if err := await(t.Context(), func() bool { return try(t.Context()) == nil }); err != nil {
			t.Errorf("policy %s still refuses what is allowed now: %v", policy, try(t.Context()))
		}
	}
}

// setVariables changes those variables of a policy that it has, until the test ends.
func setVariables(t *testing.T, policy string, expressions map[string]string) {
	t.Helper()
	p := &admissionv1.ValidatingAdmissionPolicy{}
	if err := api.Get(t.Context(), client.ObjectKey{Name: policy}, p); err != nil {
		t.Fatal(err)
	}
	before := p.Spec.DeepCopy()
	t.Cleanup(func() {
		if err := api.Get(context.Background(), client.ObjectKey{Name: policy}, p); err != nil {
			t.Error(err)
		}
		p.Spec = *before
		if err := api.Update(context.Background(), p); err != nil {
			t.Error(err)
		}
	})
	for i, v := range p.Spec.Variables {
		if expression, ok := expressions[v.Name]; ok {
			p.Spec.Variables[i].Expression = expression
		}
	}
	if err := api.Update(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}
