package taint

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
)

// Carried is all of a node that decides what follows for it: which machine it is, with which software, and what it says already. A kubelet
// writes much more, every few minutes.
type Carried struct {
	uid, boot, kernel, driver string
	taints, mark, label       string
	status, reason, message   string
}

// CarriedBy a node.
func CarriedBy(node *corev1.Node) Carried {
	f := nodevalidation.MachineOf(node, "", "")
	c := Carried{uid: string(node.UID), boot: f.BootID, kernel: f.Kernel, driver: f.Driver, mark: MarkOn(node), label: node.Labels[v1alpha1.LabelVerdict]}
	if len(node.Spec.Taints) > 0 {
		texts := list.Map(node.Spec.Taints, func(t corev1.Taint) string { return t.ToString() })
		c.taints = strings.Join(texts, ",")
	}
	if said := condition(node); said != nil {
		c.status, c.reason, c.message = string(said.Status), said.Reason, said.Message
	}
	return c
}
