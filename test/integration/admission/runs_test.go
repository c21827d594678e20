package admission_test

import (
	"context"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const (
	quarantinePolicy = "assay-quarantine"
	runsPolicy       = "assay-runs"
)

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

func newPolicy(taint *v1alpha1.Taint) *v1alpha1.ValidationPolicy {
	p := &v1alpha1.ValidationPolicy{ObjectMeta: metav1.ObjectMeta{GenerateName: "policy-"}, Spec: v1alpha1.ValidationPolicySpec{AllNodes: true, Suite: "quick"}}
	if taint != nil {
		p.Spec.Run.OnFailure = &v1alpha1.OnFailure{Taint: taint}
	}
	return p
}

func TestTaintsThatPoliciesMayAskFor(t *testing.T) {
	cases := map[string]struct {
		taint *v1alpha1.Taint
		want  string
	}{
		"none":               {nil, ""},
		"the default":        {&v1alpha1.Taint{}, ""},
		"a key of assay.dev": {&v1alpha1.Taint{Key: "assay.dev/slow"}, ""},
		"not one that evicts": {&v1alpha1.Taint{Effect: "NoExecute"},
			"spec.run.onFailure.taint.effect: NoExecute evicts running pods from failed nodes, and this cluster does not allow that. Use NoSchedule"},
		"not one of others": {&v1alpha1.Taint{Key: "nvidia.com/gpu"}, "spec.run.onFailure.taint.key: nvidia.com/gpu is outside assay.dev, and this cluster does not allow it"},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			check(t, quarantinePolicy, as(admin).Create(t.Context(), newPolicy(c.taint), client.DryRunAll), c.want)
			p := newPolicy(nil)
			create(t, admin, p)
			p.Spec.Run.OnFailure = &v1alpha1.OnFailure{Taint: c.taint}
			check(t, quarantinePolicy, as(admin).Update(t.Context(), p, client.DryRunAll), c.want)
		})
	}
}

// policyRun is a run that a policy controls.
func policyRun(p *v1alpha1.ValidationPolicy) *v1alpha1.ValidationRun {
	run := newRun(v1alpha1.Taint{})
	run.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(p, v1alpha1.GroupVersion.WithKind("ValidationPolicy"))}
	return run
}

// TestTheOperatorsRunsBelongToPolicies: it creates no other runs, and deletes no other.
func TestTheOperatorsRunsBelongToPolicies(t *testing.T) {
	const want = "Assay may create and delete only runs that belong to a ValidationPolicy"
	p := newPolicy(nil)
	create(t, admin, p)
	check(t, runsPolicy, as(operator).Create(t.Context(), policyRun(p), client.DryRunAll), "")
	check(t, runsPolicy, as(operator).Create(t.Context(), newRun(v1alpha1.Taint{}), client.DryRunAll), want)
	check(t, runsPolicy, as(admin).Create(t.Context(), newRun(v1alpha1.Taint{}), client.DryRunAll), "")
	another := policyRun(p)
	another.OwnerReferences[0].Kind = "Pod"
	check(t, runsPolicy, as(operator).Create(t.Context(), another, client.DryRunAll), want)
	for who, c := range map[string]struct {
		run  *v1alpha1.ValidationRun
		want string
	}{operator: {policyRun(p), ""}, admin: {newRun(v1alpha1.Taint{}), want}} {
		create(t, who, c.run)
		check(t, runsPolicy, as(operator).Delete(t.Context(), c.run, client.DryRunAll), c.want)
	}
}

