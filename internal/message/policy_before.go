package message

import (
	"fmt"
	"time"
)

// NodeRecordTooOld is for a pass that an earlier release of Assay recorded, or of a node that was another machine once its result was read.
func NodeRecordTooOld(benchmark string, measured time.Time) string {
	return fmt.Sprintf("passed %s at %s, but the record does not say what was asked or of which machine: it is an earlier release's, "+
		"or the node changed before its result was read",
		benchmark, at(measured))
}

// WithOldCounts adds to what is wrong with a policy that its status still says what was before.
func WithOldCounts(text string) string {
	return text + ". The counts and nodes in the status are from before that"
}
