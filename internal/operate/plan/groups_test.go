package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// wanted is a group of nodes whose first attempt is due.
func wanted(id string, nodes ...string) Group {
	return Group{ID: id, Benchmark: "pairs", Nodes: nodes, Wanted: true, Attempt: 1, Reason: "round 1"}
}

// with adds jobs to a group.
func (g Group) with(jobs ...Pod) Group {
	g.Jobs = jobs
	return g
}

// after makes a group wait.
func (g Group) after(w Wait) Group {
	g.Awaits = w
	return g
}

func (g Group) unwanted() Group {
	g.Wanted, g.Reason = false, ""
	return g
}

func starts(id string) Action {
	return Action{Kind: Launch, Group: id, Benchmark: "pairs", Attempt: 1, Reason: "round 1"}
}

func deletes(id, job, reason string) Action {
	return Action{Kind: Delete, Group: id, Benchmark: "pairs", Pod: job, Reason: reason}
}

// hung is a node whose only task is decided and has a pod left.
func hung(name string, p Pod) Node {
	return ready(name, Task{Benchmark: "stream", Decided: true, Attempts: 1, Pods: []Pod{p}})
}

// with gives a node a task.
func with(n Node, benchmark string) Node {
	n.Tasks = []Task{{Benchmark: benchmark}}
	return n
}

// five nodes that have nothing left to measure by themselves.
func five() []Node {
	return []Node{ready("a"), ready("b"), ready("c"), ready("d"), ready("e")}
}

