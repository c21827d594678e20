package message

import (
	"fmt"
	"time"
)

// What becomes of a gate.

// GateOpened is the event of a node that is let in.
func GateOpened(key string, waited time.Duration, run string) string {
	return fmt.Sprintf("opened gate %s after %s: the node holds a valid pass (last run %s)", key, waited, run)
}

// GateTimedOut is the event of a node that is let in unproved.
func GateTimedOut(key string, waited time.Duration, why string) string {
	return fmt.Sprintf("opened gate %s after %s without a valid pass, as gate.onTimeout asks: %s", key, waited, why)
}

// GateClosed is the event of a node that waits to be measured.
func GateClosed(key, policy, why string) string {
	return fmt.Sprintf("gate %s is closed until the node holds a valid pass of policy %s: %s", key, policy, why)
}

// GateKept is the event of a node that failed, or that nothing could judge.
func GateKept(key, why string) string { return fmt.Sprintf("gate %s stays closed: %s", key, why) }

// GateStuck is the event of a node that is gated for longer than gate.timeoutSeconds.
func GateStuck(key string, waited time.Duration, why string) string {
	return fmt.Sprintf("gate %s has been closed for %s: %s", key, waited, why)
}

// GateOpenedByHand is the event of a node that somebody else let in.
func GateOpenedByHand(key string) string {
	return fmt.Sprintf("somebody removed taint %s from the node, which holds no valid pass: Assay leaves it open, and validates the node when it is idle", key)
}

// LetInByHand is for such a node until it is valid.
func LetInByHand(why string) string { return "let in by hand, without a valid pass: " + why }

// GateWaitsSuspended is for a valid node of a suspended policy.
func GateWaitsSuspended() string {
	return "the node holds a valid pass; its gate opens once spec.suspend is false"
}

// GateKeyNotAllowed is for a taint that Assay may not remove.
func GateKeyNotAllowed(key string) string {
	return fmt.Sprintf("gates with taint key %s stay closed: have an administrator add the key to --allowed-gate-keys (chart value gate.allowedTaintKeys)", key)
}

// GateHasRival is for a valid node that two policies gate.
func GateHasRival(policy string) string {
	return fmt.Sprintf("the node holds a valid pass; its gate stays closed because policy %s has the same gate for it", policy)
}

// GateConflict is for two policies with one gate.
func GateConflict(key, effect, policy, node string) string {
	return fmt.Sprintf("policy %s has the same gate %s:%s for node %s, so neither opens it there: select other nodes, or give one of them another taint",
		policy, key, effect, node)
}
