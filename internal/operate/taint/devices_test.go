package taint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/measure/dra"
)

// gpus is a node of so many GPUs, as its slices show it.
func gpus(n int64, edit func(*dra.Offer)) *corev1.Node {
	o := dra.Offer{Driver: "gpu.nvidia.com", Class: "gpu.nvidia.com", Resource: "nvidia.com/gpu", Has: n, Offers: n}
	for i := range n {
		o.UUIDs += fmt.Sprintf(" GPU-%d", i)
	}
	if edit != nil {
		edit(&o)
	}
	return dra.Show(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "a"}}, o, true)
}

func of(at string, devices ...string) v1alpha1.Conviction {
	return v1alpha1.Conviction{Benchmark: "hbm", Metric: "triad", Rule: "Min", At: at, Devices: devices}
}

// TestWhatIsOutOfService: single GPUs only where nothing else is convicted, they are known, and a DRA driver alone hands them out.
func TestWhatIsOutOfService(t *testing.T) {
	plugin := &corev1.Node{}
	plugin.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
	three, five, link := of("gpu3", "GPU-3"), of("gpu5", "GPU-5"), of("gpu0->gpu1")
	more := three
	more.More = 2
	for sentence, c := range map[string]struct {
		node      *corev1.Node
		convicted []v1alpha1.Conviction
		before    []string
		want, why string
	}{
		"one of eight":                 {gpus(8, nil), []v1alpha1.Conviction{three}, nil, "GPU-3", ""},
		"two, by two rules":            {gpus(8, nil), []v1alpha1.Conviction{five, three}, nil, "GPU-3 GPU-5", ""},
		"the same by two rules":        {gpus(8, nil), []v1alpha1.Conviction{three, three}, nil, "GPU-3", ""},
		"half of them":                 {gpus(8, nil), []v1alpha1.Conviction{of("gpu0", "GPU-0", "GPU-1", "GPU-2", "GPU-3")}, nil, "GPU-0 GPU-1 GPU-2 GPU-3", ""},
		"more than half":               {gpus(8, nil), []v1alpha1.Conviction{of("gpu0", "GPU-0", "GPU-1", "GPU-2", "GPU-3"), five}, nil, "", "5 of its 8 devices are convicted"},
		"the only one":                 {gpus(1, nil), []v1alpha1.Conviction{of("gpu0", "GPU-0")}, nil, "", "1 of its 1 device"},
		"and a link":                   {gpus(8, nil), []v1alpha1.Conviction{three, link}, []string{"GPU-3"}, "", "Min of triad convicted gpu0->gpu1"},
		"and the node":                 {gpus(8, nil), []v1alpha1.Conviction{three, of("")}, []string{"GPU-3"}, "", "convicted the node"},
		"and rules without room":       {gpus(8, nil), []v1alpha1.Conviction{more}, nil, "", "2 rules more of hbm"},
		"too many to know":             {gpus(8, nil), slices.Repeat([]v1alpha1.Conviction{three}, 65), nil, "", "65 convictions"},
		"a device plugin":              {plugin, []v1alpha1.Conviction{three}, nil, "", "device plugin, not from a DRA driver"},
		"a device plugin as well":      {dra.Show(plugin, *dra.Shown(gpus(8, nil)), true), []v1alpha1.Conviction{three}, nil, "", "a device plugin hands out its devices, too"},
		"a device plugin since":        {plugin, []v1alpha1.Conviction{three}, []string{"GPU-3"}, "", "device plugin"},
		"not published":                {gpus(3, nil), []v1alpha1.Conviction{three}, nil, "", "GPU-3, which is convicted, is in no ResourceSlice"},
		"gone since":                   {gpus(3, nil), []v1alpha1.Conviction{three}, []string{"GPU-3"}, "GPU-3", ""},
		"gone since, and another":      {gpus(3, nil), []v1alpha1.Conviction{of("gpu0", "GPU-0"), three}, []string{"GPU-3"}, "GPU-0 GPU-3", ""},
		"one UUID for two":             {gpus(8, func(o *dra.Offer) { o.UUIDs = strings.Replace(o.UUIDs, "GPU-0", "GPU-1", 1) }), []v1alpha1.Conviction{three}, nil, "", "7 different UUIDs of 8 devices"},
		"slices that do not fit":       {gpus(8, func(o *dra.Offer) { o.Broken = "half a pool" }), []v1alpha1.Conviction{three}, nil, "", "half a pool"},
		"slices that do not fit since": {gpus(8, func(o *dra.Offer) { o.Broken = "half a pool" }), []v1alpha1.Conviction{three}, []string{"GPU-3"}, "GPU-3", ""},
		"no rules for devices":         {gpus(8, func(o *dra.Offer) { o.NoRules = true }), []v1alpha1.Conviction{three}, nil, "", "no DeviceTaintRules"},
		"no rules since":               {gpus(8, func(o *dra.Offer) { o.NoRules, o.Broken = true, "half a pool" }), []v1alpha1.Conviction{three}, []string{"GPU-3"}, "", "no DeviceTaintRules"},
		"other ways to use a GPU":      {gpus(8, func(o *dra.Offer) { o.Others = true }), []v1alpha1.Conviction{three}, nil, "", "in other ways, too"},
		"slices that are withdrawn":    {&corev1.Node{}, []v1alpha1.Conviction{three}, []string{"GPU-3", "GPU-5"}, "GPU-3", ""},
	} {
		got := devicesOut(c.node, c.convicted, c.before)
		if strings.Join(got.devices, " ") != c.want || (got.why == "") != (c.why == "") || !strings.Contains(got.why, c.why) {
			t.Errorf("%s: %v, %q; want %q, %q", sentence, got.devices, got.why, c.want, c.why)
		}
	}
}

