package admission_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const (
	nodesPolicy   = "assay-nodes"
	onlyItsTaints = "Assay may change only taints with a key in assay.dev, or with a key that an administrator allows"
	noEviction    = "Assay may not add a NoExecute taint"
	onlyTaints    = "Assay may change nothing in a node's spec except taints"
	onlyItsLabel  = "Assay may change no node label except assay.dev/verdict and assay.dev/overdue"
	onlyLabels    = "Assay may change nothing in a node's metadata except its labels and its annotations"
	onlyItsNote   = "Assay may change no node annotation except assay.dev/quarantine and assay.dev/gate"
	onlyCondition = "Assay may change nothing in a node's status except the condition assay.dev/Validated"
)

var (
	foreign = corev1.Taint{Key: "nvidia.com/gpu", Value: "present", Effect: corev1.TaintEffectNoSchedule}
	own     = corev1.Taint{Key: "assay.dev/unfit", Value: "failed", Effect: corev1.TaintEffectNoSchedule}
	evicts  = corev1.Taint{Key: "assay.dev/old", Value: "failed", Effect: corev1.TaintEffectNoExecute}
)

// fullNode is a node as a cluster has it.
func fullNode(t *testing.T, name string) *corev1.Node {
	t.Helper()
	node := newNode(name)
	node.Labels = map[string]string{"rack": "7", "assay.dev/pool": "a"}
	node.Annotations = map[string]string{"owner": "alice"}
	node.Spec.Taints = []corev1.Taint{foreign, evicts, {Key: "example.com/repair", Effect: corev1.TaintEffectNoExecute}}
	create(t, admin, node)
	before := node.DeepCopy()
	node.Status = corev1.NodeStatus{
		Capacity:  corev1.ResourceList{"cpu": resource.MustParse("64"), "nvidia.com/gpu": resource.MustParse("8")},
		Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.1"}},
		Images:    []corev1.ContainerImage{{Names: []string{"i"}, SizeBytes: 1}},
		Conditions: []corev1.NodeCondition{
			{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "Ready"},
			{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse, Reason: "Fine"}},
	}
	if err := as("system:node:"+name).Status().Patch(t.Context(), node, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	return node
}

func without(key string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key })
	}
}

func TestWhatTheOperatorChangesOfANode(t *testing.T) {
	cases := map[string]struct {
		change func(*corev1.Node)
		want   string
	}{
		"it adds its taint":  {func(n *corev1.Node) { n.Spec.Taints = append(n.Spec.Taints, own) }, ""},
		"it lifts its taint": {without(evicts.Key), ""},
		"it evicts nobody": {func(n *corev1.Node) {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: own.Key, Effect: "NoExecute"})
		}, noEviction},
		"others' taints stay":             {without(foreign.Key), onlyItsTaints + " (variable allowedTaintKeys of this policy, chart: quarantine.allowedTaintKeys). Allowed now: none"},
		"others' taints keep their value": {func(n *corev1.Node) { n.Spec.Taints[0].Value = "failed" }, onlyItsTaints},
		"it adds no taint of others": {func(n *corev1.Node) {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "site/unfit", Effect: "NoSchedule"})
		}, onlyItsTaints},
		"assay.dev.example.com is no key of assay.dev": {func(n *corev1.Node) {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "assay.dev.example.com/x", Effect: "NoSchedule"})
		}, onlyItsTaints},
		"it cordons nothing":             {func(n *corev1.Node) { n.Spec.Unschedulable = true }, onlyTaints},
		"it sets no provider":            {func(n *corev1.Node) { n.Spec.ProviderID = "x://1" }, onlyTaints},
		"labels are not changed so":      {func(n *corev1.Node) { n.Labels["rack"] = "8" }, onlyItsLabel},
		"nor its own":                    {func(n *corev1.Node) { n.Labels["assay.dev/verdict"] = "passed" }, onlyItsLabel + ", and those only through nodes/status"},
		"it says who opened a gate":      {func(n *corev1.Node) { n.Annotations[v1alpha1.AnnotationGate] = "{}" }, ""},
		"it marks its taint":             {func(n *corev1.Node) { n.Annotations[v1alpha1.AnnotationQuarantine] = "{}" }, ""},
		"a key like its mark's":          {func(n *corev1.Node) { n.Annotations[v1alpha1.AnnotationQuarantine+"d"] = "{}" }, onlyItsNote},
		"annotations are not changed":    {func(n *corev1.Node) { n.Annotations["owner"] = "bob" }, onlyItsNote},
		"annotations are not added":      {func(n *corev1.Node) { n.Annotations["x"] = "y" }, onlyItsNote},
		"annotations are not taken away": {func(n *corev1.Node) { n.Annotations = nil }, onlyItsNote},
		"finalizers are not set":         {func(n *corev1.Node) { n.Finalizers = []string{"example.com/x"} }, onlyLabels},
		"owners are not set": {func(n *corev1.Node) {
			n.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "p", UID: "u"}}
		}, onlyLabels},
	}
	node := fullNode(t, "main")
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			changed := node.DeepCopy()
			c.change(changed)
			check(t, nodesPolicy, operatorWrites(t.Context(), changed.DeepCopy(), client.DryRunAll), c.want)
			check(t, nodesPolicy, as(admin).Update(t.Context(), changed, client.DryRunAll), "")
		})
	}
}

