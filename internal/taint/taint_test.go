package taint

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestLimit(t *testing.T) {
	number := func(n int) *intstr.IntOrString { v := intstr.FromInt32(int32(n)); return &v }
	text := func(s string) *intstr.IntOrString { v := intstr.FromString(s); return &v }
	tests := map[string]struct {
		limit *intstr.IntOrString
		nodes int
		want  int
	}{
		"unset is 10 %":                     {nil, 120, 12},
		"a percentage is rounded down":      {text("10%"), 119, 11},
		"but is at least one":               {text("10%"), 4, 1},
		"also 1 % of one node":              {text("1%"), 1, 1},
		"0 % forbids every taint":           {text("0%"), 100, 0},
		"100 % is every node":               {text("100%"), 7, 7},
		"a number is itself":                {number(3), 100, 3},
		"0 forbids every taint":             {number(0), 100, 0},
		"a negative number is 0":            {number(-1), 100, 0},
		"what cannot be read is 10 %":       {text("many"), 100, 10},
		"more than 100 % is not a share":    {text("200%"), 100, 10},
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

func TestWithAndWithout(t *testing.T) {
	taint := func(key, value string, effect corev1.TaintEffect) corev1.Taint {
		return corev1.Taint{Key: key, Value: value, Effect: effect}
	}
	other, ours := taint("other", "x", corev1.TaintEffectNoSchedule), taint("assay.dev/unfit", "a", corev1.TaintEffectNoSchedule)
	sameKey := taint("assay.dev/unfit", "theirs", corev1.TaintEffectNoExecute)
	newValue := taint("assay.dev/unfit", "b", corev1.TaintEffectNoSchedule)

	tests := map[string]struct {
		in      []corev1.Taint
		add     *corev1.Taint // nil: remove ours
		want    []corev1.Taint
		changed bool
	}{
		"added at the end":                       {[]corev1.Taint{other}, &ours, []corev1.Taint{other, ours}, true},
		"added to none":                          {nil, &ours, []corev1.Taint{ours}, true},
		"already there":                          {[]corev1.Taint{ours, other}, &ours, []corev1.Taint{ours, other}, false},
		"updated in place":                       {[]corev1.Taint{ours, other}, &newValue, []corev1.Taint{newValue, other}, true},
		"the same key with another effect stays": {[]corev1.Taint{sameKey}, &ours, []corev1.Taint{sameKey, ours}, true},
		"removed":                                {[]corev1.Taint{other, ours, sameKey}, nil, []corev1.Taint{other, sameKey}, true},
		"removed whatever its value":             {[]corev1.Taint{newValue}, nil, []corev1.Taint{}, true},
		"not there":                              {[]corev1.Taint{other, sameKey}, nil, []corev1.Taint{other, sameKey}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := append([]corev1.Taint{}, tt.in...)
			got, changed := Without(tt.in, ours.Key, ours.Effect)
			if tt.add != nil {
				got, changed = With(tt.in, *tt.add)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || changed != tt.changed {
				t.Errorf("changed %v, want %v; taints (-want +got):\n%s", changed, tt.changed, diff)
			}
			if diff := cmp.Diff(before, append([]corev1.Taint{}, tt.in...)); diff != "" {
				t.Errorf("the input was modified:\n%s", diff)
			}
			if Has(got, ours.Key, ours.Effect) != (tt.add != nil) {
				t.Error("Has disagrees")
			}
		})
	}
}

// TestTaintsOfOthersNeverChange adds and removes at random among random taints of others.
func TestTaintsOfOthersNeverChange(t *testing.T) {
	effects := []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		ours := corev1.Taint{Key: "k1", Effect: effects[r.IntN(3)]}
		var taints []corev1.Taint
		for key := range 4 {
			for _, effect := range effects {
				if r.IntN(2) == 0 {
					taints = append(taints, corev1.Taint{Key: "k" + strconv.Itoa(key), Value: strconv.Itoa(r.IntN(9)), Effect: effect})
				}
			}
		}
		r.Shuffle(len(taints), func(i, j int) { taints[i], taints[j] = taints[j], taints[i] })
		want := othersThan(taints, ours)
		for range 10 {
			var changed, again bool
			if r.IntN(2) == 0 {
				ours.Value = strconv.Itoa(r.IntN(3))
				taints, _ = With(taints, ours)
				_, again = With(taints, ours)
			} else {
				taints, changed = Without(taints, ours.Key, ours.Effect)
				_, again = Without(taints, ours.Key, ours.Effect)
			}
			if again {
				t.Fatalf("seed %d: doing it twice changed something (first %v)", seed, changed)
			}
			if diff := cmp.Diff(want, othersThan(taints, ours)); diff != "" {
				t.Fatalf("seed %d: taints of others changed:\n%s", seed, diff)
			}
		}
	}
}

func othersThan(taints []corev1.Taint, ours corev1.Taint) []corev1.Taint {
	others := []corev1.Taint{}
	for _, t := range taints {
		if t.Key != ours.Key || t.Effect != ours.Effect {
			others = append(others, t)
		}
	}
	return others
}
