package taint

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Runs of one node have no majority that could fail alike. So their convictions are held together: of so many nodes of one instance type, by one
// rule, within this time, they are one fault of the measurement, unless as many nodes passed the benchmark meanwhile.
const (
	alikeNodes  = 3
	alikeWindow = 7 * 24 * time.Hour
	// maxAlike bounds what the metadata of one NodeValidation says of convictions.
	maxAlike = 32
)

// Alike are nodes of one instance type that other runs convicted lately, and alike.
type Alike struct {
	Failure, InstanceType string
	Nodes                 map[string]bool
	// Passed are the nodes of that type that passed the benchmark lately; it is asked only where the answer matters.
	Passed func() map[string]bool
}

// convicted is what the metadata of a NodeValidation says of a conviction.
type convicted struct {
	Benchmark string    `json:"benchmark"`
	Failure   string    `json:"failure"`
	Run       types.UID `json:"run"`
	At        int64     `json:"at"`
}

// convictedOf is what its metadata says of what convicts a node; empty for nothing. What broke a run's own terms is left out: an editor could keep
// truly bad nodes from being tainted by it.
func convictedOf(v *v1alpha1.NodeValidation) string {
	var all []convicted
	for _, c := range v.Convictions {
		is := convicted{c.Benchmark, c.Benchmark + "/" + c.Metric + "/" + c.Rule, c.Run.UID, c.MeasuredAt.Unix()}
		if c.AsCatalogued && len(all) < maxAlike && !slices.Contains(all, is) {
			all = append(all, is)
		}
	}
	if len(all) == 0 {
		return ""
	}
	text, _ := json.Marshal(all) // texts and numbers always can be
	return string(text)
}

// AlikeElsewhere are the convictions of other runs than this one, by instance type and rule, where there are at least two. records are the
// metadata of NodeValidations; passed finds the nodes of a type that passed a benchmark since a time.
func AlikeElsewhere(records []metav1.ObjectMeta, nodes map[string]*corev1.Node, run types.UID, now time.Time,
	passed func(benchmark, instanceType string, since time.Time) map[string]bool) []Alike {
	since := now.Add(-alikeWindow)
	var all []Alike
	for i := range records {
		node := nodes[records[i].Name]
		var known []convicted
		if node == nil || json.Unmarshal([]byte(records[i].Annotations[v1alpha1.AnnotationConvictions]), &known) != nil {
			continue
		}
		for _, c := range known {
			if c.Run == run || time.Unix(c.At, 0).Before(since) {
				continue
			}
			kind := InstanceType(node)
			k := slices.IndexFunc(all, func(a Alike) bool { return a.Failure == c.Failure && a.InstanceType == kind })
			if k < 0 {
				k = len(all)
				all = append(all, Alike{Failure: c.Failure, InstanceType: kind, Nodes: map[string]bool{},
					Passed: func() map[string]bool { return passed(c.Benchmark, kind, since) }})
			}
			all[k].Nodes[node.Name] = true
		}
	}
	return slices.DeleteFunc(all, func(a Alike) bool { return len(a.Nodes) < alikeNodes-1 })
}

// PassedSince says whether a node passed a benchmark since a time, by what is known of it.
func PassedSince(v *v1alpha1.NodeValidation, benchmark string, since time.Time) bool {
	last := v.Benchmark(benchmark).LastPass()
	return last != nil && !last.Time.Time.Before(since)
}

// elsewhere says whether what a run failed was failed alike in runs before, so that it is no fault of the nodes.
func elsewhere(in BreakerInput) (open bool, why string) {
	for _, a := range in.Elsewhere {
		failed, here := maps.Clone(a.Nodes), false
		for _, n := range in.Judged {
			if n.Verdict == v1alpha1.VerdictFail && n.InstanceType == a.InstanceType && slices.Contains(n.Failures, a.Failure) {
				failed[n.Name], here = true, true
			}
		}
		if !here || len(failed) < alikeNodes {
			continue
		}
		if passed := a.passedBeside(failed, in.Judged); len(failed) > passed {
			return true, failedAlikeElsewhere(len(failed), passed, a.Failure, a.InstanceType, int(alikeWindow.Hours()/24))
		}
	}
	return false, ""
}

// passedBeside is how many nodes passed, lately or in this run, and did not fail.
func (a *Alike) passedBeside(failed map[string]bool, judged []JudgedNode) int {
	passed := maps.Clone(a.Passed())
	for _, j := range judged {
		if j.Verdict == v1alpha1.VerdictPass && j.InstanceType == a.InstanceType {
			passed[j.Name] = true
		}
	}
	maps.DeleteFunc(passed, func(name string, _ bool) bool { return failed[name] }) // that it passed before says nothing of what it fails by now
	return len(passed)
}
