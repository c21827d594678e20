package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/hack/localcluster/internal/binaries"
	"github.com/assay-dev/assay/hack/localcluster/internal/daemon"
	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
	"github.com/assay-dev/assay/hack/localcluster/internal/limits"
	"github.com/assay-dev/assay/hack/localcluster/internal/network"
)

func TestParamsCheck(t *testing.T) {
	for name, test := range map[string]struct {
		params Params
		ok     bool
	}{
		"four nodes":             {Params{Nodes: 4}, true},
		"only pretended nodes":   {Params{KwokNodes: 1000}, true},
		"no node at all":         {Params{}, false},
		"negative":               {Params{Nodes: -1}, false},
		"more than addresses":    {Params{Nodes: layout.MaxNodes + 1}, false},
		"stages for nobody":      {Params{Nodes: 1, KwokStages: "/x"}, false},
		"stages and their nodes": {Params{KwokNodes: 1, KwokStages: "/x"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if err := test.params.Check(); (err == nil) != test.ok {
				t.Errorf("Check() = %v", err)
			}
		})
	}
}

func TestAClusterWithoutTheMPIOperatorIsAnotherOne(t *testing.T) {
	m := &Manager{State: &State{Params: Params{Nodes: 2, NoMPI: true}, Prepared: true}}
	if got := m.unusable(Params{Nodes: 2}, binaries.Set{}); !strings.Contains(got, "other parameters (2 nodes, 0 kwok nodes, no MPI Operator)") {
		t.Errorf("got %q", got)
	}
	if slices.Contains(m.daemons(), mpiOperator) {
		t.Error("an MPI Operator is expected to run")
	}
	m.State.NoMPI = false
	if !slices.Contains(m.daemons(), mpiOperator) {
		t.Error("no MPI Operator is expected to run")
	}
}

func TestTheCallersStageReplacesKwoksOfTheSameName(t *testing.T) {
	programs, extra := t.TempDir(), t.TempDir()
	write := func(path string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(programs, "stages", "pod-complete.yaml"))
	write(filepath.Join(programs, "stages", "pod-ready.yaml"))
	write(filepath.Join(extra, "pod-complete.yaml"))
	write(filepath.Join(extra, "result.yaml"))
	m := &Manager{programs: binaries.Set{Dir: programs}, State: &State{Params: Params{KwokNodes: 1, KwokStages: extra}}}
	files, err := m.stageFiles()
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(files, " ")
	if len(files) != 3 || !strings.Contains(all, filepath.Join(extra, "pod-complete.yaml")) {
		t.Errorf("got %s", all)
	}
	m.State.KwokStages = t.TempDir()
	if _, err := m.stageFiles(); err == nil {
		t.Error("a folder without stages was accepted")
	}
}

