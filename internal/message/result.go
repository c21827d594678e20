package message

import "fmt"

// WrongData is for data checks that failed: name and, if the program said more, why.
func WrongData(check, why string) string {
	if why == "" {
		return fmt.Sprintf("check %s failed", check)
	}
	return fmt.Sprintf("check %s failed: %s", check, why)
}

// WithLastLines adds the end of a program's log to a message. Without lines it is what stands before them.
func WithLastLines(failure, lines string) string { return failure + "; its last lines: " + lines }

// AttemptTooLarge is for an attempt that no honest program leaves.
func AttemptTooLarge(bytes, most int) string {
	return fmt.Sprintf("the attempt takes %d bytes, at most %d can be stored: have the program report fewer parts", bytes, most)
}

// NoRoomForAttempt is for an attempt beside others.
func NoRoomForAttempt(bytes, left, most int) string {
	return fmt.Sprintf("the attempt takes %d bytes, but %d of the %d that one result holds are left: measure fewer benchmarks in one run, or have the programs report fewer parts",
		bytes, left, most)
}

// StorageRefused is for an attempt that the API server would not take.
func StorageRefused(why string) string {
	return "the API server refused to store what was measured: " + why
}

// NumbersWithTheGroups is a note in the result of a node that took part in very many groups.
func NumbersWithTheGroups() string {
	return "the numbers are only in the results of the groups: there was no room for them here"
}

// ResultTooLarge is for a document that no termination message can hold.
func ResultTooLarge(why string) string { return why + ": have the program report fewer parts" }

// TelemetryLeftOut is a note in a result that was nearly too large.
func TelemetryLeftOut() string {
	return "telemetry was left out: it did not fit into the termination message beside the measurements"
}

// NotesLeftOut is the last note where there were more than the API stores.
func NotesLeftOut(count int) string { return fmt.Sprintf("%d more notes were left out", count) }

// ParameterWithoutValue is a note about a setting that the program reported as null.
func ParameterWithoutValue(name string) string {
	return fmt.Sprintf("the program reported no value for parameter %s", name)
}

// WithoutMatch is a note about a pattern of the Benchmark.
func WithoutMatch(metric string) string {
	return fmt.Sprintf("metric %s: its pattern matches nothing in the output", metric)
}
