package cluster

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/hack/localcluster/internal/daemon"
)

// Health is what a cluster is, in one word.
type Health string

// What a cluster can be.
const (
	Absent    Health = "absent"
	Healthy   Health = "healthy"
	Unhealthy Health = "unhealthy"
)

// Status prints every daemon and node, and returns what they add up to.
func (m *Manager) Status(ctx context.Context) (Health, error) {
	if m.State == nil {
		if left := m.Leftovers(); len(left) > 0 {
			fmt.Fprintf(m.out, "cluster %s does not exist, but left: %s\n", m.Name, strings.Join(left, "; "))
			return Unhealthy, nil
		}
		fmt.Fprintf(m.out, "cluster %s does not exist, and nothing of it is left\n", m.Name)
		return Absent, nil
	}
	health := Healthy
	table := tabwriter.NewWriter(m.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "DAEMON\tPID")
	for _, name := range m.daemons() {
		pid := "not running"
		if id, alive := daemon.Load(m.PIDFile(name)); alive {
			pid = fmt.Sprint(id.PID)
		} else {
			health = Unhealthy
		}
		fmt.Fprintf(table, "%s\t%s\n", name, pid)
	}
	if err := table.Flush(); err != nil {
		return health, err
	}
	ready, total, err := m.nodeStatus(ctx)
	if err != nil {
		fmt.Fprintf(m.out, "nodes: %v\n", err)
		return Unhealthy, nil
	}
	fmt.Fprintf(m.out, "\n%d of %d nodes Ready\nkubeconfig: %s\nlogs: %s\n", ready, total, m.Kubeconfig(), m.Logs())
	if ready < total {
		health = Unhealthy
	}
	return health, nil
}

func (m *Manager) nodeStatus(ctx context.Context) (ready, total int, err error) {
	api, err := m.connect()
	if err != nil {
		return 0, 0, err
	}
	nodes, err := api.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return 0, 0, err
	}
	table := tabwriter.NewWriter(m.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "\nNODE\tSTATE\tIP\tCORES")
	for _, node := range nodes.Items {
		state := "NotReady"
		if nodeReady(&node) {
			state = "Ready"
			ready++
		}
		if node.Labels["type"] == "kwok" {
			continue // counted, not listed: there may be thousands
		}
		cores := "all"
		if own, err := m.Node(node.Name); err == nil {
			if quota, limited := m.cgroups.Limited(own.CGroup()); limited {
				cores = fmt.Sprintf("%.3g (degraded)", quota.Cores())
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", node.Name, state, own.IP(), cores)
		}
	}
	return ready, max(len(nodes.Items), len(m.realNodes())+m.State.KwokNodes), table.Flush()
}
