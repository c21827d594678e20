package quarantine

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// announcements are the quarantines that this process knows of, by their marks. No clock of another process has a say in it.
type announcements struct {
	controllers.SyncMap[announcement]
}

// announcement of a quarantine.
type announcement struct {
	since time.Time
	// seen: its taint was there. own: this process made it.
	seen, own bool
	// unfenced is the version of the node that could not be written to keep the taint from coming; empty: none.
	unfenced string
}

// lately: the quarantine is new, and its taint may be about to come.
func (a *announcements) lately(mark string, node *corev1.Node, now time.Time) bool {
	known, ok := a.Get(mark)
	if !ok {
		known.since = now
	}
	known.seen = known.seen || taint.MarkOn(node) == mark
	a.Set(mark, known)
	return !known.seen && now.Sub(known.since) < announced
}

// others: another process announced the quarantine, and may still be about to write its taint, as nobody has seen it there.
func (a *announcements) others(mark string) bool {
	known, _ := a.Get(mark)
	return !known.own && !known.seen
}

// notFenced: the node could not be written as it was then.
func (a *announcements) notFenced(mark string, node *corev1.Node, now time.Time) {
	known, ok := a.Get(mark)
	if !ok {
		known.since = now
	}
	known.unfenced = node.ResourceVersion
	a.Set(mark, known)
}

// moved: anybody has written the node since it could not be fenced, its kubelet perhaps. The taint was made for an older one, and is refused.
func (a *announcements) moved(mark string, node *corev1.Node) bool {
	known, _ := a.Get(mark)
	return known.unfenced != "" && known.unfenced != node.ResourceVersion
}
