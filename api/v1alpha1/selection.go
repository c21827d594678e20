package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// ByLabels is what the run selects by labels; nothing where it names its nodes.
func (s *ValidationRunSpec) ByLabels() (labels.Selector, error) {
	return byLabels(s.Selector, s.AllNodes)
}

// ByLabels is what the policy selects.
func (s *ValidationPolicySpec) ByLabels() (labels.Selector, error) {
	return byLabels(&s.Selector, s.AllNodes)
}

// ByLabels are the nodes that the profile is for.
func (s *HardwareProfileSpec) ByLabels() (labels.Selector, error) {
	return byLabels(&s.Selector, s.AllNodes)
}

// byLabels reads a selector. To Kubernetes an empty one means everything; here it selects nothing: labels that got lost on their way must not
// become every node.
func byLabels(selector *metav1.LabelSelector, allNodes bool) (labels.Selector, error) {
	switch {
	case allNodes:
		return labels.Everything(), nil
	case selector == nil || len(selector.MatchLabels)+len(selector.MatchExpressions) == 0:
		return labels.Nothing(), nil
	}
	return metav1.LabelSelectorAsSelector(selector)
}
