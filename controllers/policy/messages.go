package policy

import (
	"fmt"

	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// What the controller of policies does, and meets in the cluster.

// runNameTaken is for a run of somebody else that has the name of a policy's next run.
func runNameTaken(run string) string {
	return fmt.Sprintf("a ValidationRun %s that does not belong to this policy exists already: delete or rename it", run)
}

func policyRefused(answer string) string {
	return quantity.Clip("the API server refuses what this policy needs, and is asked again every minute: "+answer, message.Longest)
}
