package v1alpha1

import (
	"slices"
	"testing"
)

func TestWhatMeasuresTheNodeAtRestGoesFirstThenTheCheapest(t *testing.T) {
	made := func(name string, cost int32, atRest bool) Benchmark {
		var b Benchmark
		b.Name, b.Spec.CostSeconds, b.Spec.AtRest = name, cost, atRest
		return b
	}
	all := []Benchmark{made("burn", 600, false), made("p2p", 5, false), made("inventory", 1, false), made("idle-power", 35, true), made("hostlink", 5, false)}
	slices.SortFunc(all, func(a, b Benchmark) int { return CompareOrder(&a, &b) })
	var names []string
	for i := range all {
		names = append(names, all[i].Name)
	}
	if want := []string{"idle-power", "inventory", "hostlink", "p2p", "burn"}; !slices.Equal(names, want) {
		t.Errorf("order %v, want %v", names, want)
	}
}
