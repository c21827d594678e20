package message

import (
	"fmt"
	"time"
)

// NodeKept is for a node with a taint that Kubernetes, or whoever made the node, puts there and takes away.
func NodeKept(taint string) string {
	return fmt.Sprintf("measured once its taint %s is gone, which no benchmark pod tolerates", taint)
}

// EarlyRetryComes is for a node on which nothing could run before its gate's timeout had passed; try is the number of the next one.
func EarlyRetryComes(try int, when time.Time) string {
	return fmt.Sprintf("nothing could run on this new node yet: attempt %d is due at %s, and does not count as a retry", try, at(when))
}
