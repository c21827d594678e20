package message

import (
	"fmt"
	"strings"
	"time"
)

// RunCreated is what has become of a run, after its name; how says that it was only tried.
func RunCreated(how string) string {
	if how == "" {
		return "created"
	}
	return "created (" + how + ")"
}

// DryRunByClient says that nothing was sent.
func DryRunByClient() string { return "dry run" }

// DryRunByServer says that the API server has accepted what it was asked to try.
func DryRunByServer() string { return "server dry run" }

// RunHint says how to see what a run does.
func RunHint(run string) string {
	return fmt.Sprintf("kubectl assay watch %s follows it", run)
}

// RunDryRun says which ways of trying there are.
func RunDryRun(given string) string {
	return fmt.Sprintf("unknown --dry-run=%s: choose none, client or server", given)
}

// RunNeedsBenchmarks says that it must be clear what is measured.
func RunNeedsBenchmarks() string {
	return "say what to measure by: set either --suite or --benchmark (kubectl assay suites and kubectl assay benchmarks list them)"
}

// RunNeedsNodes says that it must be clear what is measured where.
func RunNeedsNodes() string {
	return "say which nodes to measure: set one of --nodes, --selector and --all-nodes"
}

// RunTwoNames is for a run with a name and a prefix of one.
func RunTwoNames() string { return "set either --name or --generate-name" }

// RunWatchedOutput is for -o beside a view of the run.
func RunWatchedOutput() string {
	return "-o yaml and -o json show the run as it is created: leave out --follow and --wait, and use kubectl assay report afterwards"
}

// RunWatchedDryRun is for a run that is followed and never starts.
func RunWatchedDryRun() string {
	return "a dry run starts nothing that could be followed: leave out --follow and --wait"
}

// RunMaxTaintedAlone is for a bound on taints of a run that sets none.
func RunMaxTaintedAlone() string {
	return "--max-tainted-nodes needs --taint: without it no node is tainted"
}

// RunDeadline is for a deadline that no run can have.
func RunDeadline(given time.Duration) string {
	return fmt.Sprintf("--deadline is %s, expected at least 1s: write it as 90m or 2h", given)
}

// RunParameterForm says how a parameter is written.
func RunParameterForm(given string) string {
	return fmt.Sprintf("--parameter %q cannot be read: write BENCHMARK.PARAMETER=VALUE, for example stream.seconds=20", given)
}

// RunParameterAlone is for a parameter of a benchmark that the run does not name.
func RunParameterAlone(given, benchmark string) string {
	return fmt.Sprintf("--parameter %s sets a parameter of %s, which --benchmark does not name: add it there", given, benchmark)
}

// RunTaintForm says how a taint is written.
func RunTaintForm(given string) string {
	return fmt.Sprintf("--taint %q cannot be read: write KEY=VALUE:EFFECT, with the effect NoSchedule, PreferNoSchedule or NoExecute", given)
}

// RunArgument is for a word on the command line that belongs to no flag.
func RunArgument(given string) string {
	return fmt.Sprintf("run takes no argument and got %q: --taint and --dry-run take their value after an equals sign, for example --dry-run=client", given)
}

// RunName is for a name that no run can have.
func RunName(given string) string {
	return fmt.Sprintf("a run cannot have the name %q: use at most 63 small letters, digits, - and ., and begin and end with a letter or digit", given)
}

// RunNumberOrPercent is for a bound on nodes that is none.
func RunNumberOrPercent(flag, given string, least int) string {
	return fmt.Sprintf("%[1]s is %[2]q, expected a number of at least %[3]d, or a percentage from %[3]d%% to 100%%", flag, given, least)
}

// RunConfirmations is for a number of confirmations that no run can have.
func RunConfirmations(given, most int32) string {
	return fmt.Sprintf("--confirmations is %d, expected 0 to %d", given, most)
}

// RunBusyNodes is for what a run cannot do about busy nodes.
func RunBusyNodes(given string) string {
	return fmt.Sprintf("--busy-nodes is %q: choose Wait or Skip", given)
}

// RunNames is for a list with an empty name in it, or a name twice.
func RunNames(flag, name string) string {
	if name == "" {
		return flag + " has an empty name in it: write names with one comma between them"
	}
	return fmt.Sprintf("%s names %s twice", flag, name)
}

// CommandSelector is for a label selector that cannot be read.
func CommandSelector(given string, cause error) string {
	return fmt.Sprintf("--selector %q cannot be read (%s): write it as for kubectl get -l, for example pool=h200,zone!=b", given, cause)
}

// RunNoNodes says what the nodes have of the labels that a selector asks for. labels are sentences of LabelValues.
func RunNoNodes(selector string, nodes int, labels []string) string {
	if nodes == 0 {
		return "the cluster has no node to measure"
	}
	text := fmt.Sprintf("no node matches %s: the cluster has %s", selector, nodesCounted(int32(nodes)))
	return strings.Join(append([]string{text}, labels...), "; ")
}

// LabelValues says which values nodes have of a label.
func LabelValues(label string, values []string) string {
	if len(values) == 0 {
		return fmt.Sprintf("none has the label %s", label)
	}
	return fmt.Sprintf("their values of %s are %s", label, names(values))
}

// RunUnknownNodes names nodes that the cluster does not have.
func RunUnknownNodes(lacking []string) string {
	if len(lacking) == 1 {
		return fmt.Sprintf("there is no node %s: kubectl get nodes lists all nodes", lacking[0])
	}
	return fmt.Sprintf("there are no nodes %s: kubectl get nodes lists all nodes", names(lacking))
}

// RunExists says that the name is taken.
func RunExists(run string) string {
	return fmt.Sprintf("there is a run %[1]q already: choose another --name, or delete it first (kubectl delete validationrun %[1]s)", run)
}

// RunForbidden says which right lacks.
func RunForbidden() string {
	return "you may not create ValidationRuns: ask an administrator to bind you to the ClusterRole assay-editor"
}

// RunCause is one reason why the API server refused a run.
func RunCause(field, why string) string {
	if field == "" || field == "<nil>" {
		return why
	}
	return field + ": " + why
}

// RunRefused says why the API server did not take a run.
func RunRefused(causes []string) string {
	return "the API server refused the run: " + strings.Join(causes, "; ")
}

// RunCreating failed for what follows.
func RunCreating(run string) string { return "creating run " + run }
