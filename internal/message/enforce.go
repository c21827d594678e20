package message

import (
	"fmt"

	"github.com/assay-dev/assay/internal/quantity"
)

// What the controller of policies does, and meets in the cluster.

// RunNameTaken is for a run of somebody else that has the name of a policy's next run.
func RunNameTaken(run string) string {
	return fmt.Sprintf("a ValidationRun %s that does not belong to this policy exists already: delete or rename it", run)
}

// PolicyRefused is for what the API server does not let a policy do.
func PolicyRefused(answer string) string {
	return quantity.Clip("the API server refuses what this policy needs, and is asked again every minute: "+answer, Longest)
}

// PolicyEventsLeftOut counts events that nobody would read.
func PolicyEventsLeftOut(count int, reason string, most int) string {
	return fmt.Sprintf("%d more %s events of this policy were left out, because at most %d a minute are sent: its status counts all nodes", count, reason, most)
}
