package message

import (
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// ExplainNode heads an explanation: how a node ended in its newest run, and how many runs failed it so far.
func ExplainNode(node string, verdict v1alpha1.Verdict, reason, run string, offences int) string {
	text := node + ": " + string(verdict)
	if verdict == "" {
		text = node + ": not measured"
	}
	if reason != "" && verdict != v1alpha1.VerdictPass {
		text += " (" + reason + ")"
	}
	if run != "" {
		text += " in run " + run
	}
	if offences > 0 {
		text += "; failed by " + several(offences, "run") + " so far"
	}
	return text
}

// ExplainWhyTitle heads what was found.
func ExplainWhyTitle() string { return "Why" }

// ExplainTelemetryTitle heads what was sampled while the benchmarks ran that failed.
func ExplainTelemetryTitle() string { return "Sampled while it was measured" }

// ExplainChangesTitle heads what has changed since the node last passed.
func ExplainChangesTitle() string { return "Changed since it last passed" }

// ExplainLinksTitle heads findings between nodes.
func ExplainLinksTitle() string { return "Links" }

// ExplainOthersTitle heads the nodes that have the same.
func ExplainOthersTitle() string { return "Who else" }

// ExplainPolicyTitle heads what policies say of the node.
func ExplainPolicyTitle() string { return "Policy and gate" }

// ExplainNextTitle heads what to do.
func ExplainNextTitle() string { return "What to do" }

// ExplainTaint says by which taint the node is kept from work.
func ExplainTaint(key, value, effect, run string, since time.Time) string {
	if value != "" {
		key += "=" + value
	}
	return fmt.Sprintf("tainted %s:%s by run %s since %s", key, effect, run, day(since))
}

// ExplainRule names a rule that was broken.
func ExplainRule(benchmark, rule, finding string) string {
	return fmt.Sprintf("%s, rule %s: %s", benchmark, rule, finding)
}

// ExplainNumbers lists what is known of a value.
func ExplainNumbers(numbers []string) string { return strings.Join(numbers, "; ") }

// ExplainValue is a value and the bound that decided.
func ExplainValue(value, bound string) string {
	if bound == "" {
		return "value " + value
	}
	return "value " + value + ", bound " + bound
}

// ExplainMedian is that of the run's nodes, each with its worst part.
func ExplainMedian(median string, nodes int) string {
	return fmt.Sprintf("median of %s: %s", nodesCounted(int32(nodes)), median)
}

// ExplainPast is what a part reached before.
func ExplainPast(sparkline string, values int, since time.Time, baseline string) string {
	text := fmt.Sprintf("its own %s since %s: %s", several(values, "value"), day(since), sparkline)
	if baseline != "" {
		text += ", baseline " + baseline
	}
	return text
}

// ExplainBenchmark says why a benchmark proved nothing.
func ExplainBenchmark(benchmark string, verdict v1alpha1.Verdict, reason, found string) string {
	text := benchmark + ": " + string(verdict)
	if reason != "" && reason != string(verdict) {
		text += " (" + reason + ")"
	}
	if found != "" {
		text += ": " + found
	}
	return text
}

// ExplainConviction is one of an earlier run that still stands.
func ExplainConviction(benchmark, metric, at, rule, numbers, run string, measured time.Time) string {
	text := strings.Join(strings.Fields(benchmark+" "+metric), " ")
	if at != "" {
		text += " of " + at
	}
	text += ", rule " + rule
	if numbers != "" {
		text += ": " + numbers
	}
	return fmt.Sprintf("%s, by run %s on %s; no later run has refuted that", text, run, day(measured))
}

// ExplainReading is a quantity that was sampled: of a part, and the median of like parts that did not fail. others is how many those are.
func ExplainReading(benchmark, quantity, at, value, median string, others int) string {
	text := fmt.Sprintf("%s: %s of %s is %s", benchmark, quantity, at, value)
	if others > 0 {
		text += fmt.Sprintf(", median of %s: %s", several(others, "other"), median)
	}
	return text
}

// ExplainFact names a fact of a part, or of the node.
func ExplainFact(name, at string) string {
	if at == "" {
		return name
	}
	return name + " of " + at
}

// ExplainLastPass says what changes are counted from.
func ExplainLastPass(benchmark, run string, at time.Time) string {
	return fmt.Sprintf("it last passed %s in run %s on %s", benchmark, run, day(at))
}

// ExplainNeverPassed says that there is nothing to compare with.
func ExplainNeverPassed(benchmark string) string {
	return "no run is known in which it passed " + benchmark
}

// ExplainUnchanged says that nothing differs which is known of both times.
func ExplainUnchanged() string {
	return "nothing that is known: driver, kernel, devices and facts are the same"
}

// ExplainChange is one thing that is not as it was when the node last passed.
func ExplainChange(what, before, now string) string {
	return fmt.Sprintf("%s: %s, was %s", what, now, before)
}

// ExplainRebooted says that the node was started anew.
func ExplainRebooted() string { return "it was rebooted" }

// ExplainOtherProgram says that the measurements are not alike.
func ExplainOtherProgram() string {
	return "the benchmark's image, command or environment is another one, so the values cannot be compared"
}

// ExplainDeviceGone is a GPU that was there.
func ExplainDeviceGone(uuid string, slot int) string {
	return fmt.Sprintf("%s is gone; it was gpu%d", uuid, slot)
}

// ExplainDeviceNew is a GPU that was not there.
func ExplainDeviceNew(uuid string, slot int) string {
	return fmt.Sprintf("%s is new, as gpu%d", uuid, slot)
}

// ExplainDeviceMoved is a GPU in another slot.
func ExplainDeviceMoved(uuid string, before, now int) string {
	return fmt.Sprintf("%s is now gpu%d; it was gpu%d", uuid, now, before)
}

// ExplainLink is a finding between nodes.
func ExplainLink(kind, benchmark, finding string) string {
	return fmt.Sprintf("%s, by %s: %s", kind, benchmark, finding)
}

// ExplainEnd is the other end of a link: how that node ended, and which other nodes it was found slow with.
func ExplainEnd(node string, verdict v1alpha1.Verdict, with []string) string {
	text := "the other end, " + node + ", "
	if verdict != "" {
		text += "ended as " + string(verdict) + " and "
	}
	if len(with) == 0 {
		return text + "is in no other finding"
	}
	return text + "is also in findings with " + names(with)
}

// ExplainAlike names the other nodes of the run that have the same; total is how many others there are. cut: not all that failed were looked
// at.
func ExplainAlike(what string, nodes []string, total int, cut bool) string {
	others := several(max(total, len(nodes)), "other node")
	switch {
	case len(nodes) == 0 && cut:
		return fmt.Sprintf("%s: none of the run's worst nodes, of %s", what, others)
	case len(nodes) == 0:
		return what + ": no other node of the run"
	case cut:
		return fmt.Sprintf("%s: at least %d of %s: %s", what, len(nodes), others, names(nodes))
	}
	return fmt.Sprintf("%s: %d of %s: %s", what, len(nodes), others, names(nodes))
}

// ExplainGated says that a gate keeps the node from work.
func ExplainGated(key, policy string) string {
	return fmt.Sprintf("gated: taint %s stays until the node holds a valid pass of policy %s", key, policy)
}

// ExplainAttention is what a policy says of the node.
func ExplainAttention(policy, reason, found string, since time.Time) string {
	return fmt.Sprintf("policy %s, %s since %s: %s", policy, reason, day(since), found)
}

// ExplainGateOpened says who opened the gate, as the node's record has it.
func ExplainGateOpened(policy, run, by string, at time.Time) string {
	text := fmt.Sprintf("the gate of policy %s was opened by %s on %s", policy, by, day(at))
	if run != "" {
		text += ", after run " + run
	}
	return text
}

// ExplainCordoned says that the node takes no new pods.
func ExplainCordoned() string { return "the node is cordoned" }

// ExplainAdvice is what to look at where a rule was broken. Empty: the finding itself says it.
func ExplainAdvice(rule string) string {
	switch rule {
	case "FractionOfPeak", "FractionOfReached", "FleetDeviation", "NodeDeviation", "Min", "Max":
		return "A part is slow: compare its clock, power and temperature with those of the others. If they are alike, suspect the part itself or its slot."
	case "Efficiency":
		return "Its devices or cores do less together than alone: look at the links between them, and at power and temperature while all of them work."
	case "Regression":
		return "A part is slower than it was: check first what has changed since it last passed. If nothing has, the part is wearing out."
	case "DataCheck":
		return "A part computes or stores wrong data: take the node out of service, and have the part replaced."
	case "FactEqual", "FactAtLeast", "FactUniform":
		return "A setting or version is not as it should be: correct it as the finding says."
	case "DevicesMissing":
		return "Devices are missing: look for them in the node's kernel log and with nvidia-smi, and reset or reseat them."
	case "Blame":
		return "The node is slow with most others: look at its network adapters, cables and switch ports."
	case "Missing":
		return "The program did not report what is expected: look at the log of its pod."
	}
	return ""
}

// ExplainDevicesUnusable is what to look at where a program could use none of the devices that it was given.
func ExplainDevicesUnusable() string {
	return "Its devices were given to the program, which could use none: look for the driver's error in the node's kernel log, run nvidia-smi on the node, and look at the " +
		"device plugin's log and events, and at the container's device cgroup."
}

// ExplainLinkAdvice is what to look at where a finding names the node and others.
func ExplainLinkAdvice() string {
	return "A link is slow while its ends are fine with others: look at the path between them, cable and switch ports first."
}

// ExplainMeasureAgain is for a benchmark that proved nothing.
func ExplainMeasureAgain(benchmark, reason string) string {
	return fmt.Sprintf("%s proved nothing (%s): fix what its message names.", benchmark, reason)
}

// ExplainTaintGoes says what measuring again is good for.
func ExplainTaintGoes() string { return "The taint goes when no rule is broken any more." }

// ExplainWait is for a node that a run has yet to measure.
func ExplainWait(run string) string {
	return fmt.Sprintf("Run %s is not over. Follow it: kubectl assay watch %s", run, run)
}

// ExplainNothing says that nothing stands against a node.
func ExplainNothing(node string) string {
	return "Nothing to do: nothing is known against " + node + "."
}

// ExplainListingPolicies is what an error of listing them begins with.
func ExplainListingPolicies() string { return "listing ValidationPolicies" }
