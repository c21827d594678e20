package plan

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func ready(name string, tasks ...Task) Node {
	return Node{Name: name, Facts: Facts{Exists: true, Ready: true}, Tasks: tasks}
}

func pods(p ...Pod) Task { return Task{Benchmark: "stream", Pods: p} }

func TestNext(t *testing.T) {
	const now = 100 * time.Second
	deadline := epoch.Add(time.Hour)
	cases := map[string]struct {
		snapshot Snapshot
		want     Plan
	}{
		"a run without nodes does nothing": {
			Snapshot{MaxConcurrent: 1},
			Plan{Waiting: map[string]string{}, Recheck: deadline},
		},
		"nodes that have not begun start by name, in whatever order they come": {
			Snapshot{MaxConcurrent: 1, Nodes: []Node{ready("b", Task{Benchmark: "stream"}), ready("c", Task{Benchmark: "stream"}), ready("a", Task{Benchmark: "stream"})}},
			Plan{Active: 1, Recheck: deadline, Actions: []Action{{Kind: Launch, Node: "a", Benchmark: "stream", Attempt: 1, Reason: "not measured yet"}},
				Waiting: map[string]string{"b": "waiting for its turn (maxConcurrentNodes allows 1 at once)", "c": "waiting for its turn (maxConcurrentNodes allows 1 at once)"}},
		},
		"a task that was decided without an attempt is not launched": {
			Snapshot{MaxConcurrent: 1, Nodes: []Node{ready("a", Task{Benchmark: "stream", Decided: true})}},
			Plan{Waiting: map[string]string{}, Recheck: deadline},
		},
		"a task whose needs the node does not meet is not launched": {
			Snapshot{MaxConcurrent: 1, Nodes: []Node{ready("a", Task{Benchmark: "stream", NeedsNotMet: "8 GPUs"})}},
			Plan{Waiting: map[string]string{}, Recheck: deadline},
		},
		"a task that waits for devices is looked at when that wait ends": {
			Snapshot{MaxConcurrent: 1, Nodes: []Node{ready("a", Task{Benchmark: "hbm", Awaits: Wait{"its devices", epoch.Add(now + time.Minute)}})}},
			Plan{Waiting: map[string]string{"a": "its devices"}, Recheck: epoch.Add(now + time.Minute)},
		},
		"meanwhile what needs none is launched": {
			Snapshot{MaxConcurrent: 1, Nodes: []Node{ready("a", Task{Benchmark: "hbm", Awaits: Wait{"its devices", epoch.Add(now + time.Minute)}}, Task{Benchmark: "stream"})}},
			Plan{Active: 1, Waiting: map[string]string{}, Recheck: deadline,
				Actions: []Action{{Kind: Launch, Node: "a", Benchmark: "stream", Attempt: 1, Reason: "not measured yet"}}},
		},
		"a group waits for the devices of its nodes": {
			Snapshot{MaxConcurrent: 2, Nodes: []Node{ready("a"), {Name: "b", Facts: Facts{Exists: true, Ready: true}, Awaits: Wait{"its devices", epoch.Add(now + time.Minute)}}},
				Groups: []Group{{ID: "g", Benchmark: "nccl", Nodes: []string{"a", "b"}, Wanted: true, Attempt: 1, Reason: "not measured yet"}}},
			Plan{Waiting: map[string]string{"a": "node b: its devices", "b": "node b: its devices"}, Recheck: epoch.Add(now + time.Minute)},
		},
		"no group starts while a node waits for devices of its own": {
			Snapshot{MaxConcurrent: 2, Nodes: []Node{ready("a"), ready("b", Task{Benchmark: "hbm", Awaits: Wait{"its devices", epoch.Add(now + time.Minute)}})},
				Groups: []Group{{ID: "g", Benchmark: "nccl", Nodes: []string{"a", "b"}, Wanted: true, Attempt: 1, Reason: "not measured yet"}}},
			Plan{Waiting: map[string]string{"b": "its devices"}, Recheck: epoch.Add(now + time.Minute)},
		},
		"the first task that is not decided is launched": {
			Snapshot{MaxConcurrent: 1, Nodes: []Node{ready("a", Task{Benchmark: "dgemm", Decided: true, Attempts: 1}, Task{Benchmark: "stream"})}},
			Plan{Active: 1, Waiting: map[string]string{}, Recheck: deadline,
				Actions: []Action{{Kind: Launch, Node: "a", Benchmark: "stream", Attempt: 1, Reason: "not measured yet"}}},
		},
		"a measured task that waits for the fleet is not launched again": {
			Snapshot{MaxConcurrent: 1, Nodes: []Node{ready("a", Task{Benchmark: "stream", Attempts: 1})}},
			Plan{Waiting: map[string]string{}, Recheck: deadline},
		},
		"while a task waits for the fleet the next one goes on": {
			Snapshot{MaxConcurrent: 1, Nodes: []Node{ready("a", Task{Benchmark: "dgemm", Attempts: 1}, Task{Benchmark: "stream"})}},
			Plan{Active: 1, Waiting: map[string]string{}, Recheck: deadline,
				Actions: []Action{{Kind: Launch, Node: "a", Benchmark: "stream", Attempt: 1, Reason: "not measured yet"}}},
		},
		"a pod whose attempt is stored is deleted, and nothing is launched beside it": {
			Snapshot{MaxConcurrent: 1, Nodes: []Node{ready("a", pods(Pod{Name: "p", Attempt: 2, Ended: true}), Task{Benchmark: "hpl"})}},
			Plan{Active: 1, Waiting: map[string]string{}, Recheck: deadline,
				Actions: []Action{{Kind: Delete, Node: "a", Benchmark: "stream", Pod: "p", Reason: "attempt 2 is stored"}}},
		},
		"a pod that is going already is not deleted again": {
			Snapshot{MaxConcurrent: 1, Nodes: []Node{ready("a", pods(Pod{Name: "p", Attempt: 1, Ended: true, Terminating: true}))}},
			Plan{Active: 1, Waiting: map[string]string{}, Recheck: deadline},
		},
		"a pod that is going is left to go, whatever became of its node": {
			Snapshot{MaxConcurrent: 1, Nodes: []Node{{Name: "a", Facts: Facts{Lost: true},
				Tasks: []Task{pods(Pod{Name: "p", Attempt: 1, Ended: true, Terminating: true})}}}},
			Plan{Active: 1, Waiting: map[string]string{}, Recheck: deadline},
		},
		"a suspended run deletes its running pods": {
			Snapshot{MaxConcurrent: 2, Suspended: true, Nodes: []Node{ready("a", pods(Pod{Name: "p", Attempt: 1})), ready("b", Task{Benchmark: "stream"})}},
			Plan{Active: 1, Waiting: map[string]string{}, Recheck: deadline,
				Actions: []Action{{Kind: Delete, Node: "a", Benchmark: "stream", Pod: "p", Reason: "the run is suspended"}}},
		},
		"of two pods of one attempt the one that is not going yet is deleted": {
			Snapshot{MaxConcurrent: 1, Suspended: true, Nodes: []Node{ready("a", pods(Pod{Name: "p", Attempt: 1, Terminating: true}, Pod{Name: "q", Attempt: 1}))}},
			Plan{Active: 1, Waiting: map[string]string{}, Recheck: deadline,
				Actions: []Action{{Kind: Delete, Node: "a", Benchmark: "stream", Pod: "q", Reason: "the run is suspended"}}},
		},
		"a suspended run without pods does nothing": {
			Snapshot{MaxConcurrent: 1, Suspended: true, Nodes: []Node{ready("a", Task{Benchmark: "stream"})}},
			Plan{Waiting: map[string]string{}, Recheck: deadline},
		},
		"at its deadline a run deletes its pods and launches nothing": {
			Snapshot{MaxConcurrent: 2, Deadline: epoch.Add(now), Nodes: []Node{ready("a", pods(Pod{Name: "p", Attempt: 1})), ready("b", Task{Benchmark: "stream"})}},
			Plan{Active: 1, Waiting: map[string]string{}, Recheck: epoch.Add(now),
				Actions: []Action{{Kind: Delete, Node: "a", Benchmark: "stream", Pod: "p", Reason: "the run's deadline has passed"}}},
		},
		"confirmations come first, then nodes that have begun, then the others by name": {
			Snapshot{MaxConcurrent: 2, Nodes: []Node{
				ready("a", Task{Benchmark: "stream"}),
				ready("b", Task{Benchmark: "dgemm", Decided: true, Attempts: 1}, Task{Benchmark: "stream"}),
				ready("c", Task{Benchmark: "stream", Attempts: 1, NeedsAttempt: true}),
			}},
			Plan{Active: 2, Waiting: map[string]string{"a": "waiting for its turn (maxConcurrentNodes allows 2 at once)"}, Recheck: deadline,
				Actions: []Action{
					{Kind: Launch, Node: "c", Benchmark: "stream", Attempt: 2, Reason: "attempt 2 measures a suspect again"},
					{Kind: Launch, Node: "b", Benchmark: "stream", Attempt: 1, Reason: "not measured yet"},
				}},
		},
		"a node that may yet be Ready is looked at when it is given up": {
			Snapshot{MaxConcurrent: 1, Nodes: []Node{{Name: "a", Facts: Facts{Exists: true, NotReadySince: epoch.Add(now - 10*time.Second)}, Tasks: []Task{{Benchmark: "stream"}}}}},
			Plan{Waiting: map[string]string{"a": "waiting for the node to become Ready"}, Recheck: epoch.Add(now + 50*time.Second)},
		},
		"a node that is given up holds nothing up": {
			Snapshot{MaxConcurrent: 1, Nodes: []Node{{Name: "a", Facts: Facts{Exists: true, NotReadySince: epoch}, Tasks: []Task{{Benchmark: "stream"}}}}},
			Plan{Waiting: map[string]string{}, Recheck: deadline},
		},
		"a busy node is looked at again soon": {
			Snapshot{MaxConcurrent: 1, Nodes: []Node{{Name: "a", Facts: Facts{Exists: true, Ready: true}, Busy: "run x measures this node", Tasks: []Task{{Benchmark: "stream"}}}}},
			Plan{Waiting: map[string]string{"a": "run x measures this node"}, Recheck: epoch.Add(now + BusyRecheck)},
		},
		"a node that has nothing left to measure keeps no other from starting": {
			Snapshot{MaxConcurrent: 1, Nodes: []Node{ready("a", Task{Benchmark: "stream", Decided: true, Attempts: 1}), ready("b", Task{Benchmark: "stream"})}},
			Plan{Active: 1, Waiting: map[string]string{}, Recheck: deadline,
				Actions: []Action{{Kind: Launch, Node: "b", Benchmark: "stream", Attempt: 1, Reason: "not measured yet"}}},
		},
		"a node that the run has not begun waits while another is active": {
			Snapshot{MaxConcurrent: 1, Nodes: []Node{ready("a", Task{Benchmark: "stream"}), ready("b", pods(Pod{Name: "p", Attempt: 1}))}},
			Plan{Active: 1, Waiting: map[string]string{"a": "waiting for its turn (maxConcurrentNodes allows 1 at once)"}, Recheck: deadline},
		},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			if c.snapshot.Deadline.IsZero() {
				c.snapshot.Deadline = deadline
			}
			got := Next(c.snapshot, epoch.Add(now))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("the plan is another (-want +got):\n%s", diff)
			}
			if again := Next(c.snapshot, epoch.Add(now)); !cmp.Equal(got, again) {
				t.Errorf("planning twice gives two plans:\n%s", cmp.Diff(got, again))
			}
		})
	}
}

