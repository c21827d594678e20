package cli

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/test/clitest"
)

func TestCompareFailsOnARegressionBeyondTheThreshold(t *testing.T) {
	c := clitest.Cluster(t, interceptor.Funcs{}, append(older.objects(), newer.objects()...)...)
	for threshold, want := range map[string]string{"2%": "worse by more than 2%: mpi latency\n", "19.5": "worse by more than 19.5%: mpi latency\n", "25%": ""} {
		var out, errOut bytes.Buffer
		cmd := NewCommand("test", func() (client.WithWatch, error) { return c, nil })
		cmd.SetArgs([]string{"compare", "rack-7-old", "rack-7-new", "--fail-on-regression", "--threshold", threshold})
		cmd.SetOut(&out)
		cmd.SetErr(&errOut)
		err := cmd.ExecuteContext(t.Context())
		var exit *output.ExitError
		if failed := errors.As(err, &exit) && exit.Code == output.Fail; failed != (want != "") || errOut.String() != want {
			t.Errorf("threshold %s: error %v, said %q", threshold, err, errOut.String())
		}
	}
}

// gated is what the gate ends with, and what it says on standard error.
func gated(t *testing.T, a, b measured, change func(b *v1alpha1.ValidationResult)) (code int, said string) {
	t.Helper()
	objects := append(a.objects(), b.objects()...)
	for _, o := range objects[len(a.objects())+1:] {
		change(o.(*v1alpha1.ValidationResult))
	}
	c := clitest.Cluster(t, interceptor.Funcs{}, objects...)
	var errOut bytes.Buffer
	cmd := NewCommand("test", func() (client.WithWatch, error) { return c, nil })
	cmd.SetArgs([]string{"compare", a.name, b.name, "--fail-on-regression"})
	cmd.SetOut(io.Discard)
	cmd.SetErr(&errOut)
	err := cmd.ExecuteContext(t.Context())
	var exit *output.ExitError
	if errors.As(err, &exit) {
		code = exit.Code
	} else if err != nil {
		code, said = output.Undecided, err.Error()
	}
	return code, errOut.String() + said
}

// A candidate that breaks a benchmark must not pass the gate.
func TestTheGatePassesNothingThatItCannotJudge(t *testing.T) {
	same := older
	same.name = "candidate"
	for name, tc := range map[string]struct {
		change func(*v1alpha1.ValidationResult)
		code   int
		want   string
	}{
		"the same": {func(*v1alpha1.ValidationResult) {}, 0, ""},
		"all attempts err": {func(r *v1alpha1.ValidationResult) {
			r.Benchmarks[1].Attempts[0].Verdict, r.Benchmarks[1].Attempts[0].Measurements = v1alpha1.VerdictError, nil
		}, 2, "whether B is worse is not known of mpi latency: the reasons are above, or in the field why of -o json"},
		"another configuration": {func(r *v1alpha1.ValidationResult) {
			r.Benchmarks[0].Attempts[0].Configuration = "other"
		}, 2, "whether B is worse is not known of gpustream hbmTriad gpu, gpustream smClock gpu: the reasons are above, or in the field why of -o json"},
		"one GPU at 0": {func(r *v1alpha1.ValidationResult) {
			if r.Node.Name == "node-3" {
				r.Benchmarks[0].Attempts[0].Measurements[0].Parts[0].Value = "0"
			}
		}, 1, "worse by more than 2%: gpustream hbmTriad gpu\n"},
		"two of eight nodes replaced, and slower": {func(r *v1alpha1.ValidationResult) {
			if r.Node.Name == "node-3" || r.Node.Name == "node-5" {
				r.Node.Name, r.Node.UID = "new-"+r.Node.Name, "new-"+r.Node.UID
				for i := range r.Benchmarks[0].Attempts[0].Measurements[0].Parts {
					r.Benchmarks[0].Attempts[0].Measurements[0].Parts[i].Value = "2600"
				}
			}
		}, 2, "whether B is worse is not known of gpustream hbmTriad gpu (not in A), gpustream smClock gpu (not in A), " +
			"mpi latency (not in A): the reasons are above, or in the field why of -o json"},
	} {
		t.Run(name, func(t *testing.T) {
			if code, said := gated(t, older, same, tc.change); code != tc.code || said != tc.want {
				t.Errorf("exit code %d, said %q", code, said)
			}
		})
	}
}
