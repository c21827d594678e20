package runs

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/spf13/cobra"
	kube "k8s.io/apimachinery/pkg/util/validation"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// noArguments refuses what stands alone on the command line of run: most likely it is the value of a flag that may go without one.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("run takes no argument and got %q: --taint and --dry-run take their value after an equals sign, for example "+
			"--dry-run=client", args[0])
	}
	return nil
}

// Numbers or percentages, as the API takes them.
var (
	atLeastNone = regexp.MustCompile(`^([0-9]{1,9}|(100|[0-9]{1,2})%)$`)
	atLeastOne  = regexp.MustCompile(`^([1-9][0-9]{0,8}|(100|[1-9][0-9]?)%)$`)
)

// mostConfirmations of a run, as the API takes them.
const mostConfirmations = 5

// checkValues of flags by themselves: the API server would refuse the run for them, and a dry run of the client asks no server.
func (f *runFlags) checkValues() error {
	switch {
	case f.given("taint") && f.taint == "":
		return errors.New(runTaintForm(f.taint))
	case f.maxTainted != "" && !atLeastNone.MatchString(f.maxTainted):
		return errors.New(runNumberOrPercent("--max-tainted-nodes", f.maxTainted, 0))
	case f.maxConcurrent != "" && !atLeastOne.MatchString(f.maxConcurrent):
		return errors.New(runNumberOrPercent("--max-concurrent", f.maxConcurrent, 1))
	case f.given("confirmations") && (f.confirmations < 0 || f.confirmations > mostConfirmations):
		return fmt.Errorf("--confirmations is %d, expected 0 to %d", f.confirmations, mostConfirmations)
	case !slices.Contains([]v1alpha1.BusyNodes{"", v1alpha1.BusyWait, v1alpha1.BusySkip}, v1alpha1.BusyNodes(f.busy)):
		return fmt.Errorf("--busy-nodes is %q: choose Wait or Skip", f.busy)
	}
	return f.checkNames()
}

// checkNames of the run, and of what it names.
func (f *runFlags) checkNames() error {
	if name := f.runName(); len(kube.IsDNS1123Subdomain(name)) > 0 || len(name) > kube.LabelValueMaxLength {
		return fmt.Errorf("a run cannot have the name %q: use at most 63 small letters, digits, - and ., and begin and end with a letter or digit", name)
	}
	for flag, names := range map[string][]string{"--nodes": f.nodes, "--benchmark": f.benchmarks} {
		for i, name := range names {
			if name == "" || slices.Contains(names[:i], name) {
				return errors.New(runNames(flag, name))
			}
		}
	}
	return nil
}
