package taint

import (
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fleet of so many nodes of each kind: "cpu", or GPUs on instance type "a" or "b".
func fleet(cpu, a, b int) []*corev1.Node {
	var all []*corev1.Node
	add := func(kind string, n int) {
		for i := range n {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: kind + strconv.Itoa(i), Labels: map[string]string{corev1.LabelInstanceTypeStable: kind}}}
			if kind != "cpu" {
				node.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": *resource.NewQuantity(8, resource.DecimalSI)}
			}
			all = append(all, node)
		}
	}
	add("cpu", cpu)
	add("a", a)
	add("b", b)
	return all
}

// TestTheBudgetIsAShareOfWhatABenchmarkRunsOn: a tenth of a cluster of 1,000 nodes may be its whole pool of GPU nodes.
func TestTheBudgetIsAShareOfWhatABenchmarkRunsOn(t *testing.T) {
	gpu, cpu := []string{"nvidia.com/gpu"}, []string{""}
	for sentence, c := range map[string]struct {
		nodes     []*corev1.Node
		policy    Policy
		resources []string
		fail      string // nodes of this kind do, all of them
		want      int
	}{
		"80 GPU nodes of one type among 1,000":           {fleet(920, 80, 0), Policy{MaxPercent: 10}, gpu, "a", 8},
		"of two types":                                   {fleet(920, 40, 40), Policy{MaxPercent: 10}, gpu, "a", 4},
		"by a benchmark that needs no device":            {fleet(920, 80, 0), Policy{MaxPercent: 10}, cpu, "a", 8},
		"nodes without devices":                          {fleet(920, 80, 0), Policy{MaxPercent: 10}, cpu, "cpu", 92},
		"a small type may lose one":                      {fleet(92, 5, 3), Policy{MaxPercent: 10}, gpu, "b", 1},
		"a number bounds all":                            {fleet(920, 80, 0), Policy{MaxPercent: 10, MaxNodes: 3}, gpu, "a", 3},
		"none is allowed":                                {fleet(920, 80, 0), Policy{}, gpu, "a", 0},
		"by benchmarks of which one only needs a device": {fleet(0, 20, 20), Policy{MaxPercent: 10}, []string{"", "nvidia.com/gpu"}, "a", 2},
	} {
		t.Run(sentence, func(t *testing.T) {
			b := NewBudget(c.policy, c.nodes, func(string) bool { return false })
			taken, why := 0, ""
			for _, n := range c.nodes {
				if !strings.HasPrefix(n.Name, c.fail) {
					continue
				}
				if why = b.Refuses(n, c.resources); why == "" {
					b.Take(n)
					taken++
				}
			}
			if taken != c.want {
				t.Errorf("%d nodes are called unfit, want %d: %s", taken, c.want, why)
			}
		})
	}
}

// TestOneOfEachTypeIsNotAll: each pool may lose one node, all of them together no more than the share of all.
func TestOneOfEachTypeIsNotAll(t *testing.T) {
	nodes := fleet(0, 1, 1)
	for i := range 18 {
		n := nodes[0].DeepCopy()
		n.Name, n.Labels = strconv.Itoa(i), map[string]string{corev1.LabelInstanceTypeStable: strconv.Itoa(i)}
		nodes = append(nodes, n)
	}
	b := NewBudget(Policy{MaxPercent: 10}, nodes, func(name string) bool { return name == "a0" })
	taken := 0
	for _, n := range nodes {
		if b.Refuses(n, []string{"nvidia.com/gpu"}) == "" && n.Name != "a0" {
			b.Take(n)
			taken++
		}
	}
	if taken != 1 {
		t.Errorf("%d more of 20 nodes of 20 types are called unfit, want 1", taken)
	}
	if why := b.Refuses(nodes[0], []string{"nvidia.com/gpu"}); why != "" {
		t.Errorf("a node that is counted already: %s", why)
	}
}
