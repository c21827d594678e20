package admission_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/integration/apiserver"
)

var (
	gate        = corev1.Taint{Key: "assay.dev/unvalidated", Value: "pending", Effect: corev1.TaintEffectNoSchedule}
	otherValue  = corev1.Taint{Key: gate.Key, Value: "new", Effect: gate.Effect}
	otherEffect = corev1.Taint{Key: gate.Key, Value: gate.Value, Effect: corev1.TaintEffectNoExecute}
)

// kubelet is the API for the kubelet of a node. It has all rights, so that only the admission plugins decide.
func kubelet(node string) client.Client {
	c := impersonated("system:node:" + node)
	c.Impersonate.Groups = []string{"system:nodes", "system:masters"}
	api, err := client.New(c, client.Options{Scheme: scheme, Mapper: api.RESTMapper()})
	if err != nil {
		panic(err)
	}
	return api
}

// gated is a node as its kubelet registers it, with taints of its own.
func gated(name string, taints ...corev1.Taint) *corev1.Node {
	node := newNode(name)
	node.Labels = map[string]string{"assay.dev/gated": "true", corev1.LabelHostname: name}
	node.Spec.Taints = taints
	return node
}

// taintsOf a node, without the one that the API server gives every new node.
func taintsOf(n *corev1.Node) []corev1.Taint {
	var out []corev1.Taint
	for _, t := range n.Spec.Taints {
		if t.Key != corev1.TaintNodeNotReady {
			out = append(out, t)
		}
	}
	return out
}

// gateNewNodes installs the policy, and returns when it acts.
func gateNewNodes(t *testing.T) {
	t.Helper()
	if apiserver.LacksGates(t, config) {
		t.Skip("this API server has no MutatingAdmissionPolicy")
	}
	if err := apply(t.Context(), filepath.Join(configFolder, "admission", "gate")); err != nil {
		t.Fatal(err)
	}
	see(t, "a new node to get the gate's taint", func() bool {
		probe := gated("gate-probe")
		return kubelet(probe.Name).Create(t.Context(), probe, client.DryRunAll) == nil && slices.Contains(probe.Spec.Taints, gate)
	})
}

func TestANewNodeIsGatedAsItIsCreated(t *testing.T) {
	gateNewNodes(t)
	labelled := func(labels map[string]string) *corev1.Node {
		n := gated("new")
		n.Labels = labels
		return n
	}
	cases := map[string]struct {
		node *corev1.Node
		want []corev1.Taint
	}{
		"its kubelet names no taint":                  {gated("new"), []corev1.Taint{gate}},
		"taints of its kubelet are kept":              {gated("new", foreign, own), []corev1.Taint{foreign, own, gate}},
		"the kubelet has gated it itself":             {gated("new", gate), []corev1.Taint{gate}},
		"the kubelet gates it with another value":     {gated("new", otherValue), []corev1.Taint{otherValue}},
		"the same key with another effect is no gate": {gated("new", otherEffect), []corev1.Taint{otherEffect, gate}},
		"a node of another pool":                      {labelled(map[string]string{"assay.dev/gated": "false"}), nil},
		"a node without labels":                       {labelled(nil), nil},
		"a control plane, which no policy validates": {gated("new", corev1.Taint{Key: "node-role.kubernetes.io/control-plane", Effect: "NoSchedule"}),
			[]corev1.Taint{{Key: "node-role.kubernetes.io/control-plane", Effect: "NoSchedule"}}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			for who, user := range map[string]client.Client{"its kubelet": kubelet("new"), "an administrator": as(admin)} {
				node := c.node.DeepCopy()
				if err := user.Create(t.Context(), node, client.DryRunAll); err != nil {
					t.Fatalf("created by %s: %v", who, err)
				}
				if diff := cmp.Diff(c.want, taintsOf(node)); diff != "" {
					t.Errorf("taints of a node created by %s (-want +got):\n%s", who, diff)
				}
			}
		})
	}
}

// TestANodeThatExistsIsNeverGated: whatever is written to it, and by whom, its kubelet that starts anew included.
func TestANodeThatExistsIsNeverGated(t *testing.T) {
	node := gated("older-than-the-gate", foreign)
	node.Labels = nil
	create(t, admin, node)
	gateNewNodes(t)
	mine := kubelet(node.Name)
	steps := []struct {
		what string
		do   func(*corev1.Node) error
	}{
		{"its kubelet registers it again", func(*corev1.Node) error {
			return mine.Create(t.Context(), gated(node.Name))
		}},
		{"an administrator gives it the label", func(n *corev1.Node) error {
			n.Labels = map[string]string{"assay.dev/gated": "true"}
			return as(admin).Update(t.Context(), n)
		}},
		{"an administrator taints it", func(n *corev1.Node) error {
			n.Spec.Taints = append(n.Spec.Taints, own)
			return as(admin).Update(t.Context(), n)
		}},
		{"its kubelet sets a label", func(n *corev1.Node) error {
			return mine.Patch(t.Context(), n, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"rack":"7"}}}`)))
		}},
		{"its kubelet writes its status", func(n *corev1.Node) error {
			before := n.DeepCopy()
			n.Status.NodeInfo.KernelVersion = "7"
			return mine.Status().Patch(t.Context(), n, client.MergeFrom(before))
		}},
		{"Assay lifts its own taint", func(n *corev1.Node) error {
			without(own.Key)(n)
			return operatorWrites(t.Context(), n)
		}},
	}
	for _, s := range steps {
		live := &corev1.Node{}
		if err := api.Get(t.Context(), client.ObjectKeyFromObject(node), live); err != nil {
			t.Fatal(err)
		}
		if err := s.do(live); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Errorf("%s: %v", s.what, err)
		}
		if err := api.Get(t.Context(), client.ObjectKeyFromObject(node), live); err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(live.Spec.Taints, func(t corev1.Taint) bool { return t.Key == gate.Key }) {
			t.Fatalf("%s, and the node is gated: %v", s.what, live.Spec.Taints)
		}
	}
}

// TestWhoOpensTheGate: Assay and administrators, never the kubelet that it is closed for.
func TestWhoOpensTheGate(t *testing.T) {
	gateNewNodes(t)
	node := gated("waiting", foreign)
	if err := kubelet(node.Name).Create(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	open := func(user client.Client) (*corev1.Node, error) {
		opened := node.DeepCopy()
		without(gate.Key)(opened)
		return opened, user.Patch(t.Context(), opened, client.MergeFrom(node), client.DryRunAll)
	}
	if _, err := open(kubelet(node.Name)); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "is not allowed to modify taints") {
		t.Errorf("the kubelet opens its own gate: %v", err)
	}
	for who, user := range map[string]client.Client{"Assay": as(operator), "an administrator": as(admin)} {
		opened, err := open(user)
		if want := []corev1.Taint{foreign}; err != nil || !slices.Equal(taintsOf(opened), want) {
			t.Errorf("opened by %s: taints %v, want %v; %v", who, opened.Spec.Taints, want, err)
		}
	}
	// A kubelet can have its node made anew, which is a new node.
	if err := kubelet(node.Name).Delete(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	again := gated(node.Name)
	if err := kubelet(node.Name).Create(t.Context(), again); err != nil || !slices.Contains(again.Spec.Taints, gate) {
		t.Errorf("the node that was made anew has taints %v; %v", again.Spec.Taints, err)
	}
	if again.Labels[v1alpha1.LabelVerdict] != "" {
		t.Errorf("the node that was made anew has the old one's verdict")
	}
}
