package doctor

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/dra"
	"github.com/assay-dev/assay/internal/operate/devicerule"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/doctor"
)

// deviceRules that the operator has made, beside what the marks of nodes ask for. They are read after the nodes: the operator writes them after the marks.
func (s *surveyor) deviceRules(published []*resourcev1.ResourceSlice, nodes map[string]*corev1.Node) {
	rules, byNode := s.ours(), dra.ByNode(published)
	for name, node := range nodes {
		if taints := rules[name]; len(taints) > 0 || node.Annotations[v1alpha1.AnnotationQuarantine] != "" {
			at := dra.PlacesOf(node, byNode[name], func(driver, pool string) bool {
				return nodes[pool] != nil || slices.ContainsFunc(published, func(s *resourcev1.ResourceSlice) bool {
					return s.Spec.Driver == driver && s.Spec.Pool.Name == pool && ptr.Deref(s.Spec.NodeName, "") != name
				})
			})
			o := dra.Shown(node)
			plugin := o == nil && dra.ByPlugin(node) || o != nil && o.Plugin
			s.Rules.Value = append(s.Rules.Value, doctor.Rules{Node: name, Plugin: plugin, Standing: devicerule.Of(node, at, taints)})
		}
		delete(rules, name)
	}
	for name, left := range rules {
		s.Rules.Value = append(s.Rules.Value, doctor.Rules{Node: name, Standing: devicerule.Of(nil, nil, left)})
	}
	slices.SortFunc(s.Rules.Value, func(a, b doctor.Rules) int { return cmp.Compare(a.Node, b.Node) })
}

// ours reads the rules that are Assay's, by node.
func (s *surveyor) ours() map[string][]*resourcev1.DeviceTaintRule {
	var all resourcev1.DeviceTaintRuleList
	err := s.c.List(s.ctx, &all, client.MatchingLabels{v1alpha1.LabelManagedBy: v1alpha1.ManagedByValue})
	if s.NoRules = cluster.Absent(err); !s.NoRules {
		s.Rules.Problem = why(err)
	}
	rules := map[string][]*resourcev1.DeviceTaintRule{}
	for r := range list.Each(all.Items) {
		node := r.Annotations[v1alpha1.AnnotationNode]
		rules[node] = append(rules[node], r)
	}
	return rules
}
