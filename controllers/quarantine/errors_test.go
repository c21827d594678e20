package quarantine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/hand"
)

// announcedBefore is what another leader announced of a node, and may be about to carry out.
func announcedBefore(node string) *v1alpha1.NodeValidation {
	v := taint.Labelled(quarantined(begin.Add(-time.Hour)), node)
	v.Fingerprint.NodeUID = nodeOf(node).UID
	return v
}

// TestWhoCannotBeKeptFromTaintingIsWaitedFor: a node is written before the quarantine that another leader has announced for it is taken back, or no longer
// counted. Where that write fails, the record stays, and nobody takes the room.
func TestWhoCannotBeKeptFromTaintingIsWaitedFor(t *testing.T) {
	t.Run("its record is to be taken back", func(t *testing.T) {
		record := announcedBefore("a")
		h := hand.New(t, nodeOf("a"), record)
		_, n := acting(t, h, judgement(v1alpha1.VerdictPass, begin), h.Validation(t))
		h.Refuse = hand.Refusing("patch Node a", 99, hand.ErrDown)
		err := n.all(t.Context())
		if v := h.Validation(t); !errors.Is(err, hand.ErrDown) || taint.MarkOf(v.Quarantine) != taint.MarkOf(record.Quarantine) {
			t.Errorf("error %v; the record says %+v after %q", err, v.Quarantine, h.Writes)
		}
	})
	t.Run("it was announced long ago, and counts no more", func(t *testing.T) {
		h := hand.New(t, nodeOf("a"), nodeOf("b"), announcedBefore("b"))
		w, n := acting(t, h, judgement(v1alpha1.VerdictFail, begin), nil)
		w.Nodes = append(w.Nodes, nodeOf("b"))
		w.announcements.Set(taint.MarkOf(announcedBefore("b").Quarantine), announcement{since: begin.Add(-announced)})
		h.Refuse = hand.Refusing("patch Node b", 99, hand.ErrDown)
		_ = n.all(t.Context())
		if wrote := func(w string) bool { return !strings.HasSuffix(w, "Node b") }; !errors.Is(n.err, hand.ErrDown) || slices.ContainsFunc(h.Writes, wrote) {
			t.Errorf("error %v, writes %q", n.err, h.Writes)
		}
	})
}

// TestANodeWhoseDevicesCannotBeReadIsNotSettled: what DRA drivers publish of it says which taints it carries.
func TestANodeWhoseDevicesCannotBeReadIsNotSettled(t *testing.T) {
	record := quarantined(begin.Add(-time.Hour))
	h := hand.New(t, tainted(record), record)
	w, n := acting(t, h, judgement(v1alpha1.VerdictPass, begin), h.Validation(t))
	h.Unread = func(kind string) error {
		if kind == "ResourceSlice" {
			return hand.ErrDown
		}
		return nil
	}
	w.Devices = &controllers.Devices{Reader: h, Live: h, Rules: true}
	for what, look := range map[string]func(context.Context) error{
		"lifting its taint": n.lift,
		"mending it":        func(ctx context.Context) error { _, err := w.mend(ctx, "a"); return err },
	} {
		if err := look(t.Context()); !errors.Is(err, hand.ErrDown) {
			t.Errorf("%s: error %v", what, err)
		}
	}
}
