package run

import (
	"cmp"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

const strayLifted = "Assay removed a taint of its own that no record explains any more: whoever wrote it was overtaken, or the record was deleted"

func tooMuchAtOnce(cause error) string { return "the run measures too much at once: " + cause.Error() }

func eventsUnread(why string) string {
	return fmt.Sprintf("its events cannot be listed (%s)", cmp.Or(why, "Unknown"))
}

// What keeps the catalogue of a run is a ControllerRevision.

func revisionGone(revision string) string {
	return fmt.Sprintf("ControllerRevision %s, which keeps what this run measures, is gone, and the catalogue has changed since: create another run",
		revision)
}

func revisionUnreadable(revision string, cause error) string {
	return quantity.Clip(fmt.Sprintf("ControllerRevision %s, which keeps what this run measures, cannot be read (%s): create another run", revision,
		cause), message.Longest)
}

func revisionOfAnother(revision string) string {
	return fmt.Sprintf("ControllerRevision %s is not the one that this run was started with: create another run", revision)
}

// What the controller meets in the cluster.

func nameTaken(kind, name, namespace string) string {
	return fmt.Sprintf("creating %s %s: namespace %s already has one of this name that Assay did not create: delete it", kind, name, namespace)
}

func podsNotDeleted(cause, err error) string {
	return fmt.Sprintf("%s; its pods could not be deleted: %s", cause, err)
}

// What was, or was not, done about a node.

func taintRefused(again time.Duration) string {
	return "the node is neither tainted nor counted as unfit, and Assay tries again every " + again.String() +
		": change the admission policy, webhook or right that refuses it"
}

func notCalledUnfit(why string) string { return "not called unfit: " + why }

func taintAdopted(run string) string {
	return "the taint of run " + run +
		" had no annotation assay.dev/quarantine, and has it again: Assay counts it, and lifts it when a run passes what convicted the node. " +
		"To keep the taint yourself, give it another value"
}

func markLost(node string) string {
	return "the API server stored node " + node +
		" without the annotation assay.dev/quarantine, so that its taint cannot be lifted: find the webhook or controller that removes it"
}

// recordOvertaken is for a node of which another leader, or a person, changed the record while it was being tainted.
func recordOvertaken(node string) string {
	return "the record of node " + node + " was changed while the node was tainted, so that the taint was taken back"
}

func liftOvertaken(node string) string {
	return "node " + node + " was tainted anew while its taint was lifted, so that it is looked at again"
}

func triesAgain(after time.Duration) string {
	return "Assay could not write all that this pass found, and tries again in " + after.String()
}

func looksAgain(after time.Duration) string {
	return "Assay could not read or delete all that it has to of this run, and tries again in " + after.String()
}

func historyRefused(err string) string {
	return "the API server refused the NodeHistory, so Assay stored the verdict without what the node's parts reached: " + err
}

func historiesToMove(left int) string {
	return fmt.Sprintf("runs wait until the histories of %d nodes are moved out of their NodeValidations, where an earlier version kept them", left)
}

func notMeasuredInRun(run, found string) string {
	return fmt.Sprintf("run %s could not measure the node: %s", run, found)
}

func taintPut(run, taint, found string) string {
	return fmt.Sprintf("run %s put taint %s on the node: %s", run, taint, found)
}

func devicesOut(run, taint, which, found string) string {
	return fmt.Sprintf("run %s put taint %s on devices of the node: %s: %s", run, taint, which, found)
}

// inPlaceOfEarlier is said of a taint that replaces one of ours.
func inPlaceOfEarlier(said string) string {
	return quantity.Clip("in place of an earlier taint, "+said, 1000)
}

// untainted is the event of a taint that was lifted; benchmarks are those that had convicted the node.
func untainted(run, taint, benchmarks string) string {
	return fmt.Sprintf("run %s lifted taint %s: the node now meets what %s had convicted it of", run, taint, benchmarks)
}

// What a run waits for: its conditions.

func notStarted(err error) string { return "the run cannot start: " + err.Error() }

func cannotRead(err error) string {
	return "the run cannot go on: " + err.Error() + ": it goes on once this can be read, and ends at its deadline otherwise"
}

func cannotCleanUp(err error) string { return "the run is being deleted: " + err.Error() }

func letGo(err error) string {
	return "no pod of the run is left, and Kubernetes deletes what else belongs to it: " + err.Error()
}

func runStarted(nodes int32, benchmarks int) string {
	return fmt.Sprintf("measuring %s by %s", message.Several(int(nodes), "node"), message.Several(benchmarks, "benchmark"))
}

func launchFailed(err string) string {
	return err + ": this delays the run, which tries again until its deadline"
}