func TestNextOfGroups(t *testing.T) {
	const now = 100 * time.Second
	deadline := epoch.Add(time.Hour)
	notReady := Node{Name: "b", Facts: Facts{Exists: true, NotReadySince: epoch.Add(now - 10*time.Second)}}
	busy := Node{Name: "b", Facts: Facts{Exists: true, Ready: true}, Busy: "waiting for run x, which is measuring this node"}
	soon := epoch.Add(now + BusyRecheck)
	none := map[string]string{}
	both := func(why string) map[string]string { return map[string]string{"a": why, "b": why} }
	cases := map[string]struct {
		snapshot Snapshot
		want     Plan
	}{
		"groups wait until every node is measured by itself": {
			Snapshot{MaxConcurrent: 5, Nodes: append(five()[:4], ready("e", Task{Benchmark: "stream"})), Groups: []Group{wanted("ab", "a", "b")}},
			Plan{Active: 1, Waiting: none, Recheck: deadline, Actions: []Action{{Kind: Launch, Node: "e", Benchmark: "stream", Attempt: 1, Reason: "not measured yet"}}}},
		"groups wait for the pod of a node that is not decided": {
			Snapshot{MaxConcurrent: 5, Nodes: append(five()[:4], ready("e", pods(Pod{Name: "p", Attempt: 1, Ended: true, Terminating: true}))), Groups: []Group{wanted("ab", "a", "b")}},
			Plan{Active: 1, Waiting: none, Recheck: deadline}},
		"groups wait for a node that may yet be Ready and has a task of its own": {
			Snapshot{MaxConcurrent: 5, Nodes: append(five()[2:], with(notReady, "stream")), Groups: []Group{wanted("cd", "c", "d")}},
			Plan{Waiting: map[string]string{"b": "waiting for the node to become Ready"}, Recheck: epoch.Add(now + 50*time.Second)}},
		"groups do not wait for a node that is given up": {
			Snapshot{MaxConcurrent: 5, Nodes: append(five()[2:], with(Node{Name: "b", Facts: Facts{Exists: true, NotReadySince: epoch}}, "stream")), Groups: []Group{wanted("cd", "c", "d")}},
			Plan{Active: 2, Waiting: none, Recheck: deadline, Actions: []Action{starts("cd")}}},
		"groups wait for a busy node that has a task of its own": {
			Snapshot{MaxConcurrent: 5, Nodes: append(five()[2:], with(busy, "stream")), Groups: []Group{wanted("cd", "c", "d")}},
			Plan{Waiting: map[string]string{"b": "waiting for run x, which is measuring this node"}, Recheck: soon}},
		"groups do not wait for a busy node that is to be skipped": {
			Snapshot{MaxConcurrent: 5, SkipBusy: true, Nodes: append(five()[2:], with(busy, "stream")), Groups: []Group{wanted("cd", "c", "d")}},
			Plan{Active: 2, Waiting: none, Recheck: deadline, Actions: []Action{starts("cd")}}},
		"groups wait for a node that a job holds and that has a task of its own": {
			Snapshot{MaxConcurrent: 5, Nodes: []Node{ready("a", Task{Benchmark: "stream"}), ready("b"), ready("c"), ready("d")},
				Groups: []Group{wanted("ab", "a", "b").with(Pod{Name: "j", Attempt: 1}), wanted("cd", "c", "d")}},
			Plan{Active: 2, Waiting: map[string]string{"a": "waiting until the group that measures the node is done"}, Recheck: deadline}},
		"only a node's own groups wait for its pod that does not go": {
			Snapshot{MaxConcurrent: 5, Nodes: append(five()[:4], hung("e", Pod{Name: "p", Attempt: 1, Ended: true, Terminating: true})),
				Groups: []Group{wanted("ae", "a", "e"), wanted("cd", "c", "d")}},
			Plan{Active: 3, Recheck: deadline, Actions: []Action{starts("cd")},
				Waiting: map[string]string{"a": "waiting for node e: its pod p is still terminating", "e": "waiting for node e: its pod p is still terminating"}}},
		"a group waits for the pod of an attempt that is stored": {
			Snapshot{MaxConcurrent: 5, Nodes: append(five()[:4], hung("e", Pod{Name: "p", Attempt: 1, Ended: true})), Groups: []Group{wanted("ae", "a", "e")}},
			Plan{Active: 1, Recheck: deadline, Actions: []Action{{Kind: Delete, Node: "e", Benchmark: "stream", Pod: "p", Reason: "attempt 1 is stored"}},
				Waiting: map[string]string{"a": "waiting for node e: its pod p is still terminating", "e": "waiting for node e: its pod p is still terminating"}}},
		"a group waits for a pod that somebody deleted": {
			Snapshot{MaxConcurrent: 5, Nodes: append(five()[:4], hung("e", Pod{Name: "p", Attempt: 1, Terminating: true})), Groups: []Group{wanted("ae", "a", "e")}},
			Plan{Active: 1, Recheck: deadline,
				Waiting: map[string]string{"a": "waiting for node e: its pod p is still terminating", "e": "waiting for node e: its pod p is still terminating"}}},
		"only a node's own groups wait for its pod that still runs": {
			Snapshot{MaxConcurrent: 5, Nodes: append(five()[:4], hung("e", Pod{Name: "p", Attempt: 2})),
				Groups: []Group{wanted("cd", "c", "d"), wanted("ce", "c", "e")}},
			Plan{Active: 3, Recheck: deadline, Actions: []Action{starts("cd")},
				Waiting: map[string]string{"e": "waiting for node c: a group is measuring it"}}},
		"a pod that does not go keeps nobody else waiting": {
			Snapshot{MaxConcurrent: 5, Nodes: append(five()[:4], hung("e", Pod{Name: "p", Attempt: 1, Ended: true, Terminating: true}))},
			Plan{Active: 1, Waiting: none, Recheck: deadline}},
		"a group in a pause keeps nobody else waiting": {
			Snapshot{MaxConcurrent: 4, Nodes: five(), Groups: []Group{wanted("ab", "a", "b").after(Wait{For: "attempt 1 does not count", Until: epoch.Add(now + time.Second)}), wanted("cd", "c", "d")}},
			Plan{Active: 2, Waiting: both("attempt 1 does not count"), Recheck: epoch.Add(now + time.Second), Actions: []Action{starts("cd")}}},
		"groups that share no node start at once": {
			Snapshot{MaxConcurrent: 4, Nodes: five(), Groups: []Group{wanted("ab", "a", "b"), wanted("cd", "c", "d")}},
			Plan{Active: 4, Waiting: none, Recheck: deadline, Actions: []Action{starts("ab"), starts("cd")}}},
		"no more nodes than may be measured at once": {
			Snapshot{MaxConcurrent: 3, Nodes: five(), Groups: []Group{wanted("cd", "c", "d"), wanted("ab", "a", "b")}},
			Plan{Active: 2, Waiting: both("waiting for its turn (maxConcurrentNodes allows 3 at once)"), Recheck: deadline, Actions: []Action{starts("cd")}}},
		"groups that share a node start one after the other": {
			Snapshot{MaxConcurrent: 5, Nodes: five(), Groups: []Group{wanted("ab", "a", "b"), wanted("bc", "b", "c")}},
			Plan{Active: 2, Waiting: map[string]string{"c": "waiting for node b: a group is measuring it"}, Recheck: deadline, Actions: []Action{starts("ab")}}},
		"a group waits for a job that holds one of its nodes": {
			Snapshot{MaxConcurrent: 5, Nodes: five(), Groups: []Group{wanted("ab", "a", "b"), wanted("bc", "b", "c").with(Pod{Name: "j", Attempt: 1})}},
			Plan{Active: 2, Waiting: map[string]string{"a": "waiting for node b: a group is measuring it"}, Recheck: deadline}},
		"a job that runs is left alone": {
			Snapshot{MaxConcurrent: 5, Nodes: five(), Groups: []Group{wanted("ab", "a", "b").with(Pod{Name: "j", Attempt: 1})}},
			Plan{Active: 2, Waiting: none, Recheck: deadline}},
		"a group larger than what may be measured at once runs alone": {
			Snapshot{MaxConcurrent: 2, Nodes: five(), Groups: []Group{wanted("all", "a", "b", "c", "d", "e")}},
			Plan{Active: 5, Waiting: none, Recheck: deadline, Actions: []Action{starts("all")}}},
		"a group larger than what may be measured at once waits for the others": {
			Snapshot{MaxConcurrent: 2, Nodes: five(), Groups: []Group{wanted("de", "d", "e").with(Pod{Name: "j", Attempt: 1}), wanted("abc", "a", "b", "c")}},
			Plan{Active: 2, Recheck: deadline, Waiting: map[string]string{"a": "waiting for its turn (maxConcurrentNodes allows 2 at once)",
				"b": "waiting for its turn (maxConcurrentNodes allows 2 at once)", "c": "waiting for its turn (maxConcurrentNodes allows 2 at once)"}}},
		"a group waits for a node that may yet be Ready, and the others go on": {
			Snapshot{MaxConcurrent: 5, Nodes: []Node{ready("a"), notReady, ready("c"), ready("d")}, Groups: []Group{wanted("ab", "a", "b"), wanted("cd", "c", "d")}},
			Plan{Active: 2, Recheck: epoch.Add(now + 50*time.Second), Actions: []Action{starts("cd")},
				Waiting: both("waiting for node b: the node has not been Ready since 2026-01-01T00:01:30Z: repair it, then start another run")}},
		"a group waits for a busy node": {
			Snapshot{MaxConcurrent: 5, Nodes: []Node{ready("a"), busy}, Groups: []Group{wanted("ab", "a", "b")}},
			Plan{Waiting: both("node b: waiting for run x, which is measuring this node"), Recheck: epoch.Add(now + BusyRecheck)}},
		"a job whose attempt is stored is deleted, and its nodes are held until it is gone": {
			Snapshot{MaxConcurrent: 5, Nodes: five(), Groups: []Group{{ID: "ab", Benchmark: "pairs", Nodes: []string{"a", "b"}, Wanted: true, Attempt: 2, Jobs: []Pod{{Name: "j", Attempt: 1, Ended: true}}}, wanted("bc", "b", "c")}},
			Plan{Active: 2, Waiting: map[string]string{"c": "waiting for node b: a group is measuring it"}, Recheck: soon,
				Actions: []Action{deletes("ab", "j", "attempt 1 is stored")}}},
		"a job that is going already is not deleted again": {
			Snapshot{MaxConcurrent: 5, Nodes: five(), Groups: []Group{wanted("ab", "a", "b").unwanted().with(Pod{Name: "j", Attempt: 1, Ended: true, Terminating: true})}},
			Plan{Active: 2, Waiting: none, Recheck: soon}},
		"a job that is not wanted any more is deleted": {
			Snapshot{MaxConcurrent: 5, Nodes: five(), Groups: []Group{wanted("ab", "a", "b").unwanted().with(Pod{Name: "j", Attempt: 1})}},
			Plan{Active: 2, Waiting: none, Recheck: soon, Actions: []Action{deletes("ab", "j", "the nodes of the run have changed")}}},
		"a job of another attempt is deleted": {
			Snapshot{MaxConcurrent: 5, Nodes: five(), Groups: []Group{wanted("ab", "a", "b").with(Pod{Name: "j", Attempt: 7})}},
			Plan{Active: 2, Waiting: none, Recheck: soon, Actions: []Action{deletes("ab", "j", "the nodes of the run have changed")}}},
		"a job that is given up is deleted, and its group waits until it is gone": {
			Snapshot{MaxConcurrent: 5, Nodes: five(), Groups: []Group{wanted("ab", "a", "b").with(Pod{Name: "j", Attempt: 1, GivenUp: "others hold node b"})}},
			Plan{Active: 2, Waiting: none, Recheck: soon, Actions: []Action{deletes("ab", "j", "others hold node b")}}},
		"a job that is given up goes at the deadline for that reason": {
			Snapshot{MaxConcurrent: 5, Deadline: epoch.Add(now), Nodes: five(), Groups: []Group{wanted("ab", "a", "b").with(Pod{Name: "j", Attempt: 1, GivenUp: "others hold node b"})}},
			Plan{Active: 2, Waiting: none, Recheck: epoch.Add(now), Actions: []Action{deletes("ab", "j", "the run's deadline has passed")}}},
		"a suspended run deletes its jobs and starts no group": {
			Snapshot{MaxConcurrent: 5, Suspended: true, Nodes: five(), Groups: []Group{wanted("ab", "a", "b").with(Pod{Name: "j", Attempt: 1}), wanted("cd", "c", "d")}},
			Plan{Active: 2, Waiting: none, Recheck: soon, Actions: []Action{deletes("ab", "j", "the run is suspended")}}},
		"at its deadline a run deletes its jobs and starts no group": {
			Snapshot{MaxConcurrent: 5, Deadline: epoch.Add(now), Nodes: five(), Groups: []Group{wanted("ab", "a", "b").with(Pod{Name: "j", Attempt: 1}), wanted("cd", "c", "d")}},
			Plan{Active: 2, Waiting: none, Recheck: epoch.Add(now), Actions: []Action{deletes("ab", "j", "the run's deadline has passed")}}},
		"nothing is done for a group that is not wanted": {
			Snapshot{MaxConcurrent: 5, Nodes: five(), Groups: []Group{wanted("ab", "a", "b").unwanted()}},
			Plan{Waiting: none, Recheck: deadline}},
		"a node that a job holds is not measured by itself meanwhile": {
			Snapshot{MaxConcurrent: 5, Nodes: []Node{ready("a", Task{Benchmark: "stream", Attempts: 1, NeedsAttempt: true}), ready("b")},
				Groups: []Group{wanted("ab", "a", "b").with(Pod{Name: "j", Attempt: 1})}},
			Plan{Active: 2, Waiting: map[string]string{"a": "waiting until the group that measures the node is done"}, Recheck: deadline}},
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

// TestAnyGroupsEnd plays groups at random beside nodes with a task each: no node is ever in two measurements, no more
// nodes are measured at once than may be (but by one group alone), every group is measured, and all ends.
func TestAnyGroupsEnd(t *testing.T) {
	for seed := range uint64(300) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { playGroups(t, rand.New(rand.NewPCG(seed, 2))) })
	}
}

