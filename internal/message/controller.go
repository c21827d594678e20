package message

import (
	"fmt"

	"github.com/assay-dev/assay/internal/quantity"
)

// What a run asks for and cannot have.

// SuiteUnknown is for a suite that no Benchmark lists.
func SuiteUnknown(suite string) string {
	return fmt.Sprintf("no Benchmark lists the suite %q: choose one that `kubectl get benchmarks` shows", suite)
}

// SuiteTooLarge is for a suite of more Benchmarks than one run takes.
func SuiteTooLarge(suite string, benchmarks, most int) string {
	return fmt.Sprintf("%d Benchmarks list the suite %q, and a run takes at most %d: name those to measure in spec.benchmarks of several runs, "+
		"or take some out of the suite", benchmarks, suite, most)
}

// BenchmarkUnknown is for a name in spec.benchmarks that no Benchmark has.
func BenchmarkUnknown(name string) string {
	return fmt.Sprintf("there is no Benchmark %q: choose one that `kubectl get benchmarks` shows, or install it", name)
}

// TooMuchAtOnce is for a run whose part of the catalogue cannot be kept.
func TooMuchAtOnce(cause error) string { return "the run measures too much at once: " + cause.Error() }

// ParameterRefused is for a value that a run sets.
func ParameterRefused(benchmark string, cause error) string {
	return fmt.Sprintf("benchmark %s: %s", benchmark, cause)
}

// DefaultRefused is for a Benchmark whose own default breaks its bounds.
func DefaultRefused(benchmark string, cause error) string {
	return fmt.Sprintf("Benchmark %s has a bad default: %s", benchmark, cause)
}

// What keeps the catalogue of a run is a ControllerRevision.

// RevisionGone is for a run that started with what is no longer there.
func RevisionGone(revision string) string {
	return fmt.Sprintf("ControllerRevision %s, which keeps what this run measures, is gone, and the catalogue has changed since: create another run", revision)
}

// RevisionUnreadable is for data that no Assay wrote.
func RevisionUnreadable(revision string, cause error) string {
	return quantity.Clip(fmt.Sprintf("ControllerRevision %s, which keeps what this run measures, cannot be read (%s): create another run", revision, cause), Longest)
}

// RevisionOfAnother is for an object of the right name that somebody else made.
func RevisionOfAnother(revision string) string {
	return fmt.Sprintf("ControllerRevision %s is not the one that this run was started with: create another run", revision)
}

// What the controller meets in the cluster.

// NameTaken is for a pod, MPIJob or NetworkPolicy that cannot be created.
func NameTaken(kind, name, namespace string) string {
	return fmt.Sprintf("creating %s %s: namespace %s already has one of this name that Assay did not create: delete it", kind, name, namespace)
}

// PodsNotDeleted adds to what is wrong with a run that its pods are still there.
func PodsNotDeleted(cause, err error) string {
	return fmt.Sprintf("%s; its pods could not be deleted: %s", cause, err)
}

// DevicesHeld is for a node with a pod of others on it.
func DevicesHeld(pod, count, resource string) string {
	return fmt.Sprintf("pod %s holds %s %s", pod, count, resource)
}

// EventsLeftOut stands for the events of one reason that a run was not allowed to send.
func EventsLeftOut(count int, reason string, perMinute int, selector string) string {
	return fmt.Sprintf("%d more %s events of this run were left out, because at most %d a minute are sent: kubectl get validationresults -l %s shows every node",
		count, reason, perMinute, selector)
}

// What is said of a node or group by its name.

// TheGroup of these nodes.
func TheGroup(nodes string) string { return "the group " + nodes }

// AllTogether adds to what a part of a group showed what all of it did.
func AllTogether(part, all string) string { return part + "; all together: " + all }

// WithOthers says with which nodes a node was measured.
func WithOthers(others, found string) string { return "with " + others + ": " + found }

// RunPassed is for a node whose newest proof is a pass in another run.
func RunPassed(run string) string { return "run " + run + " passed" }
