package run

import (
	"fmt"

	"github.com/assay-dev/assay/internal/message"
)

// What keeps a run from its start, or from going on: its conditions. A ControllerRevision keeps the catalogue of a run.
const (
	tooMuchAtOnce      = "the run measures too much at once: %s"
	revisionGone       = "ControllerRevision %s/%s, which keeps what this run measures, is gone, and the catalogue has changed since: create another run"
	revisionUnreadable = "ControllerRevision %s, which keeps what this run measures, cannot be read (%s): create another run"
	revisionOfAnother  = "ControllerRevision %s is not the one that this run was started with: create another run"
	notStarted         = "the run cannot start: %s"
	cannotRead         = "the run cannot go on: %s: it goes on once this can be read, and ends at its deadline otherwise"
	notAsSeen          = "%s differs from what the operator's cache shows: look what changes it all the time, or start the operator anew"
	cannotCleanUp      = "the run is being deleted: %s"
	letGo              = "no pod of the run is left, and Kubernetes deletes what else belongs to it: %s"
	podsNotDeleted     = "%s; its pods could not be deleted: %s"
	launchFailed       = "%s: this delays the run, which tries again until its deadline"
)

// What the controller meets in the cluster, and tells its log.
const (
	triesAgain = "Assay could not write all that this pass found, and tries again in %s"
	looksAgain = "Assay could not read or delete all that it has to of this run, and tries again in %s"
)

func runStarted(nodes int32, benchmarks int) string {
	return fmt.Sprintf("measuring %s by %s", message.Several(int(nodes), "node"), message.Several(benchmarks, "benchmark"))
}
