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
	cannotCleanUp      = "the run is being deleted: %s"
	letGo              = "no pod of the run is left, and Kubernetes deletes what else belongs to it: %s"
	podsNotDeleted     = "%s; its pods could not be deleted: %s"
	launchFailed       = "%s: this delays the run, which tries again until its deadline"
)

// What the controller meets in the cluster, and tells its log.
const (
	eventsUnread    = "its events cannot be listed (%s)"
	nameTaken       = "creating %s %s: namespace %s already has one of this name that Assay did not create: delete it"
	historiesToMove = "runs wait until the histories of %d nodes are moved out of their NodeValidations, where an earlier version kept them"
	triesAgain      = "Assay could not write all that this pass found, and tries again in %s"
	looksAgain      = "Assay could not read or delete all that it has to of this run, and tries again in %s"
)

// What was, or was not, done about a node. Another leader, or a person, may change a record while its node is tainted.
const (
	taintRefused = "tainting: %w; the node is neither tainted nor counted as unfit, and Assay tries again every %s: change the admission policy, " +
		"webhook or right that refuses it"
	notCalledUnfit  = "not called unfit: %s"
	recordOvertaken = "the record of node %s was changed while the node was tainted, so that the taint was taken back"
	liftOvertaken   = "node %s was tainted anew while its taint was lifted, so that it is looked at again"
	markLost        = "the API server stored node %s without the annotation assay.dev/quarantine, so that its taint cannot be lifted: find the webhook or " +
		"controller that removes it"
	taintPut         = "run %s put taint %s on the node: %s"
	devicesOut       = "run %s put taint %s on devices of the node: %s: %s"
	inPlaceOfEarlier = "in place of an earlier taint, %s"
	untainted        = "run %s lifted taint %s: the node now meets what %s had convicted it of"
	strayLifted      = "Assay removed a taint of its own that no record explains any more: whoever wrote it was overtaken, or the record was deleted"
	taintAdopted     = "the taint of run %s had no annotation assay.dev/quarantine, and has it again: Assay counts it, and lifts it when a run passes what " +
		"convicted the node. To keep the taint yourself, give it another value"
)

func historyRefused(err string) string {
	return "the API server refused the NodeHistory, so Assay stored the verdict without what the node's parts reached: " + err
}

func notMeasuredInRun(run, found string) string {
	return fmt.Sprintf("run %s could not measure the node: %s", run, found)
}

func runStarted(nodes int32, benchmarks int) string {
	return fmt.Sprintf("measuring %s by %s", message.Several(int(nodes), "node"), message.Several(benchmarks, "benchmark"))
}
