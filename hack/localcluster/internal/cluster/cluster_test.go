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
	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
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

func TestWaitForSaysThatTheProcessEnded(t *testing.T) {
	ended := make(chan struct{})
	close(ended)
	start := time.Now()
	err := waitFor(context.Background(), time.Minute, ended, func(context.Context) error { return errors.New("not yet") })
	if err == nil || time.Since(start) > 10*time.Second {
		t.Errorf("got %v after %s", err, time.Since(start))
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
	m.forget(node)
	if _, err := m.Node("node-4"); err == nil || len(m.State.Limits) != 1 {
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
