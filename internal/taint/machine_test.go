package taint

import (
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
		n.Labels[LabelProduct] = product
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
			if diff := cmp.Diff(want, MachineOf(test.node, test.resource)); diff != "" {
				t.Errorf("machine (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAPassIsOfTheMachineThatWasMeasured: what happens to the node while the run goes on makes its pass no fresher.
func TestAPassIsOfTheMachineThatWasMeasured(t *testing.T) {
	judged := func(n *corev1.Node, minute int, boot string) Judgement {
		j := story(n, minute, v1alpha1.VerdictPass, "hbm")
		j.Result.Benchmarks[0].Attempts[0].BootID = boot
		j.Asked = map[string]Asked{"hbm": {Hash: "asked", DeviceResource: gpus, OwnExpectations: true}}
		return j
	}
	before, after := gpuNode("8", "NVIDIA-H200"), gpuNode("7", "NVIDIA-H200")
	after.Status.NodeInfo = corev1.NodeSystemInfo{BootID: "next boot", KernelVersion: "6.9"}
	known := &v1alpha1.Machine{BootID: "boot", Kernel: "6.8", Driver: "580.82.07", Devices: "8 x NVIDIA-H200"}
	for name, test := range map[string]struct {
		runs []Judgement
		want *v1alpha1.Machine
	}{
		"by what the runner saw":                               {[]Judgement{judged(before, 1, "boot")}, known},
		"by the node, where the runner is mute":                {[]Judgement{judged(before, 1, "")}, known},
		"judged again after a reboot":                          {[]Judgement{judged(before, 1, ""), judged(after, 1, "")}, known},
		"rebooted before it was judged: the rest is not known": {[]Judgement{judged(after, 1, "boot")}, &v1alpha1.Machine{BootID: "boot"}},
		"measured again after the reboot": {[]Judgement{judged(before, 1, ""), judged(after, 2, "next boot")},
			&v1alpha1.Machine{BootID: "next boot", Kernel: "6.9", Driver: "580.82.07", Devices: "7 x NVIDIA-H200"}},
		"an older run, judged last": {[]Judgement{judged(before, 2, "boot"), judged(after, 1, "boot")}, known},
	} {
		t.Run(name, func(t *testing.T) {
			var nv *v1alpha1.NodeValidation
			for _, j := range test.runs {
				nv = NextValidation(nv, j)
			}
			history := nv.Benchmarks[0].History
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
	j.Asked = map[string]Asked{"hbm": {Hash: "asked"}}
	if got := NextValidation(nil, j).Benchmarks[0].History[0].Asked; got != "" {
		t.Errorf("asked is %q, want none", got)
	}
}

// TestAFailureSaysWhatWasAskedUntilThatIsMeasuredAgain: a pass of something weaker does not put it right.
func TestAFailureSaysWhatWasAskedUntilThatIsMeasuredAgain(t *testing.T) {
	judged := func(minute int, v v1alpha1.Verdict, hash string) Judgement {
		j := story(gpuNode("8", "NVIDIA-H200"), minute, v, "hbm")
		j.Asked = map[string]Asked{"hbm": {Hash: hash, DeviceResource: gpus}}
		return j
	}
	nv := NextValidation(nil, judged(1, v1alpha1.VerdictFail, "all"))
	nv = NextValidation(nv, judged(2, v1alpha1.VerdictPass, "less"))
	if got := nv.Benchmarks[0].History[0].Asked; got != "all" {
		t.Errorf("after a weaker pass, the failure says that %q was asked", got)
	}
	nv = NextValidation(nv, judged(3, v1alpha1.VerdictPass, "all"))
	if got := nv.Benchmarks[0].History[0].Asked; got != "" {
		t.Errorf("after a pass of the same, the failure still says that %q was asked", got)
	}
}
