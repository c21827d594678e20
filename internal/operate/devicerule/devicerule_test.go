package devicerule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/dra"
	"github.com/assay-dev/assay/internal/operate/taint"
)

const driver = "gpu.nvidia.com"

// marked is node a, of whose devices these are out of service.
func marked(devices ...string) *corev1.Node {
	q := &v1alpha1.Quarantine{ID: "q-1", Key: "assay.dev/unfit", Value: "failed", Effect: corev1.TaintEffectNoSchedule, Devices: devices}
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "uid-a", Annotations: map[string]string{v1alpha1.AnnotationQuarantine: taint.MarkOf(q)}}}
}

// places of node a, whose devices are gpu-0 and so on with these UUIDs.
func places(uuids ...string) *dra.Places { return pool("a", 1, uuids...) }

func pool(name string, sliceCount int64, uuids ...string) *dra.Places {
	s := &resourcev1.ResourceSlice{Spec: resourcev1.ResourceSliceSpec{Driver: driver, NodeName: new("a"),
		Pool: resourcev1.ResourcePool{Name: name, Generation: 1, ResourceSliceCount: sliceCount}}}
	for i, uuid := range uuids {
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: fmt.Sprintf("gpu-%d", i), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
			"type": {StringValue: new("gpu")}, "uuid": {StringValue: &uuid}}})
	}
	return dra.PlacesOf(marked(), []*resourcev1.ResourceSlice{s}, func(string, string) bool { return true })
}

// done is a plan that is carried out on the rules that it was made for.
func done(p *Plan, existing []*resourcev1.DeviceTaintRule) []*resourcev1.DeviceTaintRule {
	by := map[string]*resourcev1.DeviceTaintRule{}
	for _, r := range existing {
		by[r.Name] = r
	}
	for _, r := range p.Delete {
		delete(by, r.Name)
	}
	for _, r := range append(slices.Clone(p.Create), p.Update...) {
		by[r.Name] = r
	}
	var all []*resourcev1.DeviceTaintRule
	for _, r := range by {
		all = append(all, r)
	}
	return all
}