func playGroups(t *testing.T, r *rand.Rand) {
	s := Snapshot{MaxConcurrent: 1 + r.IntN(8), Deadline: epoch.Add(time.Hour)}
	for i := range 2 + r.IntN(9) {
		s.Nodes = append(s.Nodes, ready(string(rune('a'+i)), Task{Benchmark: "stream"}))
	}
	for i := range 1 + r.IntN(12) {
		g := wanted(fmt.Sprint(i))
		for _, n := range r.Perm(len(s.Nodes))[:2+r.IntN(len(s.Nodes)-1)] {
			g.Nodes = append(g.Nodes, s.Nodes[n].Name)
		}
		s.Groups = append(s.Groups, g)
	}
	for step := range 2000 {
		now := epoch.Add(time.Duration(step) * time.Second)
		p := Next(s, now)
		for _, a := range p.Actions {
			applyToSnapshot(t, &s, a)
		}
		checkHolders(t, s)
		if over := p.Active == 0 && len(p.Actions) == 0; over {
			for _, g := range s.Groups {
				if g.Wanted && now.Before(s.Deadline) {
					t.Fatalf("nothing is measured any more, but group %s was not", g.ID)
				}
			}
			return
		}
		endSome(r, &s)
		if step == 500 && r.IntN(4) == 0 {
			s.Deadline = now
		}
	}
	t.Fatal("it does not end")
}

