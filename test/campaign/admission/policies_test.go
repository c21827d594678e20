package admission

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
)

// TestPoliciesDenyWhatTheyDeny in a real API server, too (test/integration/admission).
func TestPoliciesDenyWhatTheyDeny(t *testing.T) {
	all, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	bare := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	tainted, marked, foreign := bare.DeepCopy(), bare.DeepCopy(), bare.DeepCopy()
	tainted.Spec.Taints = []corev1.Taint{{Key: "assay.dev/unfit", Effect: corev1.TaintEffectNoSchedule}}
	foreign.Spec.Taints = []corev1.Taint{{Key: "site/team", Effect: corev1.TaintEffectNoSchedule}}
	marked.Annotations = map[string]string{"assay.dev/quarantine": "{}"}
	manager := &user.DefaultInfo{Name: "system:serviceaccount:assay-system:assay-manager", Groups: []string{"system:serviceaccounts"}}
	kubelet := &user.DefaultInfo{Name: "system:node:n", Groups: []string{"system:nodes"}}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "assay-benchmarks"}}
	for sentence, c := range map[string]struct {
		write Write
		by    string
	}{
		"the operator taints":                         {Write{User: manager, Verb: "update", Kind: "Node", Before: bare, After: tainted}, ""},
		"the operator taints with another key":        {Write{User: manager, Verb: "update", Kind: "Node", Before: bare, After: foreign}, "assay-nodes"},
		"the operator lifts a taint of somebody else": {Write{User: manager, Verb: "update", Kind: "Node", Before: foreign, After: bare}, "assay-nodes"},
		"a kubelet writes a mark":                     {Write{User: kubelet, Verb: "update", Subresource: "status", Kind: "Node", Before: bare, After: marked}, "assay-marks"},
		"the operator writes a mark":                  {Write{User: manager, Verb: "update", Kind: "Node", Before: bare, After: marked}, ""},
		"somebody makes a benchmark pod":              {Write{User: &user.DefaultInfo{Name: "somebody"}, Verb: "create", Kind: "Pod", After: pod}, "assay-benchmark-pods"},
		"the operator makes a benchmark pod":          {Write{User: manager, Verb: "create", Kind: "Pod", After: pod}, ""},
	} {
		if by, _, _ := strings.Cut(all.Denied(&c.write), ":"); by != c.by {
			t.Errorf("%s: denied by %q, want %q", sentence, by, c.by)
		}
	}
}

func BenchmarkDenied(b *testing.B) {
	all, err := Load()
	if err != nil {
		b.Fatal(err)
	}
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{"a": "b"}}}
	for b.Loop() {
		all.Denied(&Write{User: &user.DefaultInfo{Name: "system:serviceaccount:assay-system:assay-manager", Groups: []string{"system:serviceaccounts"}}, Verb: "update", Kind: "Node", Before: n, After: n})
	}
}
