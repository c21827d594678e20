package message

import (
	"strings"
	"testing"
	"time"
)

func TestGrammar(t *testing.T) {
	nodes := strings.Split("abcdefghij", "")
	when := time.Date(2026, 3, 1, 23, 30, 0, 0, time.FixedZone("", -3600))
	for _, c := range []struct{ got, want string }{
		{Several(0, "node"), "0 nodes"},
		{Several(1, "node"), "1 node"},
		{Several(2, "node"), "2 nodes"},
		{Several(1, "node"), "1 node"},
		{Several(2, "node"), "2 nodes"},
		{Names(nodes[:8]), "a, b, c, d, e, f, g, h"},
		{Names(nodes), "a, b, c, d, e, f, g, h and 2 more"},
		{Nodes(nodes[:4]), "a, b, c, d"},
		{Nodes(nodes[:5]), "a, b, c and 2 others"},
		{AndMore(nodes[:2], 2, 2), "a, b"},
		{AndMore(nodes, 2, 5), "a, b and 3 more"},
		{Because("it failed", ""), "it failed"},
		{Because("it failed", "no memory"), "it failed: no memory"},
		{PartName(""), "node"},
		{PartName("gpu0"), "gpu0"},
		{PartWith("", nil), "node"},
		{PartWith("gpu0->gpu1", []string{"GPU-1", "GPU-2"}), "gpu0->gpu1 (GPU-1, GPU-2)"},
		{Side(-0.1), "below"},
		{Side(0.1), "above"},
		{Duration(94 * time.Second), "1m34s"},
		{Duration(2 * time.Hour), "2h"},
		{Duration(90 * time.Minute), "1h30m"},
		{Duration(40 * time.Second), "40s"},
		{Day(when), "2026-03-02"},
		{At(when), "2026-03-02T00:30:00Z"},
		{Warned("hpl", "it drifts", 0), "hpl warns: it drifts"},
		{Warned("hpl", "it drifts", 2), "hpl warns: it drifts (and 2 more warnings)"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// What follows from a sentence is told, however long the sentence is, and no text is too long for the API.
func TestEndingFits(t *testing.T) {
	const end = "; not proved"
	for _, n := range []int{1, Longest - len(end), Longest, 3 * Longest} {
		text := Ending(strings.Repeat("x", n), end)
		if len(text) > Longest || !strings.HasSuffix(text, end) {
			t.Errorf("%d bytes and an end make %d bytes: %q", n, len(text), text[max(0, len(text)-30):])
		}
	}
}
