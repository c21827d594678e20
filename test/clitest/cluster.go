// Package clitest has the clusters and runs that the commands are tested with.
package clitest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/test/golden"
	"github.com/assay-dev/assay/test/testdata"
)

// Golden checks a text against a file in the tests' own testdata.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	golden.Check(t, name, got)
}

// Rack7 are the objects of a finished run, in which all kinds of things were found.
func Rack7(t *testing.T) []client.Object {
	t.Helper()
	var objects []client.Object
	for _, document := range testdata.Rack7() {
		var kind metav1.TypeMeta
		if err := yaml.Unmarshal(document, &kind); err != nil {
			t.Fatal(err)
		}
		made, err := cluster.Scheme().New(kind.GroupVersionKind())
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(document, made); err != nil {
			t.Fatalf("%v in:\n%s", err, document)
		}
		objects = append(objects, made.(client.Object))
	}
	return objects
}

// Finished is the run of Rack7.
func Finished(t *testing.T) *v1alpha1.ValidationRun { return Rack7(t)[0].(*v1alpha1.ValidationRun) }

// InProgress is a run of five nodes, of which so many passed and the next one is being measured.
func InProgress(t *testing.T, done int) *v1alpha1.ValidationRun {
	t.Helper()
	run := Finished(t)
	run.Status.Verdict, run.Status.CompletionTime = v1alpha1.VerdictPending, nil
	run.Status.Conditions[0].Status, run.Status.Conditions[0].Reason = metav1.ConditionFalse, v1alpha1.ReasonRunning
	run.Status.Progress = fmt.Sprintf("%d/5", done)
	run.Status.Summary = &v1alpha1.RunSummary{Nodes: 5, Passed: int32(done), Running: 1, Pending: int32(4 - done)}
	run.Status.Nodes = nil
	for i := 1; i <= done; i++ {
		run.Status.Nodes = append(run.Status.Nodes, v1alpha1.NodeRow{Name: fmt.Sprintf("node-%d", i), Verdict: v1alpha1.VerdictPass, Message: "2 of 2 benchmarks passed"})
	}
	run.Status.Nodes = append(run.Status.Nodes, v1alpha1.NodeRow{
		Name: fmt.Sprintf("node-%d", done+1), Verdict: v1alpha1.VerdictPending, Reason: v1alpha1.ReasonRunning, Message: "gpustream is running",
	})
	return run
}

// Cluster answers from these objects, but for what the functions do in its place.
func Cluster(t *testing.T, instead interceptor.Funcs, objects ...client.Object) client.WithWatch {
	t.Helper()
	return fake.NewClientBuilder().WithScheme(cluster.Scheme()).WithObjects(objects...).
		WithStatusSubresource(&v1alpha1.ValidationRun{}).WithInterceptorFuncs(instead).Build()
}

// Fails checks that a command ended with this error.
func Fails(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("error %v\nwant  %s", err, want)
	}
}

// ErrRefused is what a cluster that is away answers.
var ErrRefused = errors.New("connection refused")

// Runs are the resource of ValidationRuns.
var Runs = schema.GroupResource{Group: "assay.dev", Resource: "validationruns"}

// Getting makes a Get of these objects fail.
func Getting[T client.Object](cause error) interceptor.Funcs {
	return interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
		if _, is := o.(T); is {
			return cause
		}
		return c.Get(ctx, key, o, opts...)
	}}
}

// Under is a root command that has these below it.
func Under(commands ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{Use: "kubectl assay", SilenceUsage: true, SilenceErrors: true, Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl assay"}}
	root.AddCommand(commands...)
	return root
}

// Execute a command line, and return what was printed.
func Execute(t *testing.T, root *cobra.Command, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(io.Discard)
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

// ConnectTo a cluster, as a command does.
func ConnectTo(c client.WithWatch) cluster.Connect {
	return func() (client.WithWatch, error) { return c, nil }
}