// TestWhoseScopeCounts: what asks for the node stays so until it is lifted, and a run that taints nobody changes nothing.
func TestWhoseScopeCounts(t *testing.T) {
	unfit := &corev1.Taint{Key: "assay.dev/unfit", Effect: corev1.TaintEffectNoSchedule}
	five := []v1alpha1.Conviction{of("gpu5", "GPU-5")}
	device := v1alpha1.TaintScopeDevice
	of3 := &v1alpha1.Quarantine{Devices: []string{"GPU-3"}}
	for sentence, c := range map[string]struct {
		j    Judgement
		q    *v1alpha1.Quarantine
		own  []v1alpha1.Conviction
		want string
		why  string
	}{
		"new":                             {Judgement{Taint: unfit, Scope: device}, nil, five, "GPU-5", ""},
		"new, and the node is asked for":  {Judgement{Taint: unfit}, nil, five, "", ""},
		"another device":                  {Judgement{Taint: unfit, Scope: device}, of3, five, "GPU-5", ""},
		"a device that has proved itself": {Judgement{Taint: unfit, Scope: device}, of3, nil, "GPU-5", ""},
		"a run that taints nobody":        {Judgement{}, of3, five, "GPU-3", ""},
		"a run whose taint is refused":    {Judgement{Taint: unfit, Scope: device, TaintRefused: "so"}, of3, five, "GPU-3", ""},
		"the breaker is open":             {Judgement{Taint: unfit, Scope: device, BreakerOpen: true}, of3, five, "GPU-3", ""},
		"another run asks for the node":   {Judgement{Taint: unfit}, of3, five, "", ""},
		"another run passes":              {Judgement{Taint: unfit}, of3, nil, "GPU-3", ""},
		"it is the node":                  {Judgement{Taint: unfit, Scope: device}, &v1alpha1.Quarantine{Run: v1alpha1.ObjectReference{Name: "old"}}, five, "", "run old tainted it so"},
	} {
		got := c.j.out(gpus(8, nil), c.q, five, c.own)
		if strings.Join(got.devices, " ") != c.want || (got.why == "") != (c.why == "") || !strings.Contains(got.why, c.why) {
			t.Errorf("%s: %v, %q; want %q, %q", sentence, got.devices, got.why, c.want, c.why)
		}
	}
}