func TestWhatTheOperatorChangesOfANodesStatus(t *testing.T) {
	cases := map[string]struct {
		change func(*corev1.Node)
		want   string
	}{
		"its condition": {func(n *corev1.Node) {
			n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: v1alpha1.NodeConditionValidated, Status: "True", Reason: "Passed"})
		}, ""},
		"its label":              {func(n *corev1.Node) { n.Labels[v1alpha1.LabelVerdict] = "passed" }, ""},
		"its label of policies":  {func(n *corev1.Node) { n.Labels[v1alpha1.LabelOverdue] = "h200" }, ""},
		"no other label":         {func(n *corev1.Node) { n.Labels["rack"] = "8" }, onlyItsLabel},
		"no label is taken away": {func(n *corev1.Node) { delete(n.Labels, "assay.dev/pool") }, onlyItsLabel},
		"no annotation":          {func(n *corev1.Node) { n.Annotations["x"] = "y" }, onlyItsNote},
		"no mark of a taint":     {func(n *corev1.Node) { n.Annotations[v1alpha1.AnnotationQuarantine] = "{}" }, onlyItsNote},
		"no record of a gate":    {func(n *corev1.Node) { n.Annotations[v1alpha1.AnnotationGate] = "{}" }, onlyItsNote},
		"no other condition":     {func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionFalse }, onlyCondition},
		"no condition goes":      {func(n *corev1.Node) { n.Status.Conditions = n.Status.Conditions[:1] }, onlyCondition},
		"no condition of others": {func(n *corev1.Node) {
			n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: "X", Status: "True"})
		}, onlyCondition},
		"no capacity":              {func(n *corev1.Node) { n.Status.Capacity["nvidia.com/gpu"] = resource.MustParse("7") }, onlyCondition},
		"no allocatable":           {func(n *corev1.Node) { n.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("1")} }, onlyCondition},
		"no address":               {func(n *corev1.Node) { n.Status.Addresses[0].Address = "10.0.0.2" }, onlyCondition},
		"no image":                 {func(n *corev1.Node) { n.Status.Images = nil }, onlyCondition},
		"nothing that it tells":    {func(n *corev1.Node) { n.Status.NodeInfo.KernelVersion = "7" }, onlyCondition},
		"no port of its kubelet":   {func(n *corev1.Node) { n.Status.DaemonEndpoints.KubeletEndpoint.Port = 1 }, onlyCondition},
		"no volume":                {func(n *corev1.Node) { n.Status.VolumesInUse = []corev1.UniqueVolumeName{"v"} }, onlyCondition},
		"no phase":                 {func(n *corev1.Node) { n.Status.Phase = corev1.NodeTerminated }, onlyCondition},
		"no more than one at once": {func(n *corev1.Node) { n.Labels[v1alpha1.LabelVerdict], n.Labels["rack"] = "passed", "8" }, onlyItsLabel},
	}
	node := fullNode(t, "status")
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			changed := node.DeepCopy()
			c.change(changed)
			check(t, nodesPolicy, as(operator).Status().Patch(t.Context(), changed.DeepCopy(), client.MergeFrom(node), client.DryRunAll), c.want)
			check(t, nodesPolicy, as("system:node:status").Status().Patch(t.Context(), changed, client.MergeFrom(node), client.DryRunAll), "")
		})
	}
}

// TestTheRecordOfAGateStays: the operator may say anew who opened a node's gate, but not take that away.
func TestTheRecordOfAGateStays(t *testing.T) {
	node := newNode("recorded")
	node.Annotations = map[string]string{v1alpha1.AnnotationGate: "{}"}
	create(t, admin, node)
	for want, change := range map[string]func(*corev1.Node){
		"":          func(n *corev1.Node) { n.Annotations[v1alpha1.AnnotationGate] = `{"by":"assay"}` },
		onlyItsNote: func(n *corev1.Node) { n.Annotations = nil },
	} {
		changed := node.DeepCopy()
		change(changed)
		check(t, nodesPolicy, operatorWrites(t.Context(), changed, client.DryRunAll), want)
	}
}

