package quarantine

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// announce records that the node is unfit. It always writes: what this process announced before, and could not carry out, another leader may be about to take
// back, and has written the node for that before the node was read here.
func (n *nodeWriter) announce(ctx context.Context) error {
	if !n.tainting() {
		return n.store(ctx, n.next.Validation, n.next.History)
	}
	if err := n.store(ctx, n.judgement.Announced(n.next, uuid.NewUUID()), n.next.History); err != nil {
		return err
	}
	n.announced = true
	n.announcements.Set(n.mark(), announcement{since: n.Clock.Now(), own: true})
	return nil
}

// mark that binds the node to its record.
func (n *nodeWriter) mark() string {
	if n.current.Validation == nil {
		return ""
	}
	return taint.MarkOf(n.current.Validation.Quarantine)
}

// overtaken: somebody has taken back, or replaced, what this process announced. The metadata of the record may lack it, where something strips
// annotations: then the record itself says.
func (n *nodeWriter) overtaken(ctx context.Context, b *budget) (bool, error) {
	listed, ok := b.records[n.name()]
	if !n.announced || listed.Annotations[v1alpha1.AnnotationQuarantine] == n.mark() {
		return false, nil
	}
	if _, told := listed.Annotations[v1alpha1.AnnotationQuarantine]; ok && told {
		return true, nil
	}
	_, record, err := controllers.LiveNode(ctx, n.Live, n.name())
	return taint.MarkOf(quarantineOf(record)) != n.mark(), err
}

// renounce what was announced, after the taint if it was written: nobody counts it once the record is gone.
func (n *nodeWriter) renounce(ctx context.Context) error {
	if err := n.free(ctx, n.mark(), n.spent); err != nil {
		return err
	}
	return n.withdraw(ctx)
}

// giveWay to whoever has changed the record of the node since it was announced. Where the node was tainted before, it gets what the record says now.
func (n *nodeWriter) giveWay(ctx context.Context) error {
	if n.replaced == nil {
		return n.free(ctx, n.mark(), fmt.Sprintf(recordOvertaken, n.name()))
	}
	_, err := n.mend(ctx, n.name())
	return err
}

// withdraw what was announced, and not carried out, from the record. What it was to replace stands again: the node still carries it.
func (n *nodeWriter) withdraw(ctx context.Context) error {
	if n.replaced != nil {
		v := n.current.Validation.DeepCopy()
		v.Quarantine = n.replaced
		return n.store(ctx, v, nil)
	}
	return n.store(ctx, n.judgement.Renounced(n.current.Validation, n.next.Validation.Convictions), nil)
}