// said is what rules say: the device at the place, and the taint.
func said(rules []*resourcev1.DeviceTaintRule) string {
	var all []string
	for _, r := range rules {
		s, t := r.Spec.DeviceSelector, r.Spec.Taint
		all = append(all, fmt.Sprintf("%s at %s/%s/%s %s=%s:%s of %s", r.Annotations[v1alpha1.AnnotationDevice], *s.Driver, *s.Pool, *s.Device, t.Key, t.Value, t.Effect,
			r.Annotations[v1alpha1.AnnotationQuarantine]))
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

const ruled = "GPU-B at gpu.nvidia.com/a/gpu-%d assay.dev/unfit=failed:NoSchedule of q-1"

// TestPlans: what is marked and published has a rule where it is, whatever there was before, and nothing else has one.
func TestPlans(t *testing.T) {
	at1 := Make(marked("GPU-B"), places("GPU-A", "GPU-B"), taint.Policy{}, nil).Create
	edited := at1[0].DeepCopy()
	edited.Spec.DeviceSelector.Device, edited.Spec.Taint.Effect = nil, "None"
	twins := Make(marked("GPU-B"), places("GPU-B", "GPU-B"), taint.Policy{}, nil).Create
	older := at1[0].DeepCopy()
	older.Annotations[v1alpha1.AnnotationQuarantine] = "q-0"
	evicts := marked("GPU-B")
	evicts.Annotations[v1alpha1.AnnotationQuarantine] = strings.Replace(evicts.Annotations[v1alpha1.AnnotationQuarantine], "NoSchedule", "NoExecute", 1)
	for name, c := range map[string]struct {
		node     *corev1.Node
		at       *dra.Places
		existing []*resourcev1.DeviceTaintRule
		want     string
		writes   int
		problem  string
	}{
		"a new one":                             {marked("GPU-B"), places("GPU-A", "GPU-B"), nil, fmt.Sprintf(ruled, 1), 1, ""},
		"as it is to be":                        {marked("GPU-B"), places("GPU-A", "GPU-B"), at1, fmt.Sprintf(ruled, 1), 0, ""},
		"it has another name":                   {marked("GPU-B"), places("GPU-B", "GPU-A"), at1, fmt.Sprintf(ruled, 0), 2, ""},
		"another GPU is in its slot":            {marked("GPU-B"), places("GPU-A", "GPU-C"), at1, "", 1, ""},
		"nothing is published":                  {marked("GPU-B"), dra.PlacesOf(marked(), nil, nil), at1, fmt.Sprintf(ruled, 1), 0, ""},
		"an empty pool is published":            {marked("GPU-B"), places(), at1, "", 1, ""},
		"its pool is being published":           {marked("GPU-B"), pool("a", 2, "GPU-A"), at1, fmt.Sprintf(ruled, 1), 0, ""},
		"its pool is being published otherwise": {marked("GPU-B"), pool("a", 2, "GPU-A", "GPU-C"), at1, "", 1, ""},
		"the mark is gone":                      {&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, places("GPU-A", "GPU-B"), at1, "", 1, ""},
		"the node is gone":                      {nil, nil, at1, "", 1, ""},
		"the mark is of the node":               {marked(), places("GPU-A", "GPU-B"), at1, "", 1, ""},
		"edited by hand":                        {marked("GPU-B"), places("GPU-A", "GPU-B"), []*resourcev1.DeviceTaintRule{edited}, fmt.Sprintf(ruled, 1), 1, ""},
		"of the quarantine before":              {marked("GPU-B"), places("GPU-A", "GPU-B"), []*resourcev1.DeviceTaintRule{older}, fmt.Sprintf(ruled, 1), 1, ""},
		"named twice in the mark":               {marked("GPU-B", "GPU-B"), places("GPU-A", "GPU-B"), nil, fmt.Sprintf(ruled, 1), 1, ""},
		"evicts without being allowed to":       {evicts, places("GPU-A", "GPU-B"), at1, fmt.Sprintf(ruled, 1), 0, "NoExecute evicts what runs on a node"},
		"not allowed, and another GPU there":    {evicts, places("GPU-A", "GPU-C"), at1, "", 1, "NoExecute evicts what runs on a node"},
		"its UUID is there twice":               {marked("GPU-B"), places("GPU-B", "GPU-B"), at1, fmt.Sprintf(ruled, 0) + "; " + fmt.Sprintf(ruled, 1), 1, "have UUID GPU-B twice, so nobody knows which device is meant, and both are tainted"},
		"half is left of where it is twice":     {marked("GPU-B"), pool("a", 2, "GPU-B"), twins, fmt.Sprintf(ruled, 0) + "; " + fmt.Sprintf(ruled, 1), 0, ""},
		"in a pool of others":                   {marked("GPU-B"), pool("b", 1, "GPU-A", "GPU-B"), at1, "", 1, "device GPU-B is not tainted: pool b has the name of another node"},
	} {
		t.Run(name, func(t *testing.T) {
			p := Make(c.node, c.at, taint.Policy{}, c.existing)
			if is := said(done(p, c.existing)); is != c.want {
				t.Errorf("rules are\n %s\nwant\n %s", is, c.want)
			}
			if n := len(p.Create) + len(p.Update) + len(p.Delete); n != c.writes || p.Idle() != (n == 0) {
				t.Errorf("%d writes, want %d: %+v", n, c.writes, p)
			}
			if is := strings.Join(slices.Concat(p.Problems, p.Doubts), "; "); !strings.Contains(is, c.problem) || (is == "") != (c.problem == "") {
				t.Errorf("problems %q, want %q", is, c.problem)
			}
			if again := Make(c.node, c.at, taint.Policy{}, done(p, c.existing)); !again.Idle() {
				t.Errorf("once more: %+v", again)
			}
		})
	}
}

func TestRulesAreOfTheNode(t *testing.T) {
	r := Make(marked("GPU-B"), places("GPU-A", "GPU-B"), taint.Policy{}, nil).Create[0]
	if !Ours(r) || r.Annotations[v1alpha1.AnnotationNode] != "a" || len(r.OwnerReferences) != 1 || r.OwnerReferences[0].UID != "uid-a" {
		t.Errorf("the rule is %+v", r.ObjectMeta)
	}
	if !strings.HasPrefix(r.Name, "assay-gpu-b-") {
		t.Errorf("its name %s does not show the device", r.Name)
	}
}

func TestNamesAreValid(t *testing.T) {
	at := dra.Place{Driver: driver, Pool: "a", Device: "gpu-0"}
	seen := map[string]bool{}
	for _, node := range []string{"a", "b"} {
		for _, uuid := range []string{"GPU-1f2e3d4c-0000-1111-2222-333344445555", "GPU_1f2e", "ÄÖ/..", "-", strings.Repeat("x", 128), strings.Repeat("x", 49) + "--y"} {
			n := name(node, uuid, at)
			if problems := validation.IsDNS1123Subdomain(n); problems != nil || seen[n] {
				t.Errorf("%q of %q: %v, seen before: %t", n, uuid, problems, seen[n])
			}
			seen[n] = true
		}
	}
}

// TestWhatOthersNoteStays: of a rule only what Assay says is changed.
func TestWhatOthersNoteStays(t *testing.T) {
	want := Make(marked("GPU-B"), places("GPU-A", "GPU-B"), taint.Policy{}, nil).Create[0]
	is := want.DeepCopy()
	added := metav1.NewTime(time.Unix(1, 0))
	is.Spec.Taint.TimeAdded, is.Labels["x"], is.ResourceVersion = &added, "y", "7"
	is.Status.Conditions = []metav1.Condition{{Type: resourcev1.DeviceTaintConditionEvictionInProgress}}
	if next := Changed(is, want); next != nil {
		t.Errorf("changed to %+v", next)
	}
	is.Spec.Taint.Value = "y"
	next := Changed(is, want)
	if next == nil || next.Labels["x"] != "y" || next.ResourceVersion != "7" || next.Spec.Taint.TimeAdded == nil || len(next.Status.Conditions) != 1 || next.Spec.Taint.Value != "failed" {
		t.Errorf("changed to %+v", next)
	}
}
