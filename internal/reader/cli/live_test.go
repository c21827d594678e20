package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/source"
	"github.com/assay-dev/assay/test/clitest"
)

// pinned is a run with the Benchmark that it was started with, and the revision that keeps it.
func pinned(t *testing.T) (*v1alpha1.ValidationRun, *v1alpha1.Benchmark, *appsv1.ControllerRevision) {
	t.Helper()
	b := &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "gpustream", Generation: 3}}
	b.Spec.Image = "registry.example.com/bench:1"
	snapshot := catalogue.Take([]v1alpha1.Benchmark{*b}, nil)
	data, hash, err := snapshot.Encode()
	if err != nil {
		t.Fatal(err)
	}
	r := clitest.Finished(t)
	r.Status.Catalogue = snapshot.Reference("validationrun-run-uid", hash, nil)
	revision := &appsv1.ControllerRevision{Data: runtime.RawExtension{Raw: data}}
	revision.Name, revision.Namespace, revision.Labels = "validationrun-run-uid", "anywhere", map[string]string{v1alpha1.LabelRunUID: string(r.UID)}
	revision.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(r, v1alpha1.GroupVersion.WithKind("ValidationRun"))}
	return r, b, revision
}

func TestTheCatalogueOfARunIsTheOneItWasStartedWith(t *testing.T) {
	r, b, revision := pinned(t)
	changed := b.DeepCopy()
	changed.Spec.Image = "registry.example.com/bench:2"
	foreign := revision.DeepCopy()
	foreign.OwnerReferences = nil
	forged := revision.DeepCopy()
	forged.Data.Raw = []byte(strings.ReplaceAll(string(revision.Data.Raw), "bench:1", "bench:6"))
	forbidden := interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
		if _, is := list.(*appsv1.ControllerRevisionList); is {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "controllerrevisions"}, "", nil)
		}
		return c.List(ctx, list, opts...)
	}}
	for name, c := range map[string]struct {
		instead interceptor.Funcs
		objects []client.Object
		known   bool
	}{
		"what the operator keeps":                   {interceptor.Funcs{}, []client.Object{changed, revision}, true},
		"the cluster's, where that may not be read": {forbidden, []client.Object{b, revision}, true},
		"not one that has changed since":            {forbidden, []client.Object{changed, revision}, false},
		"not one that is gone":                      {interceptor.Funcs{}, nil, false},
		"not what somebody else keeps":              {interceptor.Funcs{}, []client.Object{changed, foreign}, false},
		"not what was changed":                      {interceptor.Funcs{}, []client.Object{changed, forged}, false},
	} {
		t.Run(name, func(t *testing.T) {
			runs, err := source.Source{Connect: clitest.ConnectTo(clitest.Cluster(t, c.instead, append(c.objects, r.DeepCopy())...))}.Load(t.Context(), []string{"rack-7"})
			if err != nil {
				t.Fatal(err)
			}
			got := runs[0].Catalogue
			if known := got != nil && got.Benchmarks[0].Spec.Image == b.Spec.Image; known != c.known || !known && got != nil {
				t.Errorf("got %v", got)
			}
		})
	}
}

