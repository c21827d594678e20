package nodevalidation

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const gpus = "nvidia.com/gpu"

func gpuNode(count, product string) *corev1.Node {
	n := node("u1")
	if count != "" {
		n.Status.Allocatable = corev1.ResourceList{gpus: resource.MustParse(count)}
	}
	if product != "" {
		n.Labels[v1alpha1.LabelGPUProduct] = product
	}
	return n
}

func TestMachineOf(t *testing.T) {
	for name, test := range map[string]struct {
		node      *corev1.Node
		resource  string
		wantCount string
	}{
		"a benchmark without devices":     {gpuNode("8", "NVIDIA-H200"), "", ""},
		"number and product":              {gpuNode("8", "NVIDIA-H200"), gpus, "8 x NVIDIA-H200"},
		"no feature discovery":            {gpuNode("8", ""), gpus, "8"},
		"a device plugin that is not yet": {gpuNode("", ""), gpus, "0"},
	} {
		t.Run(name, func(t *testing.T) {
			want := v1alpha1.Machine{BootID: "boot", Kernel: "6.8", Driver: "580.82.07", Devices: test.wantCount}
			if diff := cmp.Diff(want, MachineOf(test.node, test.resource, "")); diff != "" {
				t.Errorf("machine (-want +got):\n%s", diff)
			}
		})
	}
}

// TestALongBootIDIsOneEverywhere: what does not fit into the API is cut alike in what a node is and in what is known of it, or the node would have
// rebooted for ever.
func TestALongBootIDIsOneEverywhere(t *testing.T) {
	n := gpuNode("8", strings.Repeat("x", 200))
	n.Status.NodeInfo.BootID, n.Status.NodeInfo.KernelVersion = strings.Repeat("b", 100), strings.Repeat("k", 200)
	m := MachineOf(n, gpus, "")
	if len(m.BootID) > 64 || len(m.Kernel) > 128 || len(m.Devices) > 128 {
		t.Errorf("the API takes no boot ID of %d, kernel of %d and devices of %d bytes", len(m.BootID), len(m.Kernel), len(m.Devices))
	}
	if f := fingerprint(v1alpha1.Fingerprint{}, n, &v1alpha1.ValidationResult{}); f.BootID != m.BootID || f.Kernel != m.Kernel {
		t.Errorf("it is known as %+v, and is %+v", f, m)
	}
}

// TestASealIsBroken by whatever makes another machine of a node.
func TestASealIsBroken(t *testing.T) {
	whole := v1alpha1.Machine{BootID: "boot", Kernel: "6.8", Driver: "580", Devices: "8"}
	for name, change := range map[string]func(*v1alpha1.Machine){
		"by a reboot":          func(m *v1alpha1.Machine) { m.BootID = "next boot" },
		"by a kernel":          func(m *v1alpha1.Machine) { m.Kernel = "6.9" },
		"by a driver":          func(m *v1alpha1.Machine) { m.Driver = "590" },
		"by a lost device":     func(m *v1alpha1.Machine) { m.Devices = "7" },
		"by a fabric":          func(m *v1alpha1.Machine) { m.Fabric = "rdma/hca" },
		"by a text that moved": func(m *v1alpha1.Machine) { m.Kernel, m.Driver = "6.85", "80" },
	} {
		t.Run(name, func(t *testing.T) {
			changed := whole
			change(&changed)
			if Seal(changed) == Seal(whole) || len(Seal(changed)) != 8 {
				t.Errorf("%+v has seal %s, %+v has %s; want different ones of 8 digits", changed, Seal(changed), whole, Seal(whole))
			}
		})
	}
}

