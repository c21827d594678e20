package plan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/test/golden"
	"github.com/google/go-cmp/cmp"
)

const second = time.Second

// only lets one attempt of one node behave otherwise; everything else passes after 10 seconds.
func only(node string, attempts map[int32]behaviour) func(string, string, int32) behaviour {
	return func(n, _ string, attempt int32) behaviour {
		if b, ok := attempts[attempt]; ok && n == node {
			return b
		}
		return behaviour{passes, 10 * second}
	}
}

// TestWholeRuns plays runs to their end and compares the trace with testdata. Run it with -update to see a change.
func TestWholeRuns(t *testing.T) {
	runs := map[string]struct {
		golden string
		world  func(*testing.T) *world
	}{
		"three healthy nodes run two benchmarks each, one after the other": {"success", func(t *testing.T) *world {
			return newWorld(t, 3, "dgemm", "stream")
		}},
		"a slow node is measured again and fails": {"slow-node", func(t *testing.T) *world {
			w := newWorld(t, 3, "stream", "hpl")
			w.behave = func(n, b string, _ int32) behaviour {
				if n == "node-b" && b == "stream" {
					return behaviour{slow, 14 * second}
				}
				return behaviour{passes, 10 * second}
			}
			return w
		}},
		"a suspect that passes its confirmation is not failed": {"not-confirmed", func(t *testing.T) *world {
			w := newWorld(t, 2, "stream")
			w.behave = only("node-a", map[int32]behaviour{1: {slow, 12 * second}})
			return w
		}},
		"confirmations go before nodes that have not begun": {"confirm-first", func(t *testing.T) *world {
			w := newWorld(t, 4, "stream")
			w.run.MaxConcurrent = 1
			w.confirmations = 2
			w.behave = only("node-a", map[int32]behaviour{1: {slow, 10 * second}, 2: {slow, 10 * second}, 3: {slow, 10 * second}})
			return w
		}},
		"the deadline stops what runs and starts nothing more": {"deadline", func(t *testing.T) *world {
			w := newWorld(t, 3, "stream", "hpl")
			w.run.Deadline = epoch.Add(25 * second)
			w.run.MaxConcurrent = 2
			w.behave = func(n, b string, _ int32) behaviour {
				if n == "node-a" && b == "hpl" {
					return behaviour{forever, 0}
				}
				return behaviour{passes, 10 * second}
			}
			return w
		}},
		"a pod that hangs in its driver ends with the time for cleaning up": {"stuck-pod", func(t *testing.T) *world {
			w := newWorld(t, 2, "stream", "hpl")
			w.run.Deadline = epoch.Add(60 * second)
			w.behave = only("node-a", map[int32]behaviour{1: {stuck, 10 * second}})
			return w
		}},
		"suspending deletes the pods, resuming runs them again": {"suspend", func(t *testing.T) *world {
			w := newWorld(t, 2, "stream", "hpl")
			w.at(15*second, "the run is suspended", func(w *world) { w.run.Suspended = true })
			w.at(300*second, "the run is resumed", func(w *world) { w.run.Suspended = false })
			return w
		}},
		"a node that is deleted costs only its own benchmarks": {"node-lost", func(t *testing.T) *world {
			w := newWorld(t, 2, "stream", "hpl")
			w.at(5*second, "node-a is deleted", func(w *world) { w.node("node-a").Facts = Facts{Lost: true} })
			return w
		}},
		"a node of the same name is another node": {"node-recreated", func(t *testing.T) *world {
			w := newWorld(t, 2, "stream", "hpl")
			w.at(15*second, "node-a is re-created", func(w *world) {
				w.node("node-a").Facts = Facts{Exists: true, Ready: true, Recreated: true}
			})
			return w
		}},
		"a node that is not Ready is given up after a while": {"not-ready", func(t *testing.T) *world {
			w := newWorld(t, 3, "stream", "hpl")
			w.behave = only("node-a", map[int32]behaviour{1: {forever, 0}})
			w.at(5*second, "node-a is not Ready", func(w *world) { w.node("node-a").down(w.now) })
			w.at(12*second, "node-b is not Ready", func(w *world) { w.node("node-b").down(w.now) })
			w.at(40*second, "node-b is Ready", func(w *world) { w.node("node-b").Facts = Facts{Exists: true, Ready: true} })
			return w
		}},
		"a busy node is waited for": {"busy-wait", func(t *testing.T) *world {
			w := newWorld(t, 2, "stream")
			w.node("node-a").busy = "pod default/train holds 8 nvidia.com/gpu"
			w.at(70*second, "node-a is free", func(w *world) { w.node("node-a").busy = "" })
			return w
		}},
		"a busy node is skipped where the run says so": {"busy-skip", func(t *testing.T) *world {
			w := newWorld(t, 2, "stream")
			w.run.SkipBusy = true
			w.node("node-a").busy = "pod default/train holds 8 nvidia.com/gpu"
			return w
		}},
		"two at a time": {"max-concurrent", func(t *testing.T) *world {
			w := newWorld(t, 5, "stream")
			w.run.MaxConcurrent = 2
			return w
		}},
		"a pod that somebody deletes is launched again as the same attempt": {"vanished", func(t *testing.T) *world {
			w := newWorld(t, 1, "stream")
			times := 0
			w.behave = func(string, string, int32) behaviour {
				if times++; times < 3 {
					return behaviour{vanish, 4 * second}
				}
				return behaviour{passes, 10 * second}
			}
			return w
		}},
		"cordoned, reserved, unknown and lacking nodes launch nothing": {"unavailable", func(t *testing.T) *world {
			w := newWorld(t, 4, "stream", "hpl")
			w.node("node-a").Cordoned = true
			w.node("node-b").ReservedBy = "node-role.kubernetes.io/control-plane"
			w.node("node-c").Facts = Facts{}
			w.node("node-d").tasks[1].unmet = "benchmark hpl needs 8 nvidia.com/gpu, the node offers 0"
			return w
		}},
		"a cordoned node ends what runs on it": {"cordoned-in-mid-run", func(t *testing.T) *world {
			w := newWorld(t, 1, "stream", "hpl")
			w.at(5*second, "node-a is cordoned", func(w *world) { w.node("node-a").Cordoned = true })
			return w
		}},
	}
	for sentence, run := range runs {
		t.Run(sentence, func(t *testing.T) {
			golden.Check(t, run.golden+".golden", run.world(t).play())
		})
	}
}