// TestDevicesOfARule: all parts that broke it are single GPUs, and all attempts say which.
func TestDevicesOfARule(t *testing.T) {
	attempt := func(uuids ...string) (a v1alpha1.Attempt) {
		a.Verdict = v1alpha1.VerdictPass
		for i, uuid := range uuids {
			a.Devices = append(a.Devices, v1alpha1.Device{Index: int32(i), UUID: uuid})
		}
		return a
	}
	two := []v1alpha1.Attempt{attempt("A", "B", "C"), attempt("A", "B", "C")}
	other := []v1alpha1.Attempt{attempt("A", "B"), attempt("B", "A")}
	third := func(speed v1alpha1.Decimal) v1alpha1.Attempt {
		a := attempt("A", "B", "Z")
		a.Measurements = []v1alpha1.Measurement{{Name: "triad", Unit: "TB/s", Parts: []v1alpha1.PartValue{{At: "gpu0", Value: "2000"}, {At: "gpu2", Value: speed}, {At: "gpu2->numa0", Value: "1"}}}}
		return a
	}
	known := []v1alpha1.Conviction{of("gpu7", "B", "Z")}
	known[0].Run.UID, known[0].Value = "r", "1"
	own := []v1alpha1.Conviction{of("gpu7", "Z")} // by terms of another run's own
	known[0].AsCatalogued = true
	for sentence, c := range map[string]struct {
		ats      []string
		attempts []v1alpha1.Attempt
		known    []v1alpha1.Conviction
		want     string
	}{
		"two GPUs":                         {[]string{"gpu2", "gpu0"}, two, nil, "A C"},
		"a GPU and a link":                 {[]string{"gpu2", "gpu0->gpu1"}, two, nil, ""},
		"all that leads from a GPU":        {[]string{"gpu2->*"}, two, nil, ""},
		"a GPU and the node":               {[]string{"gpu2", ""}, two, nil, ""},
		"a socket":                         {[]string{"socket0"}, two, nil, ""},
		"a GPU that nobody names":          {[]string{"gpu3"}, two, nil, ""},
		"a GPU that was renumbered":        {[]string{"gpu0"}, other, nil, ""},
		"a GPU that was left out stays":    {[]string{"gpu0"}, two, known, "A Z"},
		"a GPU that came back stays":       {[]string{"gpu0"}, []v1alpha1.Attempt{attempt("A", "B"), attempt("A", "B", "Z")}, known, "A Z"},
		"a GPU that became bad stays":      {[]string{"gpu0"}, []v1alpha1.Attempt{third("3.2"), third("2.9")}, known, "A Z"},
		"a GPU that is good goes":          {[]string{"gpu0"}, []v1alpha1.Attempt{third("3.2"), third("3.1")}, known, "A"},
		"a GPU of another run's own terms": {[]string{"gpu0"}, two, own, "A"},
		"it cannot be told any more":       {nil, two, known, "B Z"},
		"nothing is known, and never was":  {nil, two, nil, ""},
		"attempts that measured nothing":   {[]string{"gpu0"}, []v1alpha1.Attempt{{Verdict: v1alpha1.VerdictError, Devices: two[0].Devices}}, nil, ""},
		"one attempt that names no device": {[]string{"gpu0"}, append(two[:1:1], attempt()), nil, ""},
	} {
		mine := of("gpu7")
		mine.Run.UID, mine.Value, mine.AsCatalogued = "r", "1", true
		broken := term.Term{Metric: "triad", Rule: "Min", Ats: c.ats, RuleNumbers: v1alpha1.RuleNumbers{Value: "2500", Bound: "3000", Unit: "GB/s"}}
		if got := devicesOf(broken, &mine, &v1alpha1.BenchmarkResult{Attempts: c.attempts}, c.known); strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", sentence, got, c.want)
		}
	}
	past := term.Term{Metric: "triad", Rule: term.Regression, Ats: []string{"gpu0"}, RuleNumbers: v1alpha1.RuleNumbers{Value: "2500", Bound: "3000", Unit: "GB/s"}}
	mine := v1alpha1.Conviction{Benchmark: known[0].Benchmark, Metric: known[0].Metric, Rule: past.Rule, AsCatalogued: true}
	known[0].Rule = past.Rule
	if got := devicesOf(past, &mine, &v1alpha1.BenchmarkResult{Attempts: []v1alpha1.Attempt{third("2.9"), third("2.9")}}, known); strings.Join(got, " ") != "A" {
		t.Errorf("by another part's past: %v", got)
	}
	if got := devicesOf(term.Term{Rule: term.Devices, Ats: []string{"gpu0"}}, &v1alpha1.Conviction{}, &v1alpha1.BenchmarkResult{Attempts: two}, nil); got != nil {
		t.Errorf("missing devices are %v", got)
	}
}