// A run of many nodes is read page by page, and its NodeValidations are not asked for one by one.
func TestALargeRunIsReadInPages(t *testing.T) {
	const nodes = 250
	r := clitest.Finished(t)
	r.Status.Nodes = nil
	objects := []client.Object{r, &v1alpha1.NodeValidation{ObjectMeta: metav1.ObjectMeta{Name: "another"}}}
	for i := range nodes {
		name := fmt.Sprintf("node-%03d", i)
		v := &v1alpha1.ValidationResult{Run: v1alpha1.ObjectReference{Name: r.Name, UID: r.UID}, Node: v1alpha1.ObjectReference{Name: name}, Verdict: v1alpha1.VerdictPass}
		v.Name, v.Labels = "rack-7."+name, map[string]string{v1alpha1.LabelRunUID: string(r.UID)}
		v.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "operator", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "assay.dev/v1alpha1", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1("{}")}}
		objects = append(objects, v, &v1alpha1.NodeValidation{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	largest := 0
	paged := interceptor.Funcs{
		List: inPages(t, &largest),
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			switch o.(type) {
			case *v1alpha1.NodeValidation, *v1alpha1.NodeHistory:
				t.Errorf("%T %s was read alone", o, key.Name)
			}
			return c.Get(ctx, key, o, opts...)
		},
	}
	runs, err := source.Source{Connect: clitest.ConnectTo(clitest.Cluster(t, paged, objects...))}.Load(t.Context(), []string{"rack-7"})
	if err != nil {
		t.Fatal(err)
	}
	if got := runs[0]; len(got.Results) != nodes || len(got.Validations) != nodes || got.Results[0].ManagedFields != nil {
		t.Errorf("%d results, %d validations", len(got.Results), len(got.Validations))
	}
	if largest != 100 {
		t.Errorf("the largest page has %d objects, want 100", largest)
	}
}

// inPages does what a real server does with Limit and Continue, and the fake one does not. It notes the size of the largest page.
func inPages(t *testing.T, largest *int) func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
	t.Helper()
	return func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
		var options client.ListOptions
		options.ApplyOptions(opts)
		if err := c.List(ctx, list, &client.ListOptions{LabelSelector: options.LabelSelector}); err != nil {
			return err
		}
		var whole struct {
			Items []json.RawMessage `json:"items"`
		}
		text, err := json.Marshal(list)
		if err == nil {
			err = json.Unmarshal(text, &whole)
		}
		if err != nil {
			return err
		}
		from, to := 0, len(whole.Items)
		if options.Continue != "" {
			if _, err := fmt.Sscan(options.Continue, &from); err != nil {
				return err
			}
		}
		if options.Limit > 0 {
			to = min(to, from+int(options.Limit))
		}
		next := ""
		if to < len(whole.Items) {
			next = fmt.Sprint(to)
		}
		*largest = max(*largest, to-from)
		text, err = json.Marshal(map[string]any{"metadata": map[string]string{"continue": next}, "items": whole.Items[from:to]})
		if err != nil {
			return err
		}
		return json.Unmarshal(text, list)
	}
}

func TestRunsOfTwoClustersOfOneName(t *testing.T) {
	var files []string
	for _, name := range []string{"dc1", "dc2"} {
		c := cluster.Named{WithWatch: clitest.Cluster(t, interceptor.Funcs{}, clitest.Rack7(t)...), Name: name}
		file := t.TempDir() + "/" + name + ".jsonl"
		if _, err := run(t, c, "export", "rack-7", "--to", file); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	for names, want := range map[string][]string{
		"": {"dc1", "dc2"}, "rack-7": {"dc1", "dc2"}, "dc2/rack-7": {"dc2"}, "dc2/rack-7 dc1/rack-7": {"dc2", "dc1"},
	} {
		runs, err := source.Source{Connect: clitest.ConnectTo(noCluster(t)), Files: files}.Load(t.Context(), strings.Fields(names))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range runs {
			got = append(got, runs[i].Cluster)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", names, diff)
		}
	}
}

func TestARunThatIsInNoFileIsLookedForInTheCluster(t *testing.T) {
	file := savedRack7(t, "rack-7.jsonl")
	none := func() (client.WithWatch, error) { return nil, clitest.ErrRefused }
	_, err := source.Source{Connect: none, Files: []string{file}}.Load(t.Context(), []string{"rack-8"})
	clitest.Fails(t, err, `no run "rack-8" is in `+file+`, and no cluster could be asked: connection refused`)
	if runs, err := (source.Source{Connect: none, Files: []string{file}}).Load(t.Context(), []string{"rack-7"}); err != nil || len(runs) != 1 {
		t.Errorf("%d runs, error %v", len(runs), err)
	}
}
