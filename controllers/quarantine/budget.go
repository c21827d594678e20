package quarantine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
	"github.com/assay-dev/assay/internal/operate/taint"
)

const (
	// announced is how long a quarantine that this process has come to know counts although its node does not carry the taint yet: another
	// leader may be about to write it.
	announced = 2 * time.Minute
	// recordsPage bounds what one answer of the API server holds of the metadata of NodeValidations.
	recordsPage = 500
)

// budget is what may be done to nodes at this moment.
type budget struct {
	*taint.Budget
	// ofRun are the run's nodes that carry Assay's taint, or are about to.
	ofRun map[string]bool
	// nodes of the cluster.
	nodes []*corev1.Node
	// records are the NodeValidations of all nodes that something convicts, as they were listed.
	records map[string]metav1.ObjectMeta
	// breaker is what the breaker looks at.
	breaker taint.BreakerInput
	// noneUnfit is why it lets the run call no node unfit now, and noneTainted why it lets it taint none; empty: it does. It is asked once for a batch.
	noneUnfit, noneTainted string
}

// count lists, past the cache, the nodes that are convicted, tainted, or about to be, but for those of a batch of our own that were not before it.
// One list of metadata serves a whole batch. carried: the batch has its taints, and who is about to be tainted stands back for it.
func (p *pass) count(ctx context.Context, batch []*nodeWriter, carried bool) (*budget, error) {
	b, marks := &budget{ofRun: map[string]bool{}, records: map[string]metav1.ObjectMeta{}}, map[string]bool{}
	err := controllers.EachPage(ctx, p.Live, controllers.MetadataList("NodeValidation"), func(page *metav1.PartialObjectMetadataList) {
		for o := range list.Each(page.Items) {
			b.records[o.Name], marks[o.Annotations[v1alpha1.AnnotationQuarantine]] = o.ObjectMeta, true
		}
	}, client.Limit(recordsPage), client.MatchingLabels{v1alpha1.LabelConvicted: "true"})
	if err != nil {
		return nil, fmt.Errorf("counting the unfit nodes: %w", err)
	}
	p.announcements.Keep(func(mark string) bool { return marks[mark] })
	b.breaker = p.Out.Breaker.Input
	if b.nodes, err = p.nodesNow(ctx, b.records); err != nil {
		return nil, err
	}
	b.breaker.Elsewhere = p.Elsewhere(ctx, p.Run.UID, b.nodes, p.Now, slices.Collect(maps.Values(b.records)))
	_, b.noneUnfit = taint.Breaker(b.breaker)
	_, b.noneTainted = taint.MayTaint(b.breaker, -1) // how many carry the taint is another matter
	own := map[string]bool{}
	for _, n := range batch {
		own[n.name()] = !n.counts
	}
	unfit, err := p.unfit(ctx, b, own, carried)
	if err != nil {
		return nil, err
	}
	b.Budget = taint.NewBudget(p.Policy, b.nodes, func(name string) bool { return unfit[name] })
	return b, nil
}

// nodesNow are the nodes as the cache has them. Those of records that are not of what it has, or of nothing that it has, are read live: a node joined, or was
// replaced, and another leader may have called it unfit since.
func (p *pass) nodesNow(ctx context.Context, records map[string]metav1.ObjectMeta) ([]*corev1.Node, error) {
	nodes, seen := make([]*corev1.Node, 0, len(p.Nodes)), map[string]bool{}
	for _, n := range p.Nodes {
		if record, is := records[n.Name]; !is || ownedBy(record, n) {
			nodes, seen[n.Name] = append(nodes, n), true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(records)) {
		if seen[name] {
			continue
		}
		node, _, err := p.readLive(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("counting node %s: %w", name, err)
		}
		if node != nil {
			nodes = append(nodes, node)
		}
	}
	return nodes, nil
}

// unfit nodes beside our own batch. A stray taint of Assay's counts as well, until it is removed, and one without a mark, until it is adopted.
func (p *pass) unfit(ctx context.Context, b *budget, own map[string]bool, carried bool) (map[string]bool, error) {
	unfit, nodes := map[string]bool{}, make(map[string]*corev1.Node, len(b.records))
	for _, n := range b.nodes {
		n = recentwrites.Fresh(p.Recent, n)
		if !own[n.Name] && (taint.Marked(n) || p.carriesRecorded(n)) {
			unfit[n.Name], b.ofRun[n.Name] = true, p.Out.Has(n.Name)
		}
		if _, known := b.records[n.Name]; known {
			nodes[n.Name] = n
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.records)) {
		node, record := nodes[name], b.records[name]
		if own[name] || unfit[name] || node == nil || !ownedBy(record, node) {
			continue
		}
		mark := record.Annotations[v1alpha1.AnnotationQuarantine]
		tainted, err := p.isToWear(ctx, node, mark, carried)
		if err != nil {
			return nil, fmt.Errorf("counting node %s: %w", name, err)
		}
		if tainted || mark == "" { // where a person has taken the taint away, the node does not count
			unfit[name], b.ofRun[name] = true, tainted && p.Out.Has(name)
		}
	}
	return unfit, nil
}

// isToWear: the node carries the taint of this mark, or is about to. A quarantine that was announced long ago, and never carried out, is given up: whoever
// may still be about to write its taint is kept from that first, and counts as long as it is not.
func (p *pass) isToWear(ctx context.Context, node *corev1.Node, mark string, carried bool) (bool, error) {
	if mark == "" {
		return false, nil
	}
	lately := p.announcements.lately(mark, node, p.Clock.Now())
	switch {
	case lately && !carried:
		return true, nil
	case !lately && p.announcements.others(mark):
		live, err := p.fence(ctx, node, mark)
		if errors.Is(err, errUnfenced) {
			return true, nil
		}
		return live != nil && taint.Wears(live, mark), err
	}
	live := &corev1.Node{} // the cache may not have seen the taint come yet
	err := p.Live.Get(ctx, client.ObjectKey{Name: node.Name}, live)
	return taint.Wears(live, mark), client.IgnoreNotFound(err)
}

// carriesRecorded: the node carries just the taint that its record wants, as that was read; whoever removed the mark, or never wrote it, it is Assay's.
func (p *pass) carriesRecorded(node *corev1.Node) bool {
	v := p.Quarantined[node.Name]
	return v != nil && v.Fingerprint.NodeUID == node.UID && taint.Carries(node, v.Quarantine)
}
