package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/source"
)

// nodeSet are nodes by the names or patterns that the user gave, or by labels.
type nodeSet struct {
	patterns []string
	used     map[string]bool
	selector string
	selected map[string]bool
}

func newNodeSet(ctx context.Context, from source.Source, side string, patterns []string, selector string) (*nodeSet, error) {
	set := &nodeSet{patterns: patterns, used: map[string]bool{}, selector: selector, selected: map[string]bool{}}
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return nil, fmt.Errorf("%q is no pattern of node names: write names, with * for any text and ? for one character", p)
		}
	}
	if selector == "" {
		return set, nil
	}
	parsed, err := labels.Parse(selector)
	if err != nil {
		return nil, errors.New(cluster.BadSelector(selector, err))
	}
	c, err := from.Connect()
	if err != nil {
		return nil, err
	}
	nodes := &metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NodeList"}}
	err = cluster.Each(ctx, c, nodes, func(n *metav1.PartialObjectMetadata) error {
		set.selected[n.Name] = true
		return nil
	}, client.MatchingLabelsSelector{Selector: parsed})
	if err != nil {
		return nil, fmt.Errorf("listing nodes: %w", err)
	}
	if len(set.selected) == 0 {
		return nil, fmt.Errorf("no node of the cluster has labels that fit --selector-%s %q", side, selector)
	}
	return set, nil
}

func (s *nodeSet) empty() bool { return len(s.patterns) == 0 && s.selector == "" }

// has says whether a node is in the set, and notes which pattern says so.
func (s *nodeSet) has(node string) bool {
	found := s.selected[node]
	for _, p := range s.patterns {
		if ok, _ := path.Match(p, node); ok {
			s.used[p], found = true, true
		}
	}
	return found
}

// unused patterns fit no node.
func (s *nodeSet) unused() []string {
	return slices.DeleteFunc(slices.Clone(s.patterns), func(p string) bool { return s.used[p] })
}

// title of a side made of these nodes.
func (s *nodeSet) title() string {
	names := slices.Clone(s.patterns)
	if s.selector != "" {
		names = append(names, s.selector)
	}
	return cmp.Or(strings.Join(names, ","), "others")
}
