package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/dra"
)

// shownNode is a node as it was shown last, and what it was made of.
type shownNode struct {
	of   string
	node *corev1.Node
}

// Show nodes with what the cache has of their slices. Neither they nor what is returned may be changed.
func (d *Devices) Show(ctx context.Context, nodes []*corev1.Node) ([]*corev1.Node, error) {
	if d == nil {
		return list.Map(nodes, func(n *corev1.Node) *corev1.Node { return dra.ShowBy(n, nil) }), nil
	}
	var found resourcev1.ResourceSliceList
	if err := d.Reader.List(ctx, &found, Shared); err != nil {
		return nil, fmt.Errorf("listing ResourceSlices: %w", err)
	}
	byNode := dra.ByNode(slices.Collect(list.Each(found.Items)))
	d.mu.Lock()
	defer d.mu.Unlock()
	shown := make([]*corev1.Node, len(nodes))
	known := make(map[string]shownNode, len(byNode))
	for i, n := range nodes {
		all := byNode[n.Name]
		if len(all) == 0 {
			shown[i] = dra.ShowBy(n, nil)
			continue
		}
		of := madeOf(n, all)
		was := d.shown[n.Name]
		if was.of != of {
			was = shownNode{of, d.show(n, all)}
		}
		shown[i], known[n.Name] = was.node, was
	}
	d.shown = known
	return shown, nil
}

// ShowLive shows a node that was read past the cache with its slices as they are at this moment.
func (d *Devices) ShowLive(ctx context.Context, n *corev1.Node) (*corev1.Node, error) {
	if d == nil {
		return dra.ShowBy(n, nil), nil
	}
	all, err := d.LiveSlices(ctx, n.Name)
	if err != nil {
		return nil, err
	}
	return d.show(n, all), nil
}

func (d *Devices) show(n *corev1.Node, all []*resourcev1.ResourceSlice) *corev1.Node {
	o, offered := dra.OfferOf(n, all)
	o.NoRules = !d.CanTaint()
	return dra.Show(n, o, offered)
}

// LiveSlices of a node, read past the cache.
func (d *Devices) LiveSlices(ctx context.Context, node string) ([]*resourcev1.ResourceSlice, error) {
	var found resourcev1.ResourceSliceList
	ofNode := client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector(resourcev1.ResourceSliceSelectorNodeName, node)}
	if err := d.Live.List(ctx, &found, ofNode); err != nil {
		return nil, fmt.Errorf("listing the ResourceSlices of node %s: %w", node, err)
	}
	return slices.Collect(list.Each(found.Items)), nil
}

// Current: the cache has all slices as they are at this moment.
func (d *Devices) Current(ctx context.Context) (bool, error) {
	if d == nil {
		return true, nil
	}
	var found resourcev1.ResourceSliceList
	if err := d.Reader.List(ctx, &found, Shared); err != nil {
		return false, fmt.Errorf("listing ResourceSlices: %w", err)
	}
	cached := make(map[string]string, len(found.Items))
	for s := range list.Each(found.Items) {
		cached[s.Name] = s.ResourceVersion
	}
	same, count := true, 0
	err := EachMetadata(ctx, d.Live, resourcev1.SchemeGroupVersion.WithKind("ResourceSliceList"), func(s *metav1.PartialObjectMetadata) {
		same, count = same && cached[s.Name] == s.ResourceVersion, count+1
	})
	return same && count == len(cached), err
}

// madeOf are the versions of a node and its slices: what is made of them is the same as long as these are.
func madeOf(n *corev1.Node, all []*resourcev1.ResourceSlice) string {
	versions := list.Map(all, func(s *resourcev1.ResourceSlice) string { return s.Name + "=" + s.ResourceVersion })
	slices.Sort(versions)
	return strings.Join(append(versions, n.ResourceVersion), " ")
}
