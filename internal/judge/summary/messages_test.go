package summary

import "testing"

// What is cut short on a host names the host's own flag, or the user.
func TestWhatCutTheRunShort(t *testing.T) {
	for by, want := range map[Cut][2]string{
		CutByDeadline: {"the deadline passed before every node was measured",
			"activeDeadlineSeconds passed before every node was measured: raise it, or see what delayed the nodes"},
		CutOnHost: {"--deadline passed before everything was measured", "--deadline passed before everything was measured: raise it"},
		CutByUser: {"the run was interrupted before everything was measured", "the run was interrupted before everything was measured"},
	} {
		if got := [2]string{deadlineCutShort(by), deadlinePassed(by)}; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