// TestTheMarkIsTheTaintOfDevices: it alone is written and removed, and taints of others stay.
func TestTheMarkIsTheTaintOfDevices(t *testing.T) {
	theirs := corev1.Taint{Key: "assay.dev/unfit", Value: "theirs", Effect: corev1.TaintEffectNoSchedule}
	node := &corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "x"}}}}
	q := &v1alpha1.Quarantine{ID: "1", Key: theirs.Key, Value: "failed", Effect: theirs.Effect, Devices: []string{"GPU-3"}}
	whole := &v1alpha1.Quarantine{ID: "2", Key: q.Key, Value: q.Value, Effect: q.Effect}
	out, changed := Bind(node, q)
	devices, taint := MarkedDevices(out)
	if !changed || len(out.Spec.Taints) != 1 || !slices.Equal(devices, q.Devices) || taint != Of(q) || !Carries(out, q) || !Marked(out) || !Wears(out, "") || IsStray(out, q) {
		t.Errorf("%s, taints %v", MarkOn(out), out.Spec.Taints)
	}
	if Carries(out, whole) || !IsStray(out, whole) || StateOf(out, Of(whole), whole) != Stray || StateOf(out, Of(q), nil) != Stray || StateOf(node, Of(q), q) != Absent {
		t.Error("it is taken for that of the node")
	}
	if all, _ := Bind(out, whole); len(all.Spec.Taints) != 2 || !Carries(all, whole) || Carries(all, q) {
		t.Errorf("of the node as a whole: %v, %s", all.Spec.Taints, MarkOn(all))
	} else if back, _ := Bind(all, q); len(back.Spec.Taints) != 1 || !Carries(back, q) {
		t.Errorf("of one device again: %v, %s", back.Spec.Taints, MarkOn(back))
	}
	if _, changed := Fenced(out, MarkOf(whole)); changed {
		t.Error("a fence takes the place of a mark that devices are out of service by")
	}
	out.Spec.Taints = append(out.Spec.Taints, theirs)
	if free, _ := Free(out, MarkOf(q)); len(free.Spec.Taints) != 2 || Marked(free) || Carries(free, q) {
		t.Errorf("freed: %v, %s", free.Spec.Taints, MarkOn(free))
	}
	delete(out.Annotations, v1alpha1.AnnotationQuarantine)
	if Carries(out, q) || IsStray(out, q) {
		t.Error("somebody has taken the mark away, and it counts as carried")
	}
}

// TestNoRoomForTheNode: where somebody else's taint is that of the node would be, devices stay out of service.
func TestNoRoomForTheNode(t *testing.T) {
	j := Judgement{Taint: &corev1.Taint{Key: "assay.dev/unfit", Value: "failed", Effect: corev1.TaintEffectNoSchedule}}
	q := &v1alpha1.Quarantine{ID: "q", Key: "assay.dev/unfit", Value: "failed", Effect: corev1.TaintEffectNoSchedule, Devices: []string{"GPU-3"}}
	node, _ := Bind(gpus(8, nil), q)
	if !j.changes(node, q, out{}) {
		t.Error("nothing is in the way, and the node is not to be tainted as a whole")
	}
	node.Spec.Taints = []corev1.Taint{{Key: "assay.dev/unfit", Value: "rma", Effect: corev1.TaintEffectNoSchedule}}
	if j.changes(node, q, out{}) {
		t.Error("the quarantine of devices is to go for one that cannot be put on the node")
	}
	if is := (out{why: "a link is convicted"}).noted("", true, node, q); !strings.HasPrefix(is, "not tainted as a whole: the node carries a taint assay.dev/unfit:NoSchedule") {
		t.Errorf("its row says %s", is)
	}
	if !j.changes(node, q, out{devices: []string{"GPU-4"}}) {
		t.Error("other devices need no room on the node")
	}
}

// TestWhyANodeIsTaintedAsAWholeIsSaidInEveryPass: the row of the run says so for as long as the run lasts, and not only when it taints.
func TestWhyANodeIsTaintedAsAWholeIsSaidInEveryPass(t *testing.T) {
	j := failed()
	j.Scope = v1alpha1.TaintScopeDevice
	first := j.Quarantine(Current{Node: node()}, everything)
	announced := j.Announced(first, "id")
	tainted, _ := Bind(node(), announced.Quarantine)
	again := j.Next(Current{Node: tainted, Validation: announced, History: first.History})
	if !strings.HasPrefix(first.Note, "tainted as a whole although scope is Device: Min of triad convicted the node") || again.Action != Record || again.Note != first.Note {
		t.Errorf("%q, and then %s, %q", first.Note, again.Action, again.Note)
	}
}
