package taint

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
)

// missed is a run's judgement that a node offered 7 of 8 GPUs.
func missed() Judgement {
	j := failed()
	j.Benchmarks[0].DeviceResource = "nvidia.com/gpu"
	j.Benchmarks[0].Terms.Broken = []term.Term{{Metric: term.DevicesMetric, Rule: term.Devices, RuleNumbers: v1alpha1.RuleNumbers{Limit: "8", Value: "7", Bound: "8", Parts: 1}}}
	return j
}

func offering(devices int64) *corev1.Node {
	n := node()
	n.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": *resource.NewQuantity(devices, resource.DecimalSI)}
	return n
}

// TestMissingDevicesThatAreBack: nothing but what the node offers at the moment of the write convicts it, and what was carried out stays.
func TestMissingDevicesThatAreBack(t *testing.T) {
	j := missed()
	next := j.Quarantine(Current{Node: offering(7)}, everything)
	if next.Action != AddTaint {
		t.Fatalf("a node that offers 7 of 8 is not tainted, but %s", next.Action)
	}
	if back := j.Quarantine(Current{Node: offering(8)}, everything); back.Action != Record || back.Validation.Convictions != nil ||
		!strings.Contains(back.Note, "the node now offers 8 nvidia.com/gpu") {
		t.Errorf("a node that offers 8 of 8 by now: %s, convictions %v, note %q", back.Action, back.Validation.Convictions, back.Note)
	}
	announced := j.Announced(next, "id")
	if back := j.Next(Current{Node: offering(8), Validation: announced}); back.Action == AddTaint {
		t.Error("a taint that was announced, but never written, is written although the devices are back")
	}
	carrying, _ := Bind(offering(8), announced.Quarantine)
	if tainted := j.Next(Current{Node: carrying, Validation: announced}); tainted.Action == Lift || len(tainted.Validation.Convictions) != 1 {
		t.Errorf("a taint stays until a measurement refutes it: %s, convictions %v", tainted.Action, tainted.Validation.Convictions)
	}
	j.Taint = nil
	if told := j.Next(Current{Node: offering(8), Validation: announced}); len(told.Validation.Convictions) != 1 {
		t.Error("a conviction of a run that taints nobody is forgotten without a measurement")
	}
}

// TestMissingDevicesThatAreWaitedForAgain: a node is not convicted of what it is waited for, but of all else.
func TestMissingDevicesThatAreWaitedForAgain(t *testing.T) {
	j := missed()
	j.Benchmarks[0].NotMissing = "waiting"
	if next := j.Next(Current{Node: offering(7)}); next.Action != Record || next.Note != "waiting" {
		t.Errorf("got %s with note %q", next.Action, next.Note)
	}
	j.Benchmarks[0].Terms.Broken = append(j.Benchmarks[0].Terms.Broken, failed().Benchmarks[0].Terms.Broken...)
	if next := j.Quarantine(Current{Node: offering(7)}, everything); len(next.Convicted) != 1 || next.Convicted[0].Metric != "triad" {
		t.Errorf("convicted of %v, want triad", next.Convicted)
	}
}