// TestTheMarkOfATaintGoesWithIt, and with it alone.
func TestTheMarkOfATaintGoesWithIt(t *testing.T) {
	node := newNode("marked")
	node.Spec.Taints = []corev1.Taint{own}
	node.Annotations = map[string]string{v1alpha1.AnnotationQuarantine: "{}", "owner": "alice"}
	create(t, admin, node)
	for want, change := range map[string]func(*corev1.Node){
		"":          func(n *corev1.Node) { delete(n.Annotations, v1alpha1.AnnotationQuarantine); without(own.Key)(n) },
		onlyItsNote: func(n *corev1.Node) { n.Annotations = nil; without(own.Key)(n) },
	} {
		changed := node.DeepCopy()
		change(changed)
		check(t, nodesPolicy, operatorWrites(t.Context(), changed, client.DryRunAll), want)
	}
}

// TestKubeletsWriteNoMark: by what Assay notes on a node it removes taints, which its kubelet may not.
func TestKubeletsWriteNoMark(t *testing.T) {
	const marks, refused = "assay-marks", "A kubelet may not write the annotations assay.dev/quarantine and assay.dev/gate"
	node := newNode("forger")
	node.Annotations = map[string]string{v1alpha1.AnnotationQuarantine: "{}"}
	create(t, admin, node)
	for sentence, c := range map[string]struct {
		annotations map[string]string
		want        string
	}{
		"another mark":    {map[string]string{v1alpha1.AnnotationQuarantine: `{"id":"x"}`}, refused},
		"no mark":         {nil, refused},
		"an open gate":    {map[string]string{v1alpha1.AnnotationQuarantine: "{}", v1alpha1.AnnotationGate: "{}"}, refused},
		"what is its own": {map[string]string{v1alpha1.AnnotationQuarantine: "{}", "volumes.kubernetes.io/controller-managed-attach-detach": "true"}, ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			changed := node.DeepCopy()
			changed.Annotations = c.annotations
			check(t, marks, kubelet(node.Name).Update(t.Context(), changed, client.DryRunAll), c.want)
			check(t, marks, kubelet(node.Name).Status().Update(t.Context(), changed.DeepCopy(), client.DryRunAll), c.want)
			check(t, marks, as(admin).Update(t.Context(), changed, client.DryRunAll), "")
		})
	}
	born := newNode("born")
	born.Annotations = node.Annotations
	check(t, marks, kubelet(born.Name).Create(t.Context(), born, client.DryRunAll), refused)
	check(t, marks, kubelet(born.Name).Create(t.Context(), newNode(born.Name), client.DryRunAll), "")
}

// TestTheOperatorsApplyPasses: condition and label come in one server-side apply, again and again, and the label of policies comes and goes beside
// them.
func TestTheOperatorsApplyPasses(t *testing.T) {
	node := fullNode(t, "applied")
	for _, verdict := range []string{"passed", "failed", "failed", "passed"} {
		status := corev1.ConditionTrue
		if verdict == "failed" {
			status = corev1.ConditionFalse
		}
		apply := corev1ac.Node(node.Name).WithUID(node.UID).WithLabels(map[string]string{v1alpha1.LabelVerdict: verdict}).
			WithStatus(corev1ac.NodeStatus().WithConditions(corev1ac.NodeCondition().
				WithType(v1alpha1.NodeConditionValidated).WithStatus(status).WithReason("R").WithMessage("m")))
		check(t, nodesPolicy, as(operator).Status().Apply(t.Context(), apply, client.FieldOwner("assay"), client.ForceOwnership), "")
		live := &corev1.Node{}
		if err := api.Get(t.Context(), client.ObjectKeyFromObject(node), live); err != nil {
			t.Fatal(err)
		}
		if n := len(live.Status.Conditions); live.Labels[v1alpha1.LabelVerdict] != verdict || n != 3 {
			t.Errorf("label %q and %d conditions, want %q and 3", live.Labels[v1alpha1.LabelVerdict], n, verdict)
		}
		overdue := corev1ac.Node(node.Name).WithUID(node.UID)
		if verdict == "failed" {
			overdue.WithLabels(map[string]string{v1alpha1.LabelOverdue: "h200"})
		}
		check(t, nodesPolicy, as(operator).Status().Apply(t.Context(), overdue, client.FieldOwner("assay-policy"), client.ForceOwnership), "")
		if err := api.Get(t.Context(), client.ObjectKeyFromObject(node), live); err != nil {
			t.Fatal(err)
		}
		if _, marked := live.Labels[v1alpha1.LabelOverdue]; marked != (verdict == "failed") || live.Labels[v1alpha1.LabelVerdict] != verdict {
			t.Errorf("the labels are %v", live.Labels)
		}
		// Others write meanwhile.
		before := live.DeepCopy()
		live.Status.Conditions[1].Message += "."
		if err := as("system:node:applied").Status().Patch(t.Context(), live, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
	}
}
