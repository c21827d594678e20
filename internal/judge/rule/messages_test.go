package rule

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/judge/fleet"
)

func TestSinceWhenPeersAreKnown(t *testing.T) {
	oldest := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		with fleet.LikeParts
		want string
	}{
		{fleet.LikeParts{Nodes: 4}, ""},
		{fleet.LikeParts{Nodes: 1, Known: 1, Oldest: oldest}, "; from its last passing run, on 2026-03-01"},
		{fleet.LikeParts{Nodes: 4, Known: 4, Oldest: oldest}, "; from their last passing run, the oldest on 2026-03-01"},
		{fleet.LikeParts{Nodes: 4, Known: 1, Oldest: oldest}, "; 1 of these nodes from its last passing run, on 2026-03-01"},
		{fleet.LikeParts{Nodes: 4, Known: 2, Oldest: oldest, Groups: true}, "; 2 of these groups from their last passing run, the oldest on 2026-03-01"},
	} {
		if got := remembered(c.with); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.with, got, c.want)
		}
	}
	for own, want := range map[int]string{1: "its node's other GPU", 3: "its node's other 3 GPUs"} {
		if got := ownPeers(fleet.LikeParts{Kind: "gpu", Own: own}); got != want {
			t.Errorf("%d others: got %q, want %q", own, got, want)
		}
	}
}
