package cluster

import (
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The node of a kubelet that died is Ready until its lease is 40 seconds old.
func TestALeaseFromBeforeTheKubeletWasStartedIsNoSignOfLife(t *testing.T) {
	started := time.Now()
	lease := &coordinationv1.Lease{}
	if renewedSince(lease, started) {
		t.Error("a lease that nobody ever renewed")
	}
	for renewed, want := range map[time.Duration]bool{-5 * time.Second: false, time.Second: true} {
		lease.Spec.RenewTime = &metav1.MicroTime{Time: started.Add(renewed)}
		if renewedSince(lease, started) != want {
			t.Errorf("renewed %s after the start: %v", renewed, !want)
		}
	}
}
