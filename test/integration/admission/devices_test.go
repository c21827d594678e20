package admission_test

import (
	"context"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
)

const (
	devicesPolicy = "assay-device-taints"
	onlyItsRules  = "Assay may write and delete only DeviceTaintRules with the label"
	onlyOneDevice = "Assay may taint one device at a time"
	onlyItsKeys   = "Assay may taint devices only with a key in assay.dev"
	noDeviceEvict = "Assay may not give a device a NoExecute taint"
)

// newRule is one that the operator writes.
func newRule(name string) *resourcev1.DeviceTaintRule {
	return &resourcev1.DeviceTaintRule{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedByValue}},
		Spec: resourcev1.DeviceTaintRuleSpec{
			DeviceSelector: &resourcev1.DeviceTaintSelector{Driver: new("gpu.nvidia.com"), Pool: new("main"), Device: new("gpu-0")},
			Taint:          resourcev1.DeviceTaint{Key: own.Key, Value: own.Value, Effect: resourcev1.DeviceTaintEffectNoSchedule},
		},
	}
}

// served: the API server has DeviceTaintRules.
func served(t *testing.T) bool {
	t.Helper()
	is, err := controllers.ServesRules(api.RESTMapper())
	if err != nil {
		t.Fatal(err)
	}
	return is
}

func TestWhichDevicesTheOperatorTaints(t *testing.T) {
	if !served(t) {
		t.Skip("the API server has no DeviceTaintRules: Kubernetes 1.37 and later do")
	}
	for sentence, c := range map[string]struct {
		change func(*resourcev1.DeviceTaintRule)
		want   string
	}{
		"one device, by its own taint": {func(*resourcev1.DeviceTaintRule) {}, ""},
		"without an effect":            {func(r *resourcev1.DeviceTaintRule) { r.Spec.Taint.Effect = resourcev1.DeviceTaintEffectNone }, ""},
		"with other labels too":        {func(r *resourcev1.DeviceTaintRule) { r.Labels["x"] = "y" }, ""},
		"nothing without its label":    {func(r *resourcev1.DeviceTaintRule) { r.Labels = nil }, onlyItsRules},
		"nothing with another's label": {func(r *resourcev1.DeviceTaintRule) { r.Labels[v1alpha1.LabelManagedBy] = "x" }, onlyItsRules},
		"not all devices":              {func(r *resourcev1.DeviceTaintRule) { *r.Spec.DeviceSelector = resourcev1.DeviceTaintSelector{} }, onlyOneDevice},
		"not all of a pool":            {func(r *resourcev1.DeviceTaintRule) { r.Spec.DeviceSelector.Device = nil }, onlyOneDevice},
		"not all of that name":         {func(r *resourcev1.DeviceTaintRule) { r.Spec.DeviceSelector.Pool = nil }, onlyOneDevice},
		"not that of any driver":       {func(r *resourcev1.DeviceTaintRule) { r.Spec.DeviceSelector.Driver = nil }, onlyOneDevice},
		"no taint for nothing":         {func(r *resourcev1.DeviceTaintRule) { r.Spec.DeviceSelector = nil }, onlyOneDevice},
		"no taint of others":           {func(r *resourcev1.DeviceTaintRule) { r.Spec.Taint.Key = "gpu.nvidia.com/xid" }, onlyItsKeys + ", or with a key that an administrator allows (variable allowedTaintKeys of this policy, chart: quarantine.allowedTaintKeys). Allowed now: none"},
		"a key like its own":           {func(r *resourcev1.DeviceTaintRule) { r.Spec.Taint.Key = "assay.dev.example.com/x" }, onlyItsKeys},
		"it evicts nobody":             {func(r *resourcev1.DeviceTaintRule) { r.Spec.Taint.Effect = resourcev1.DeviceTaintEffectNoExecute }, noDeviceEvict},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			rule := newRule("created")
			c.change(rule)
			check(t, devicesPolicy, as(operator).Create(t.Context(), rule.DeepCopy(), client.DryRunAll), c.want)
			check(t, devicesPolicy, as(admin).Create(t.Context(), rule, client.DryRunAll), "")
		})
	}
}

// TestTheOperatorLeavesRulesOfOthersAlone, and keeps what it may not write from becoming of a rule of its own.
func TestTheOperatorLeavesRulesOfOthersAlone(t *testing.T) {
	if !served(t) {
		t.Skip("the API server has no DeviceTaintRules: Kubernetes 1.37 and later do")
	}
	mine, theirs := newRule("mine"), newRule("theirs")
	theirs.Labels = nil
	for _, rule := range []*resourcev1.DeviceTaintRule{mine, theirs} {
		create(t, admin, rule)
		t.Cleanup(func() { _ = api.Delete(context.Background(), rule.DeepCopy()) })
	}
	adopted, renamed, evicts := theirs.DeepCopy(), mine.DeepCopy(), mine.DeepCopy()
	adopted.Labels = mine.Labels
	renamed.Spec.DeviceSelector.Device = new("gpu-1")
	evicts.Spec.Taint.Effect = resourcev1.DeviceTaintEffectNoExecute
	by := as(operator)
	check(t, devicesPolicy, by.Update(t.Context(), renamed, client.DryRunAll), "")
	check(t, devicesPolicy, by.Update(t.Context(), adopted, client.DryRunAll), onlyItsRules)
	check(t, devicesPolicy, by.Update(t.Context(), evicts, client.DryRunAll), noDeviceEvict)
	check(t, devicesPolicy, by.Delete(t.Context(), theirs.DeepCopy(), client.DryRunAll), onlyItsRules)
	check(t, devicesPolicy, by.Delete(t.Context(), mine.DeepCopy(), client.DryRunAll), "")
	check(t, devicesPolicy, as(admin).Delete(t.Context(), theirs.DeepCopy(), client.DryRunAll), "")
}