// TestAPassIsOfTheMachineThatWasMeasured: what happens to the node while the run goes on makes its pass no fresher.
func TestAPassIsOfTheMachineThatWasMeasured(t *testing.T) {
	before, after := gpuNode("8", "NVIDIA-H200"), gpuNode("7", "NVIDIA-H200")
	after.Status.NodeInfo = corev1.NodeSystemInfo{BootID: "next boot", KernelVersion: "6.9"}
	judged := func(n *corev1.Node, minute int, measured *v1alpha1.Machine) Judgement {
		j := story(n, minute, v1alpha1.VerdictPass, "hbm")
		j.Result.Benchmarks[0].Attempts[0].Machine = measured
		j.Benchmarks = map[string]Benchmark{"hbm": {Asked: "asked", DeviceResource: gpus, OwnExpectations: true}}
		return j
	}
	known := &v1alpha1.Machine{BootID: "boot", Kernel: "6.8", Driver: "580.82.07", Devices: "8 x NVIDIA-H200"}
	next := &v1alpha1.Machine{BootID: "next boot", Kernel: "6.9", Driver: "580.82.07", Devices: "7 x NVIDIA-H200"}
	cleared := judged(after, 1, nil)
	cleared.Result.Benchmarks[0].Attempts = append(cleared.Result.Benchmarks[0].Attempts,
		v1alpha1.Attempt{Number: 2, Verdict: v1alpha1.VerdictPass, LaunchTime: new(at(1)), Machine: next},
		v1alpha1.Attempt{Number: 3, Verdict: v1alpha1.VerdictError, LaunchTime: new(at(1)), Machine: known})
	for name, test := range map[string]struct {
		runs []Judgement
		want *v1alpha1.Machine
	}{
		"at once":                             {[]Judgement{judged(before, 1, known)}, known},
		"changed before it was judged":        {[]Judgement{judged(after, 1, known)}, known},
		"judged again after a change":         {[]Judgement{judged(before, 1, known), judged(after, 1, known)}, known},
		"measured again after the change":     {[]Judgement{judged(before, 1, known), judged(after, 2, next)}, next},
		"an older run, judged last":           {[]Judgement{judged(before, 2, next), judged(after, 1, known)}, next},
		"of the last attempt that measured":   {[]Judgement{cleared}, next},
		"unknown, as of an earlier release":   {[]Judgement{judged(before, 1, nil)}, nil},
		"unknown, though it was known before": {[]Judgement{judged(before, 1, known), judged(before, 2, nil)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var nv Known
			for _, j := range test.runs {
				nv = Next(nv, j)
			}
			history := nv.Validation.Benchmarks[0].History
			newest := history[len(history)-1]
			if diff := cmp.Diff(test.want, newest.Machine); diff != "" {
				t.Errorf("machine of the newest pass (-want +got):\n%s", diff)
			}
			if newest.Asked != "asked" || !newest.OwnExpectations {
				t.Errorf("asked %q, own expectations %v; want asked, true", newest.Asked, newest.OwnExpectations)
			}
			for _, e := range history[:len(history)-1] {
				if e.Asked != "" || e.Machine != nil || !e.OwnExpectations {
					t.Errorf("the older entry still has asked %q and machine %v", e.Asked, e.Machine)
				}
			}
		})
	}
}

// TestAPodMadeForSomethingElseProvesNothingAskedFor: a kubelet may change the annotation that says what its pod was made for.
func TestAPodMadeForSomethingElseProvesNothingAskedFor(t *testing.T) {
	j := story(node("u1"), 1, v1alpha1.VerdictPass, "hbm")
	j.Result.Benchmarks[0].Attempts[0].Configuration = OtherConfiguration + "c2"
	j.Benchmarks = map[string]Benchmark{"hbm": {Asked: "asked"}}
	if got := Next(Known{}, j).Validation.Benchmarks[0].History[0].Asked; got != "" {
		t.Errorf("asked is %q, want none", got)
	}
}

// TestAFailureSaysWhatWasAskedUntilThatIsMeasuredAgain: a pass of something weaker does not put it right.
func TestAFailureSaysWhatWasAskedUntilThatIsMeasuredAgain(t *testing.T) {
	judged := func(minute int, v v1alpha1.Verdict, hash string) Judgement {
		j := story(gpuNode("8", "NVIDIA-H200"), minute, v, "hbm")
		j.Benchmarks = map[string]Benchmark{"hbm": {Asked: hash, DeviceResource: gpus}}
		return j
	}
	nv := Next(Known{}, judged(1, v1alpha1.VerdictFail, "all"))
	nv = Next(nv, judged(2, v1alpha1.VerdictPass, "less"))
	if got := nv.Validation.Benchmarks[0].History[0].Asked; got != "all" {
		t.Errorf("after a weaker pass, the failure says that %q was asked", got)
	}
	nv = Next(nv, judged(3, v1alpha1.VerdictPass, "all"))
	if got := nv.History.Benchmarks[0].Entries[0].Asked; got != "" {
		t.Errorf("after a pass of the same, the failure still says that %q was asked", got)
	}
}