func TestUnavailable(t *testing.T) {
	now := epoch.Add(time.Hour)
	type answer struct {
		Reason, Message string
		Wait            time.Time
	}
	cases := map[string]struct {
		facts Facts
		want  answer
	}{
		"a Ready node is available": {Facts{Exists: true, Ready: true}, answer{}},
		"an unknown name": {Facts{}, answer{Reason: v1alpha1.ReasonNodeNotFound,
			Message: "no node has this name: start another run with the right spec.nodeNames"}},
		"a node that went away": {Facts{Lost: true}, answer{Reason: v1alpha1.ReasonNodeDeleted,
			Message: "the node was deleted during the run"}},
		"another node of that name": {Facts{Exists: true, Ready: true, Recreated: true}, answer{Reason: v1alpha1.ReasonNodeRecreated,
			Message: "the node was re-created during the run, so what was measured belongs to its predecessor: start another run"}},
		"a node that is not Ready just now may come back": {Facts{Exists: true, NotReadySince: now.Add(-time.Second)},
			answer{Reason: v1alpha1.ReasonNodeNotReady, Wait: now.Add(59 * time.Second),
				Message: "the node has not been Ready since 2026-01-01T00:59:59Z: repair it, then start another run"}},
		"a node that is not Ready for long is given up": {Facts{Exists: true, NotReadySince: now.Add(-notReadyGrace)},
			answer{Reason: v1alpha1.ReasonNodeNotReady, Message: "the node has not been Ready since 2026-01-01T00:59:00Z: repair it, then start another run"}},
		"a cordoned node": {Facts{Exists: true, Ready: true, Cordoned: true}, answer{Reason: v1alpha1.ReasonNodeCordoned,
			Message: "the node is cordoned: uncordon it, then start another run"}},
		"a control-plane node": {Facts{Exists: true, Ready: true, ReservedBy: "node-role.kubernetes.io/control-plane"},
			answer{Reason: v1alpha1.ReasonNodeReserved, Message: "taint node-role.kubernetes.io/control-plane reserves the node for Kubernetes itself"}},
		"a node that an autoscaler removes": {Facts{Exists: true, Ready: true, LeavingBy: "karpenter.sh/disrupted"},
			answer{Reason: v1alpha1.ReasonNodeLeaving, Message: "an autoscaler is removing the node: it put taint karpenter.sh/disrupted there"}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			reason, message, wait := c.facts.Unavailable(now)
			if diff := cmp.Diff(c.want, answer{reason, message, wait}); diff != "" {
				t.Errorf("the answer is another (-want +got):\n%s", diff)
			}
		})
	}
}
