package quarantine

import "fmt"

// What was, or was not, done about a node. Another leader, or a person, may change a record while its node is tainted.
const (
	historiesToMove = "runs wait until the histories of %d nodes are moved out of their NodeValidations, where an earlier version kept them, and go on without after %s"
	taintRefused    = "tainting: %w; the node is neither tainted nor counted as unfit, and Assay tries again every %s: change the admission policy, " +
		"webhook or right that refuses it"
	unfenced        = "another leader has announced a taint, and may still write it: the node counts as unfit until anything can be written to it"
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
