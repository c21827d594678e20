//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// fault breaks something on the cluster, and mends what does not mend itself. It returns what went wrong with that.
type fault struct {
	name string
	do   func(ctx context.Context, r *rand.Rand) error
}

var liveFaults = []fault{
	{"a manager is killed", func(_ context.Context, r *rand.Rand) error { return signalOne(r, syscall.SIGKILL, managers()) }},
	{"a manager is stopped for a while", func(_ context.Context, r *rand.Rand) error { return pause(r, managers(), 5, 45) }},
	{"all managers are stopped for a while", func(_ context.Context, r *rand.Rand) error { return pauseAll(r, managers(), 5, 30) }},
	{"the API server is stopped for a while", func(_ context.Context, r *rand.Rand) error { return pause(r, daemons("kube-apiserver"), 3, 20) }},
	{"the API server is killed", func(_ context.Context, r *rand.Rand) error { return killAndRepair(r, "kube-apiserver") }},
	{"etcd is stopped for a while", func(_ context.Context, r *rand.Rand) error { return pause(r, daemons("etcd"), 2, 12) }},
	{"the network of the managers is cut off for a while", cutManagersOff},
	{"the scheduler is stopped for a while", func(_ context.Context, r *rand.Rand) error { return pause(r, daemons("kube-scheduler"), 3, 20) }},
	{"the MPI Operator is stopped for a while", func(_ context.Context, r *rand.Rand) error { return pause(r, daemons("mpi-operator"), 5, 40) }},
	{"a kubelet is stopped for a while", func(_ context.Context, r *rand.Rand) error { return pause(r, daemons("kubelet-"+workerNode(r)), 5, 60) }},
	{"a kubelet dies, and is started anew", func(_ context.Context, r *rand.Rand) error { return restartNode(r) }},
	{"a containerd is stopped for a while", func(_ context.Context, r *rand.Rand) error {
		return pause(r, daemons("containerd-"+workerNode(r)), 5, 60)
	}},
	{"a containerd dies, and is started anew", func(_ context.Context, r *rand.Rand) error { return killAndRepair(r, "containerd-"+workerNode(r)) }},
	{"a node loses its power", func(_ context.Context, r *rand.Rand) error { return restartNode(r, "--power-off") }},
	{"the disk for a node's pods is full for a while", func(_ context.Context, r *rand.Rand) error { return fillDisk(r) }},
	{"somebody deletes a benchmark's pod", deleteSomePod},
	{"somebody deletes the record of a node", func(ctx context.Context, r *rand.Rand) error {
		v := &v1alpha1.NodeValidation{}
		v.Name = nodes[r.IntN(3)] // that of the slow one holds what keeps its taint
		return client.IgnoreNotFound(api.Delete(ctx, v))
	}},
	{"somebody asks for all nodes to be validated now", func(context.Context, *rand.Rand) error {
		return run("kubectl", "annotate", "--overwrite", "validationpolicies", "--all", v1alpha1.AnnotationValidateNow+"="+time.Now().Format(time.RFC3339))
	}},
	{"somebody cordons a node for a while", func(_ context.Context, r *rand.Rand) error {
		n := workerNode(r)
		if err := run("kubectl", "cordon", n); err != nil {
			return err
		}
		someTime(r, 5, 20)
		return run("kubectl", "uncordon", n)
	}},
}

// breakThings, one at a time, until ctx ends. It returns how often each was done. A fault that cannot be mended fails the test: nothing after it would mean
// anything.
func breakThings(ctx context.Context, t *testing.T, r *rand.Rand) string {
	done := map[string]int{}
	for ctx.Err() == nil {
		f := liveFaults[r.IntN(len(liveFaults))]
		t.Logf("%s  %s", clock(), f.name)
		if err := f.do(ctx, r); err != nil && ctx.Err() == nil {
			t.Errorf("%s  %s: %v", clock(), f.name, err)
			break
		}
		done[f.name]++
		someTime(r, 2, 15)
	}
	var told []string
	for _, name := range slices.Sorted(maps.Keys(done)) {
		told = append(told, fmt.Sprintf("%d x %s", done[name], name))
	}
	return strings.Join(told, ", ")
}