func TestNodeReadyWaitsForTheTaintToGo(t *testing.T) {
	ready := corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}
	tainted := corev1.NodeSpec{Taints: []corev1.Taint{{Key: corev1.TaintNodeNotReady}}}
	for name, test := range map[string]struct {
		node corev1.Node
		want bool
	}{
		"no condition yet":   {corev1.Node{}, false},
		"ready but tainted":  {corev1.Node{Spec: tainted, Status: ready}, false},
		"ready":              {corev1.Node{Status: ready}, true},
		"kwok's taint stays": {corev1.Node{Spec: kwokNode(1).Spec, Status: ready}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := nodeReady(&test.node); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// A kubelet that found no inotify instance left was waited for five minutes.
func TestADaemonThatEndedIsNotWaitedFor(t *testing.T) {
	name, path := "kubelet-node-1", filepath.Join(t.TempDir(), "pid")
	_, err := daemon.Start(daemon.Spec{Name: name, Path: "/bin/sh", Args: []string{"-c", "sleep 0.3; exit 1"}, Log: path + ".log", PIDFile: path})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	dead := func() error {
		if _, alive := daemon.Load(path); !alive {
			return errors.New(name + " ended")
		}
		return nil
	}
	err = poll(context.Background(), pollEvery, time.Minute, dead, func(context.Context) error { return errors.New("not yet") })
	if err == nil || err.Error() != name+" ended" || time.Since(start) > 10*time.Second {
		t.Errorf("got %v after %s", err, time.Since(start))
	}
}

func TestWhyADaemonEndedIsItsLastError(t *testing.T) {
	for name, test := range map[string]struct{ log, want string }{
		"klog": {
			"I1123 09:00:00 server.go:1] started\nE1123 09:00:01 run.go:72] \"command failed\" err=\"failed to run Kubelet: inotify_init: too many open files\"\nI1123 bye\n",
			"E1123 09:00:01 run.go:72] \"command failed\" err=\"failed to run Kubelet: inotify_init: too many open files\"",
		},
		"containerd": {"time=\"x\" level=warning msg=a\ntime=\"x\" level=fatal msg=\"no space left on device\"\n", "time=\"x\" level=fatal msg=\"no space left on device\""},
		"a panic":    {"I1 x\npanic: runtime error: index out of range\n\ngoroutine 1 [running]:\nmain.main()\n", "panic: runtime error: index out of range"},
		"no error":   {"a\nb\n", "a\n  b"},
	} {
		if got := lastError(test.log); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestAClusterTakesWhatItsDaemonsTake(t *testing.T) {
	m := &Manager{Cluster: layout.Cluster{Name: "a", Subnet: 210}, State: &State{Params: Params{Nodes: 5}}}
	var all limits.Need
	for _, name := range m.daemons() {
		all = all.Plus(needOf(name))
	}
	// Counted on a cluster that ran: 6 and 2 for each node, 6 of the API server's and 5 of the controller manager's.
	if all.InotifyInstances < 5*8+11 || all.InotifyInstances > 5*8+11+5*otherNeeds.InotifyInstances {
		t.Errorf("five nodes take %+v", all)
	}
}

func TestOwnsIsNotFooledByAPrefix(t *testing.T) {
	m := &Manager{Cluster: layout.Cluster{Name: "a"}}
	if m.owns("/var/lib/assay-cluster/ab/x") || !m.owns("/var/lib/assay-cluster/a/x") {
		t.Error("another cluster's mount was taken for ours, or ours was not")
	}
}

func TestANodeThatJoinedIsOneOfTheNodes(t *testing.T) {
	m := &Manager{Cluster: layout.Cluster{Name: "a", Subnet: 210}, State: &State{Params: Params{Nodes: 2}, Joined: []Joined{{Index: 4, Labels: "pool=gpu", Taints: "x=y:NoSchedule"}}}}
	node, err := m.Node("node-4")
	if err != nil || node.IP() != "10.210.4.1" || !slices.Contains(m.daemons(), "kubelet-node-4") {
		t.Errorf("got %+v, %v, daemons %v", node, err, m.daemons())
	}
	args := strings.Join(kubeletArgs(node, m.joined(node)), " ")
	if !strings.Contains(args, "--node-labels="+Label+"=true,pool=gpu ") || !strings.Contains(args, "--register-with-taints=x=y:NoSchedule") {
		t.Errorf("its kubelet is started by %s", args)
	}
	if args := strings.Join(kubeletArgs(m.Nodes(1)[0], m.joined(m.Nodes(1)[0])), " "); strings.Contains(args, "taints") || strings.Contains(args, "pool") {
		t.Errorf("the kubelet of node-1 is started by %s", args)
	}
	m.State.Limits = []network.Limit{{Node: "node-1", To: "node-4"}, {Node: "node-1"}}
	m.State.Drivers = map[string]Driver{"node-4": {}, "node-1": {}}
	if daemons := m.daemons(); !slices.Contains(daemons, "dra-driver-node-4") || slices.Contains(daemons, "dra-driver-node-2") {
		t.Errorf("daemons %v", daemons)
	}
	m.forget(node)
	if _, err := m.Node("node-4"); err == nil || len(m.State.Limits) != 1 || len(m.State.Drivers) != 1 {
		t.Errorf("a node that left is still there: %+v", m.State)
	}
}

func TestOnlyANewNodeJoins(t *testing.T) {
	m := &Manager{Cluster: layout.Cluster{Name: "a"}, State: &State{Params: Params{Nodes: 4}}}
	for name, want := range map[string]bool{"node-5": true, "node-60": true, "node-4": false, "node-61": false, "gpu-1": false} {
		if _, err := m.newNode(name); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := m.LeaveNode(context.Background(), "node-4"); err == nil || !strings.Contains(err.Error(), "made with it") {
		t.Errorf("a node that the cluster was made with leaves: %v", err)
	}
}

func TestImagesThatAreCopiedHaveAName(t *testing.T) {
	got := named("docker.io/local/x:1\ndocker.io/local/x@sha256:ab\nsha256:ab\nlocalhost/pause:1\n")
	if !slices.Equal(got, []string{"docker.io/local/x:1", "localhost/pause:1"}) {
		t.Errorf("got %v", got)
	}
}
