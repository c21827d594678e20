package message

import "fmt"

// What many measurements say together: of a fleet, and of a part that was measured again.

// FailedAlikeUntainted: most of the nodes failed by the same rule, "benchmark/metric/rule", in a run that taints nobody.
func FailedAlikeUntainted(alike, measured int, failure string) string {
	return fmt.Sprintf("%d of %d measured nodes failed alike (%s), so none of them is called unfit: the Benchmark's expectations, the "+
		"HardwareProfile or what was last updated (driver, image) is a likelier suspect than %d nodes; correct it, then start another ValidationRun",
		alike, measured, failure, alike)
}
