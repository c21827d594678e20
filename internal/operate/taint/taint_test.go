package taint

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestLimit(t *testing.T) {
	number := func(n int) *intstr.IntOrString { v := intstr.FromInt32(int32(n)); return &v }
	text := func(s string) *intstr.IntOrString { v := intstr.FromString(s); return &v }
	tests := map[string]struct {
		limit *intstr.IntOrString
		nodes int
		want  int
	}{
		"unset is 10%":                      {nil, 120, 12},
		"a percentage is rounded down":      {text("10%"), 119, 11},
		"but is at least one":               {text("10%"), 4, 1},
		"also 1% of one node":               {text("1%"), 1, 1},
		"0% forbids every taint":            {text("0%"), 100, 0},
		"100% is every node":                {text("100%"), 7, 7},
		"a number is itself":                {number(3), 100, 3},
		"0 forbids every taint":             {number(0), 100, 0},
		"a negative number is 0":            {number(-1), 100, 0},
		"what cannot be read is 10%":        {text("many"), 100, 10},
		"more than 100% is not a share":     {text("200%"), 100, 10},
		"a number as text is no percentage": {text("5"), 100, 10},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Limit(tt.limit, tt.nodes); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestStateOf(t *testing.T) {
	ours := corev1.Taint{Key: "assay.dev/unfit", Value: "failed", Effect: corev1.TaintEffectNoSchedule}
	theirs := ours
	theirs.Value = "theirs"
	otherEffect := ours
	otherEffect.Effect = corev1.TaintEffectNoExecute
	q := &v1alpha1.Quarantine{Key: ours.Key, Value: ours.Value, Effect: ours.Effect, ID: "1"}
	again := q.DeepCopy()
	again.ID = "2"
	unnamed := q.DeepCopy()
	unnamed.ID = ""
	tests := map[string]struct {
		taints []corev1.Taint
		mark   string
		q      *v1alpha1.Quarantine
		want   State
	}{
		"not there": {[]corev1.Taint{{Key: "other"}}, "", q, Absent},
		"the same key with another effect is another":      {[]corev1.Taint{otherEffect}, MarkOf(q), q, Absent},
		"there, and its mark names the quarantine":         {[]corev1.Taint{ours}, MarkOf(q), q, Ours},
		"there, and its mark names one that is gone":       {[]corev1.Taint{ours}, MarkOf(q), nil, Stray},
		"there, and its mark names an older one":           {[]corev1.Taint{ours}, MarkOf(q), again, Stray},
		"there, and there is no mark":                      {[]corev1.Taint{ours}, "", q, Unmarked},
		"there, and somebody wrote the mark":               {[]corev1.Taint{ours}, "mine", q, Unmarked},
		"there, and there is neither mark nor quarantine":  {[]corev1.Taint{ours}, "", nil, Foreign},
		"there, and its mark names none":                   {[]corev1.Taint{ours}, MarkOf(unnamed), nil, Foreign},
		"there, and its mark cannot be read":               {[]corev1.Taint{ours}, strings.Replace(MarkOf(q), "{", `{"devices":1,`, 1), nil, Foreign},
		"there, and a quarantine explains another one":     {[]corev1.Taint{ours}, "", &v1alpha1.Quarantine{Key: "assay.dev/x", Effect: ours.Effect}, Foreign},
		"there, but somebody has given it another a value": {[]corev1.Taint{theirs}, MarkOf(q), q, Foreign},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			node := &corev1.Node{Spec: corev1.NodeSpec{Taints: tt.taints}}
			node.Annotations = map[string]string{v1alpha1.AnnotationQuarantine: tt.mark}
			if got := StateOf(node, ours, tt.q); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if got := tt.q != nil && Carries(node, tt.q); got != (tt.want == Ours || tt.want == Unmarked) {
				t.Errorf("carries the quarantine's taint: %v", got)
			}
		})
	}
}

// TestTaintsOfOthersNeverChange adds and removes at random among random taints of others, some of them like ours in all but value.
func TestTaintsOfOthersNeverChange(t *testing.T) {
	effects := []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		ours := corev1.Taint{Key: "k1", Value: "ours", Effect: effects[r.IntN(3)]}
		var taints []corev1.Taint
		for key := range 4 {
			for _, effect := range effects {
				if r.IntN(2) == 0 {
					taints = append(taints, corev1.Taint{Key: "k" + strconv.Itoa(key), Value: strconv.Itoa(r.IntN(9)), Effect: effect})
				}
			}
		}
		r.Shuffle(len(taints), func(i, j int) { taints[i], taints[j] = taints[j], taints[i] })
		want := append([]corev1.Taint{}, taints...)
		q := &v1alpha1.Quarantine{Key: ours.Key, Value: ours.Value, Effect: ours.Effect, ID: "1"}
		node := &corev1.Node{Spec: corev1.NodeSpec{Taints: taints}}
		removed, _ := Free(node, MarkOf(q))
		added, bound := Bind(node, q)
		again, _ := Free(added, MarkOf(q))
		for what, got := range map[string][]corev1.Taint{"removing what is not there": removed.Spec.Taints, "adding": added.Spec.Taints[:len(taints)],
			"adding and removing": again.Spec.Taints, "what was read": node.Spec.Taints} {
			if diff := cmp.Diff(want, append([]corev1.Taint{}, got...)); diff != "" {
				t.Fatalf("seed %d: %s changed taints of others:\n%s", seed, what, diff)
			}
		}
		if index(taints, ours) < 0 != (bound && Carries(added, q)) {
			t.Fatalf("seed %d: ours is there: %v", seed, bound)
		}
	}
}
