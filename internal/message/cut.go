package message

import (
	"fmt"
	"time"
)

// Cut is what ends a run before it has measured everything.
type Cut int

const (
	// CutByDeadline is a run of a cluster whose activeDeadlineSeconds have passed.
	CutByDeadline Cut = iota
	// CutOnHost is a run of a single host whose --deadline has passed.
	CutOnHost
	// CutByUser is a run of a single host whose user has had enough.
	CutByUser
)

// NotMeasuredInTime is for a node that was not measured before the run was cut short, at its deadline of so many seconds or before. waited says
// what kept it; empty: nothing that is known.
func NotMeasuredInTime(by Cut, waited string, seconds int64) string {
	switch by {
	case CutByUser:
		if waited == "" {
			return "not measured: the run was interrupted"
		}
		return waited + "; then the run was interrupted"
	case CutOnHost:
		deadline := durationShort(time.Duration(seconds) * time.Second)
		if waited == "" {
			return fmt.Sprintf("not measured within --deadline (%s): raise it", deadline)
		}
		return fmt.Sprintf("%s; --deadline (%s) passed first: raise it", waited, deadline)
	}
	if waited == "" {
		return fmt.Sprintf("not measured within activeDeadlineSeconds (%d): raise it, or measure more nodes at once", seconds)
	}
	return fmt.Sprintf("%s; activeDeadlineSeconds (%d) passed first: remove what delayed the node, or raise it", waited, seconds)
}

// DeadlineCutShort: nodes failed, and others were never measured.
func DeadlineCutShort(by Cut) string {
	switch by {
	case CutByUser:
		return "the run was interrupted before everything was measured"
	case CutOnHost:
		return "--deadline passed before everything was measured"
	default:
		return "the deadline passed before every node was measured"
	}
}

// DeadlinePassed: nothing failed, but nodes were never measured.
func DeadlinePassed(by Cut) string {
	switch by {
	case CutByUser:
		return DeadlineCutShort(by)
	case CutOnHost:
		return DeadlineCutShort(by) + ": raise it"
	default:
		return "activeDeadlineSeconds passed before every node was measured: raise it, or see what delayed the nodes"
	}
}
