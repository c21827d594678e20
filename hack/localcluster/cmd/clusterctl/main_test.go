package main

import (
	"errors"
	"fmt"
	"testing"

	"github.com/assay-dev/assay/hack/localcluster/internal/cluster"
)

func TestParseDegrade(t *testing.T) {
	got, err := parseDegrade([]string{"node-2", "node-3=0.25"})
	if err != nil || len(got) != 2 || got[0] != (slowNode{"node-2", 0.5}) || got[1] != (slowNode{"node-3", 0.25}) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := parseDegrade([]string{"node-1=fast"}); !errors.Is(err, errUsage) {
		t.Errorf("got %v, want a usage error", err)
	}
}

func TestNetworkCommandsWithoutANodeAreRefused(t *testing.T) {
	for _, args := range [][]string{{"net", "limit"}, {"net", "limit", "--node", "node-1", "--rate", "fast"}, {"net", "restore"}} {
		cmd := root()
		cmd.SetArgs(args)
		if err := cmd.Execute(); !errors.Is(err, errUsage) {
			t.Errorf("%v: got %v, want a usage error", args, err)
		}
	}
}

func TestExitCodesTellWhatHappened(t *testing.T) {
	for want, err := range map[int]error{
		0:             nil,
		exitFailed:    errors.New("x"),
		exitUsage:     fmt.Errorf("%w: x", errUsage),
		exitAbsent:    healthError{cluster.Absent},
		exitUnhealthy: healthError{cluster.Unhealthy},
		exitCannotRun: fmt.Errorf("%w: x", cluster.ErrCannotRun),
	} {
		if got := exitCode(err); got != want {
			t.Errorf("exitCode(%v) = %d, want %d", err, got, want)
		}
	}
}