// someTime passes: between so many seconds.
func someTime(r *rand.Rand, least, most int) {
	time.Sleep(time.Duration(least)*time.Second + time.Duration(r.Int64N(int64(most-least)*int64(time.Second))))
}

// workerNode is any but the first, which the managers are on.
func workerNode(r *rand.Rand) string { return nodes[1+r.IntN(len(nodes)-1)] }

func run(name string, args ...string) error {
	if out, err := try(name, args...); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

func control(args ...string) error {
	return run("clusterctl", append([]string{"--name", clusterName}, args...)...)
}

// managers are the processes of the operator in this cluster.
func managers() []int {
	var pids []int
	found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range found {
		command, _ := os.ReadFile(path)
		group, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cgroup"))
		if strings.HasPrefix(string(command), "/manager\x00") && strings.Contains(string(group), "/assay-"+clusterName+"/") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// daemons of the cluster by this name: none, or one.
func daemons(name string) []int {
	text, err := os.ReadFile(filepath.Join("/run/assay-cluster", clusterName, "pid", name))
	if err != nil {
		return nil
	}
	first, _, _ := strings.Cut(string(text), " ")
	pid, err := strconv.Atoi(first)
	if err != nil {
		return nil
	}
	return []int{pid}
}

func signalOne(r *rand.Rand, s syscall.Signal, pids []int) error {
	if len(pids) == 0 {
		return nil // it is being started anew
	}
	return syscall.Kill(pids[r.IntN(len(pids))], s)
}

// pause stops one of the processes for so many seconds.
func pause(r *rand.Rand, pids []int, least, most int) error {
	if len(pids) == 0 {
		return nil
	}
	return pauseAll(r, []int{pids[r.IntN(len(pids))]}, least, most)
}

func pauseAll(r *rand.Rand, pids []int, least, most int) error {
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	someTime(r, least, most)
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGCONT) // it may have been killed meanwhile, by its liveness probe
	}
	return nil
}

// killAndRepair kills a daemon, and starts it anew as an administrator would.
func killAndRepair(r *rand.Rand, name string) error {
	if err := signalOne(r, syscall.SIGKILL, daemons(name)); err != nil {
		return err
	}
	someTime(r, 1, 10)
	return control("up", "--nodes", strconv.Itoa(len(nodes)))
}

func cutManagersOff(_ context.Context, r *rand.Rand) error {
	if err := control("net", "limit", "--node", nodes[0], "--rate", "1kbit"); err != nil {
		return err
	}
	someTime(r, 5, 40)
	return control("net", "restore", "--node", nodes[0])
}

func restartNode(r *rand.Rand, how ...string) error {
	n := workerNode(r)
	if err := control(append([]string{"node-stop", n}, how...)...); err != nil {
		return err
	}
	someTime(r, 5, 60)
	return control("node-start", n)
}

// fillDisk lays a file system without a free inode over the folder in which the kubelet of a node makes pods. Neither other nodes nor the machine see it.
func fillDisk(r *rand.Rand) error {
	n := workerNode(r)
	const pods = "/var/lib/kubelet/pods"
	if err := inside(n, "mount", "-t", "tmpfs", "-o", "size=4k,nr_inodes=1", "full", pods); err != nil {
		return err
	}
	someTime(r, 10, 60)
	return inside(n, "umount", "--lazy", pods)
}

// inside a node's mount namespace, a program of the machine.
func inside(node string, program ...string) error {
	namespace := filepath.Join("/run/assay-cluster", clusterName, "ns", node)
	out, err := exec.Command("nsenter", append([]string{"--mount=" + namespace}, program...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s on %s: %w\n%s", strings.Join(program, " "), node, err, out)
	}
	return nil
}

func deleteSomePod(ctx context.Context, r *rand.Rand) error {
	var pods corev1.PodList
	if err := api.List(ctx, &pods, client.InNamespace(benchmarkNamespace)); err != nil || len(pods.Items) == 0 {
		return err
	}
	return client.IgnoreNotFound(api.Delete(ctx, &pods.Items[r.IntN(len(pods.Items))]))
}