func (n *worldNode) down(now time.Time) {
	n.Facts = Facts{Exists: true, Silent: true, NotReadySince: now}
}

// TestThousandNodes plays a large run: 100 at a time, some slow, some erring, some lost.
func TestThousandNodes(t *testing.T) {
	w := newWorld(t, 1000, "stream", "hpl")
	w.run.MaxConcurrent = 100
	w.behave = func(n, b string, attempt int32) behaviour {
		switch {
		case strings.HasSuffix(n, "7") && b == "hpl":
			return behaviour{slow, 12 * second}
		case strings.HasSuffix(n, "13") && attempt == 1:
			return behaviour{errs, 3 * second}
		}
		return behaviour{passes, 10 * second}
	}
	w.at(30*second, "node-0999 is deleted", func(w *world) { w.node("node-0999").Facts = Facts{Lost: true} })
	trace := w.play()
	end := trace[strings.Index(trace, "== "):]
	var got []string
	for line := range strings.Lines(end) {
		_, line, _ = strings.Cut(line, "== ")
		if line != "" {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{
		"10 nodes: stream Error, hpl Error",
		"1 nodes: stream NodeDeleted, hpl NodeDeleted",
		"100 nodes: stream Pass, hpl Fail",
		"889 nodes: stream Pass, hpl Pass",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the run ended otherwise (-want +got):\n%s", diff)
	}
}

// TestAnyRunEnds plays runs in which nearly everything goes wrong at random; the invariants hold at every step, and
// each ends.
func TestAnyRunEnds(t *testing.T) {
	for seed := range uint64(400) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			w := randomWorld(t, r)
			w.play()
			if t.Failed() {
				t.Logf("%s", w.trace.String())
			}
		})
	}
}

func randomWorld(t *testing.T, r *rand.Rand) *world {
	w := newWorld(t, 1+r.IntN(12), []string{"stream", "dgemm", "hpl"}[:1+r.IntN(3)]...)
	w.run.MaxConcurrent = 1 + r.IntN(5)
	w.run.SkipBusy = r.IntN(2) == 0
	w.run.Deadline = epoch.Add(time.Duration(30+r.IntN(600)) * second)
	w.confirmations = r.IntN(4)
	w.behave = func(string, string, int32) behaviour {
		kinds := []found{passes, passes, passes, passes, slow, slow, errs, vanish, forever, stuck}
		return behaviour{kinds[r.IntN(len(kinds))], time.Duration(1+r.IntN(40)) * second}
	}
	back := Facts{Exists: true, Ready: true}
	for range r.IntN(12) {
		n := w.nodes[r.IntN(len(w.nodes))]
		at := time.Duration(r.IntN(300)) * second
		switch r.IntN(7) {
		case 0:
			w.at(at, n.name+" is deleted", func(*world) { n.Facts = Facts{Lost: true} })
		case 1:
			w.at(at, n.name+" is re-created", func(*world) { n.Facts = Facts{Exists: true, Ready: true, Recreated: true} })
		case 2:
			w.at(at, n.name+" is not Ready", func(w *world) { n.down(w.now) })
			w.at(at+time.Duration(r.IntN(120))*second, n.name+" is Ready", func(*world) { n.Facts = back })
		case 3:
			w.at(at, n.name+" is cordoned", func(*world) { n.Cordoned = true })
		case 4:
			w.at(at, n.name+" is busy", func(*world) { n.busy = "busy" })
			w.at(at+time.Duration(r.IntN(120))*second, n.name+" is free", func(*world) { n.busy = "" })
		case 5:
			w.at(at, "the run is suspended", func(w *world) { w.run.Suspended = true })
			w.at(at+time.Duration(r.IntN(120))*second, "the run is resumed", func(w *world) { w.run.Suspended = false })
		case 6:
			n.tasks[r.IntN(len(n.tasks))].unmet = "a device"
		}
	}
	w.at(400*second, "the run is resumed", func(w *world) { w.run.Suspended = false })
	return w
}

// BenchmarkNext plans for 5,000 nodes in mid-run: a third done, a third running, a third still to come.
func BenchmarkNext(b *testing.B) {
	s := Snapshot{Deadline: epoch.Add(time.Hour), MaxConcurrent: 2500}
	for i := range 5000 {
		n := Node{Name: fmt.Sprintf("node-%04d", i), Facts: Facts{Exists: true, Ready: true}}
		for _, name := range []string{"stream", "dgemm", "hpl"} {
			t := Task{Benchmark: name}
			switch i % 3 {
			case 0:
				t.Decided, t.Attempts = true, 1
			case 1:
				if name == "stream" {
					t.Pods = []Pod{{Name: n.Name + "-1", Attempt: 1}}
				}
			}
			n.Tasks = append(n.Tasks, t)
		}
		s.Nodes = append(s.Nodes, n)
	}
	b.ReportAllocs()
	for b.Loop() {
		Next(s, epoch)
	}
}