// applyToSnapshot does what the planner says. A deletion takes a step.
func applyToSnapshot(t *testing.T, s *Snapshot, a Action) {
	var pods *[]Pod
	if a.Group != "" {
		g := slices.IndexFunc(s.Groups, func(g Group) bool { return g.ID == a.Group })
		pods = &s.Groups[g].Jobs
	} else {
		n := slices.IndexFunc(s.Nodes, func(n Node) bool { return n.Name == a.Node })
		pods = &s.Nodes[n].Tasks[0].Pods
	}
	if a.Kind == Launch {
		*pods = append(*pods, Pod{Name: "p", Attempt: a.Attempt})
		return
	}
	if !(*pods)[0].Ended {
		t.Errorf("a measurement is broken off: %s", a.Reason)
	}
	(*pods)[0].Terminating = true
}

// endSome lets some measurements end, and some that are deleted go.
func endSome(r *rand.Rand, s *Snapshot) {
	end := func(pods []Pod, done func()) []Pod {
		switch {
		case len(pods) == 0 || r.IntN(3) > 0:
		case pods[0].Terminating:
			return nil
		case !pods[0].Ended:
			pods[0].Ended = true
			done()
		}
		return pods
	}
	for i := range s.Groups {
		g := &s.Groups[i]
		g.Jobs = end(g.Jobs, func() { g.Wanted = r.IntN(4) == 0; g.Attempt++ })
	}
	for i := range s.Nodes {
		task := &s.Nodes[i].Tasks[0]
		task.Pods = end(task.Pods, func() { task.Attempts++; task.Decided = true })
	}
}

func checkHolders(t *testing.T, s Snapshot) {
	holder := map[string]string{}
	hold := func(node, who string) {
		if holder[node] != "" {
			t.Fatalf("node %s is measured by %s and %s at once", node, holder[node], who)
		}
		holder[node] = who
	}
	running := 0
	for _, g := range s.Groups {
		if len(g.Jobs) > 0 {
			running++
			for _, n := range g.Nodes {
				hold(n, "group "+g.ID)
			}
		}
	}
	for _, n := range s.Nodes {
		if _, ok := n.pod(); ok {
			running++
			hold(n.Name, "itself")
		}
	}
	if len(holder) > s.MaxConcurrent && running > 1 {
		t.Fatalf("%d nodes are measured at once by %d measurements, at most %d may be", len(holder), running, s.MaxConcurrent)
	}
}
