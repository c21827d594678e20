package cluster

import (
	"fmt"
	"time"
)

// BadDeadline is for a deadline that no run can have.
func BadDeadline(given time.Duration) string {
	return fmt.Sprintf("--deadline is %s, expected at least 1s: write it as 90m or 2h", given)
}

// BadSelector is for a label selector that cannot be read.
func BadSelector(given string, cause error) string {
	return fmt.Sprintf("--selector %q cannot be read (%s): write it as for kubectl get -l, for example pool=h200,zone!=b", given, cause)
}
