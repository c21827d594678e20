package controllers_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	policies "github.com/assay-dev/assay/controllers/policy"
	"github.com/assay-dev/assay/internal/operate/metrics"
)

// managePolicies starts the operator with both controllers, its caches and its own clock.
func (l *policyLab) managePolicies() (stop func()) {
	l.also = func(mgr ctrl.Manager) error {
		l.enforcer = &policies.Reconciler{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Recorder: l.told, Clock: clock.RealClock{},
			Metrics: metrics.New(prometheus.NewRegistry())}
		return l.enforcer.SetupWithManager(mgr)
	}
	return l.manage()
}

// watch lets time pass, with kubelets at work on all runs, until something is so.
func (l *policyLab) watch(what string, is func() bool) {
	l.t.Helper()
	l.see(what, func() bool {
		for _, run := range l.runs() {
			one := *l.lab
			one.name = run.Name
			one.kubelet()
		}
		return is()
	})
}

// TestManagerEnforcesPolicies: with real caches, whatever makes a policy act wakes it at once, and what does not wakes nobody.
func TestManagerEnforcesPolicies(t *testing.T) {
	l := newPolicyLab(t, 0)
	l.onDevices()
	l.plays = func(string, string, int) program { return quick(program{}) }
	l.managePolicies()
	l.enforce(gated, atOnce)
	begin := time.Now()
	l.addNode("a", closed, withDriver("570.86.15"))
	l.watch("let in", func() bool { return len(taints(l.getNode("a"))) == 0 })
	l.watch("valid", l.valid("1/1"))
	l.nextSecond()
	l.editNode("a", withDriver("580.82.07"))
	l.watch("measured again", func() bool { // not by a status from before the run: a request is met by what is measured after it
		last := l.policy().Status.LastRun
		return len(l.reasons()) == 2 && last.Reason == v1alpha1.ReasonChanged && last.Verdict == v1alpha1.VerdictPass && l.policy().Status.Valid == "1/1"
	})
	l.nextSecond()
	l.edit(func(p *v1alpha1.ValidationPolicy) {
		p.Annotations = map[string]string{v1alpha1.AnnotationValidateNow: "1"}
	})
	l.watch("measured as requested", func() bool { return len(l.reasons()) == 3 && l.policy().Status.Valid == "1/1" })
	same(t, "the runs", "Changed 1, NeverValidated 1, Requested 1", strings.Join(l.reasons(), ", "))
	if took := time.Since(begin); took > 2*unawaited {
		t.Errorf("it took %s, as if nothing woke the policy", took)
	}

	l.watch("settled", func() bool { return l.policy().Status.LastRun.Progress == "1/1" && len(l.pods()) == 0 })
	writes, reads, since := -1, 0, time.Now()
	l.watch("without a write for five seconds", func() bool { // how long its last ones take depends on the machine
		l.heartbeat("a")
		if n := l.hand.count(); n != writes {
			writes, reads, since = n, len(l.requests.of("")), time.Now() // watches that the API server ends are begun anew, rarely
		}
		return time.Since(since) > 5*time.Second
	})
	if more := l.requests.of("")[reads:]; len(more) > 2 {
		t.Errorf("a settled operator reads %v", more)
	}
}

// heartbeat of a node's kubelet, which changes nothing that matters.
func (l *policyLab) heartbeat(short string) {
	l.t.Helper()
	n := l.getNode(short)
	before := n.DeepCopy()
	for i := range n.Status.Conditions {
		n.Status.Conditions[i].LastHeartbeatTime = metav1.Now()
	}
	l.must(api.Status().Patch(l.t.Context(), n, client.StrategicMergeFrom(before)))
}
