package plan

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/test/clitest"
	"github.com/assay-dev/assay/test/golden"
	"github.com/assay-dev/assay/test/testdata"
)

var regexpFile = regexp.MustCompile(`\S+policy\.yaml`)

const policyFile = `apiVersion: assay.dev/v1alpha1
kind: ValidationPolicy
metadata:
  name: h200
spec:
  selector:
    matchLabels: {pool: h200}
  suite: quick
  overrides:
  - {name: gpustream, expectations: [{metric: hbmTriad, min: "4.3"}]}
  validForSeconds: 604800
  schedule: 0 2 * * 1-5
  timeZone: Europe/Zurich
  run:
    maxConcurrentNodes: 25%
  suspend: true
`

// pool of nodes of which some cannot be measured, and one is of another pool.
func pool() []client.Object {
	stream := testdata.Benchmark("gpustream")
	stream.Spec.Suites = append(stream.Spec.Suites, "quick")
	objects := []client.Object{stream}
	for i := range 9 {
		n := clitest.Node(fmt.Sprintf("node-%d", i), map[string]string{"pool": "h200"})
		n.UID, n.CreationTimestamp = types.UID(fmt.Sprint("uid-", i)), metav1.NewTime(clitest.Noon.Add(-time.Hour))
		n.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		n.Spec.Unschedulable = i == 3
		if i == 8 {
			n.Labels["pool"] = "cpu"
		}
		if i == 7 { // a DRA driver publishes them
			delete(n.Status.Allocatable, "nvidia.com/gpu")
			objects = append(objects, slice(n.Name))
		}
		objects = append(objects, n)
	}
	return objects
}

func slice(node string) *resourcev1.ResourceSlice {
	s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node}}
	s.Spec.Driver, s.Spec.NodeName, s.Spec.Pool = "gpu.nvidia.com", &node, resourcev1.ResourcePool{Name: node, ResourceSliceCount: 1}
	for i := range 8 {
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: fmt.Sprintf("gpu-%d", i),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"type": {StringValue: new("gpu")}}})
	}
	return s
}

func planned(t *testing.T, c client.WithWatch, file string, args ...string) (string, error) {
	t.Helper()
	if file != "" {
		name := filepath.Join(t.TempDir(), "policy.yaml")
		if err := os.WriteFile(name, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "-f", name)
	}
	cmd := command(&flags{connect: clitest.ConnectTo(c), now: func() time.Time { return clitest.Noon }})
	return clitest.Execute(t, clitest.Under(cmd), append([]string{"plan"}, args...)...)
}

// A plan says what will be measured when, and what is missing, and writes nothing.
func TestAPlan(t *testing.T) {
	wrote := func() { t.Error("a plan has written") }
	c := clitest.Cluster(t, interceptor.Funcs{
		Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
			wrote()
			return nil
		},
		Update: func(context.Context, client.WithWatch, client.Object, ...client.UpdateOption) error {
			wrote()
			return nil
		},
		Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			wrote()
			return nil
		},
	}, pool()...)
	for _, format := range []string{output.Table, output.Wide, output.JSON, output.CSV} {
		t.Run(format, func(t *testing.T) {
			text, err := planned(t, c, policyFile, "-o", format, "--for", "10d")
			if err != nil {
				t.Fatal(err)
			}
			if format == output.JSON {
				text = golden.FoldJSON(text)
			}
			clitest.Golden(t, "plan."+format+".golden", text)
		})
	}
	fromStdin := command(&flags{connect: clitest.ConnectTo(c), now: func() time.Time { return clitest.Noon }})
	fromStdin.SetIn(bytes.NewBufferString(policyFile))
	text, err := clitest.Execute(t, clitest.Under(fromStdin), "plan", "-f", "-", "--for", "10d")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Golden(t, "plan.table.golden", text)
}

// A budget is named with what it means: the sentences, the table and the document.
func TestAPlanWithinABudget(t *testing.T) {
	c := clitest.Cluster(t, interceptor.Funcs{}, pool()...)
	for limit, want := range map[string]string{
		"150":  "Within 24 hours, 150 GPU-seconds may be spent (spec.gpuSecondsPerDay); 0 are spent now. Up to 4 nodes at once wait for that, the last until 2026-03-1",
		"9":    "Up to 6 nodes at once wait for that, the last until 2026-03-1",
		"9000": "Within 24 hours, 9000 GPU-seconds may be spent (spec.gpuSecondsPerDay); 0 are spent now. No node waits for that.",
	} {
		text, err := planned(t, c, strings.Replace(policyFile, "spec:\n", "spec:\n  gpuSecondsPerDay: "+limit+"\n", 1), "--for", "10d")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("a budget of %s, and the plan says:\n%s\nwant %q", limit, text, want)
		}
	}
}

// A policy of the cluster keeps what is known of it, and takes what a file says in its place.
func TestAPlanOfAPolicyThatIsThere(t *testing.T) {
	p := &v1alpha1.ValidationPolicy{ObjectMeta: metav1.ObjectMeta{Name: "h200", UID: "p", CreationTimestamp: metav1.NewTime(clitest.Noon)}}
	p.Spec = v1alpha1.ValidationPolicySpec{AllNodes: true, Suite: "quik"}
	c := clitest.Cluster(t, interceptor.Funcs{}, append(pool(), p)...)
	_, err := planned(t, c, "", "h200")
	clitest.Fails(t, err, "policy h200 cannot be enforced: no Benchmark lists the suite \"quik\": choose one that `kubectl assay suites` shows")
	text, err := planned(t, c, policyFile, "--for", "10d")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Golden(t, "plan.table.golden", text)
}

func TestAPlanSaysWhatIsWrong(t *testing.T) {
	c := clitest.Cluster(t, interceptor.Funcs{}, pool()...)
	for want, given := range map[string]struct {
		file string
		args []string
	}{
		"say which policy: either one of a file (kubectl assay plan -f policy.yaml), or one of the cluster (kubectl assay plan POLICY)": {},
		`there is no policy "h100": kubectl get validationpolicies lists all policies`:                                                  {args: []string{"h100"}},
		`--for is "4", expected up to a year: write it as 10d or 12w`:                                                                   {args: []string{"h100", "--for", "4"}},
		`--for is "2y", expected up to a year: write it as 10d or 12w`:                                                                  {args: []string{"h100", "--for", "2y"}},
		"FILE has 0 ValidationPolicies, expected one":                                                                                   {file: "{}"},
		`reading FILE: json: unknown field "suit"`:                                                                                      {file: "{apiVersion: assay.dev/v1alpha1, kind: ValidationPolicy, spec: {suit: quick}}"},
	} {
		_, err := planned(t, c, given.file, given.args...)
		if err == nil {
			t.Errorf("no error, want %s", want)
			continue
		}
		got := regexpFile.ReplaceAllString(err.Error(), "FILE")
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
