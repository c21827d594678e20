package verdict

import (
	"cmp"
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// staysDisturbed is for a benchmark that was given up, as none of so many attempts counts; reason and why are those of the last one.
func staysDisturbed(reason, why string, attempts int) string {
	advice := "free the node of other work"
	if reason == v1alpha1.ReasonInterrupted {
		advice = "find out what stops programs on this node"
	}
	return message.Ending(why, fmt.Sprintf("; none of %s counts: %s, then start another run", message.Several(attempts, "attempt"), advice))
}

// AtSize says at how many nodes of a group something was found.
func AtSize(nodes int, found string) string {
	return fmt.Sprintf("with %s: %s", message.Several(nodes, "node"), found)
}

// worstBenchmark says what came of a node's worst benchmark; alike of all have the same verdict.
func worstBenchmark(benchmark, what string, v v1alpha1.Verdict, alike, all int) string {
	text := message.Because(benchmark, what)
	if alike < 2 {
		return quantity.Clip(text, message.Longest)
	}
	ended := cmp.Or(map[v1alpha1.Verdict]string{v1alpha1.VerdictPass: "passed", v1alpha1.VerdictFail: "failed", v1alpha1.VerdictMissing: "lack a measurement",
		v1alpha1.VerdictInconclusive: "could not be judged", v1alpha1.VerdictSkipped: "were skipped"}[v], "could not be measured")
	return message.Ending(text, fmt.Sprintf("; %d of %d benchmarks %s", alike, all, ended))
}

// doubt is why a value that misses a bound in a tournament proves nothing.
type doubt struct {
	// Missed of Pairs missed the bound with a partner that holds it with others; Needed would prove it. SlowBoth missed it with a partner
	// that holds it with nobody else.
	Missed, SlowBoth, Pairs, Needed int
	// WithinNoise: chance may explain the value; Noise is how far it reaches, relative to the value.
	WithinNoise bool
	Noise       float64
}

// notProved says that the value that the model gives a node misses a bound, but its pairs do not prove it.
func notProved(finding string, d doubt) string {
	text := fmt.Sprintf("%d of %s with good partners missed the bound", d.Missed, message.Several(d.Pairs, "pair"))
	todo := "measure the node in more rounds (group.rounds of the Benchmark), or set the bound further from what healthy nodes reach"
	switch {
	case d.WithinNoise && d.Noise > 1: // a share beyond the whole would tell nobody anything
		text = "this may be noise, of which so few pairs tell too little; " + text
	case d.WithinNoise:
		text = fmt.Sprintf("this is within noise, which may reach %s here; %s", quantity.Percent(100*d.Noise), text)
	case d.SlowBoth > 0:
		text = fmt.Sprintf("in %d of %s the other node misses the bound with everybody else, too, so either may be slow", d.SlowBoth, message.Several(d.Pairs, "pair"))
		todo = "check what the nodes share (switch, driver, settings), or measure the node with one that is known to be fast"
	default:
		text += fmt.Sprintf(", and %d must", d.Needed)
	}
	return message.Ending(finding, "; not proved: "+text+"; "+todo)
}

// What many measurements say together: of a fleet, and of a part that was measured again.

// suspect says that a part is measured again. It was suspect in so many of the measurements so far, of which there are at most so many.
func suspect(found string, suspect, measured, most int) string {
	times := fmt.Sprintf("suspect in %d of %s", suspect, message.Several(measured, "measurement"))
	if measured == 1 {
		times = "suspect"
	}
	return quantity.Clip(fmt.Sprintf("%s, so it is measured again (at most %d more): %s", times, most-measured, found), message.Longest)
}

// convicted says that the mean of so many measurements fails, and it was suspect in so many of them.
func convicted(failed string, measurements, suspect int) string {
	if measurements < 2 {
		return failed
	}
	confirmed := fmt.Sprintf("; confirmed: mean of %d measurements", measurements)
	if suspect < measurements {
		confirmed += fmt.Sprintf(", suspect in %d of them", suspect)
	}
	return message.Ending(failed, confirmed)
}