// TestNobodyGivesARunToAPolicy but the operator: runs that look like a policy's keep it from starting its own. Who changes a run otherwise, or
// takes it away from a policy, as the garbage collector does, may.
func TestNobodyGivesARunToAPolicy(t *testing.T) {
	const want = "Only Assay may create a run that belongs to a ValidationPolicy, or give a run to one"
	p, other := newPolicy(nil), newPolicy(nil)
	create(t, admin, p)
	create(t, admin, other)
	check(t, runsPolicy, as(admin).Create(t.Context(), policyRun(p), client.DryRunAll), want)
	onlyCollected := policyRun(p)
	onlyCollected.OwnerReferences[0].Controller = nil
	check(t, runsPolicy, as(admin).Create(t.Context(), onlyCollected, client.DryRunAll), "")
	older := policyRun(p)
	older.OwnerReferences[0].APIVersion = "assay.dev/v1"
	check(t, runsPolicy, as(admin).Create(t.Context(), older, client.DryRunAll), want)

	owned, mine := policyRun(p), newRun(v1alpha1.Taint{})
	create(t, operator, owned)
	create(t, admin, mine)
	for sentence, c := range map[string]struct {
		run    *v1alpha1.ValidationRun
		change func(*v1alpha1.ValidationRun)
		want   string
	}{
		"give one's own run to a policy":      {mine, func(r *v1alpha1.ValidationRun) { r.OwnerReferences = policyRun(p).OwnerReferences }, want},
		"move a run from policy to policy":    {owned, func(r *v1alpha1.ValidationRun) { r.OwnerReferences = policyRun(other).OwnerReferences }, want},
		"suspend one's own run":               {mine, func(r *v1alpha1.ValidationRun) { r.Spec.Suspend = true }, ""},
		"suspend a policy's run":              {owned, func(r *v1alpha1.ValidationRun) { r.Spec.Suspend = true }, ""},
		"let the policy's deletion leave it":  {owned, func(r *v1alpha1.ValidationRun) { r.OwnerReferences[0].BlockOwnerDeletion = nil }, ""},
		"take a policy's run away":            {owned, func(r *v1alpha1.ValidationRun) { r.OwnerReferences = nil }, ""},
		"give a policy's run a label as well": {owned, func(r *v1alpha1.ValidationRun) { r.Labels = map[string]string{"a": "b"} }, ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			changed := c.run.DeepCopy()
			c.change(changed)
			check(t, runsPolicy, as(admin).Update(t.Context(), changed, client.DryRunAll), c.want)
		})
	}
	check(t, runsPolicy, as(admin).Delete(t.Context(), owned, client.DryRunAll), "")
}

// TestGatesThatTheOperatorLifts: with keys that the administrator allows, and it never closes one. No test runs beside it.
func TestGatesThatTheOperatorLifts(t *testing.T) {
	const key = "site/new"
	node := newNode("gated")
	node.Spec.Taints = []corev1.Taint{{Key: key, Value: "pending", Effect: corev1.TaintEffectNoSchedule}}
	create(t, admin, node)
	lift := func(ctx context.Context) error {
		changed := node.DeepCopy()
		without(key)(changed)
		return operatorWrites(ctx, changed, client.DryRunAll)
	}
	check(t, nodesPolicy, lift(t.Context()), onlyItsTaints)
	t.Cleanup(func() {
		if err := await(context.Background(), func() bool { return refusedBy(nodesPolicy, lift(context.Background())) }); err != nil {
			t.Errorf("policy %s does not refuse again what it refused before: %v", nodesPolicy, err)
		}
	})
	setVariables(t, nodesPolicy, map[string]string{"allowedGateKeys": `["site/new"]`})
	if err := await(t.Context(), func() bool { return lift(t.Context()) == nil }); err != nil {
		t.Fatalf("policy %s still refuses what is allowed now: %v", nodesPolicy, lift(t.Context()))
	}
	for sentence, change := range map[string]func(*corev1.Node){
		"it changes none": func(n *corev1.Node) { n.Spec.Taints[0].Value = "x" },
		"it adds none": func(n *corev1.Node) {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectPreferNoSchedule})
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			changed := node.DeepCopy()
			change(changed)
			check(t, nodesPolicy, operatorWrites(t.Context(), changed, client.DryRunAll), "Assay may only lift a taint with a key of variable allowedGateKeys")
		})
	}
}

// TestWhatTheAdministratorAllows: the variables of the policies, which config/localcluster patches and the chart sets. No test runs
// beside it.
func TestWhatTheAdministratorAllows(t *testing.T) {
	node := fullNode(t, "allowed")
	node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: "site/unfit", Effect: corev1.TaintEffectNoExecute})
	tries := map[string]func(context.Context) error{
		nodesPolicy: func(ctx context.Context) error { return operatorWrites(ctx, node.DeepCopy(), client.DryRunAll) },
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
