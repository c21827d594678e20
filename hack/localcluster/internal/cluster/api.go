package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
)

// How long is waited for what a machine does in seconds, but a slow or busy one does not. What dies is not waited for.
const (
	containerdPatience = 5 * time.Minute
	apiPatience        = 5 * time.Minute
	nodesPatience      = 5 * time.Minute
	pollEvery          = 150 * time.Millisecond
)

// api is the administrator's connection to the API server.
type api struct{ client kubernetes.Interface }

func (m *Manager) connect() (*api, error) {
	config, err := clientcmd.BuildConfigFromFlags("", m.Kubeconfig())
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig of cluster %s: %w", m.Name, err)
	}
	config.QPS, config.Burst = 1000, 2000
	config.Timeout = 10 * time.Second
	config.ContentType = runtime.ContentTypeProtobuf // a thousand nodes in JSON are slow to read
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &api{client: client}, nil
}

// waitFor asks until ask returns nil, one of the daemons has ended or patience has.
func (m *Manager) waitFor(ctx context.Context, patience time.Duration, daemons []string, ask func(context.Context) error) error {
	return poll(ctx, pollEvery, patience, func() error { return m.ended(daemons) }, ask)
}

func poll(ctx context.Context, every, patience time.Duration, ended func() error, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		err := ask(ctx)
		if err == nil {
			return nil
		}
		if dead := ended(); dead != nil {
			return dead
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("it is not ready after %s: %w", patience, err)
		case <-ticker.C:
		}
	}
}

func (a *api) ready(ctx context.Context) error {
	return a.client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
}

// allowDNS lets CoreDNS list what it answers with.
func (a *api) allowDNS(ctx context.Context) error {
	read := []string{"list", "watch"}
	name := metav1.ObjectMeta{Name: "system:coredns"}
	_, err := a.client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: name,
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"endpoints", "services", "pods", "namespaces"}, Verbs: read},
			{APIGroups: []string{"discovery.k8s.io"}, Resources: []string{"endpointslices"}, Verbs: read},
		},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating the role of CoreDNS: %w", err)
	}
	_, err = a.client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: name,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: name.Name}},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("binding the role of CoreDNS: %w", err)
	}
	return nil
}

// waitForNodes returns when every node is Ready and pods can be created.
func (m *Manager) waitForNodes(ctx context.Context, a *api) error {
	want := len(m.realNodes()) + m.State.KwokNodes
	// Each takes the API server 30 ms of processor time, on a machine that may have other things to do.
	patience := nodesPatience + time.Duration(m.State.KwokNodes)*150*time.Millisecond
	// Listing very many nodes often would itself make them late.
	every := pollEvery + time.Duration(m.State.KwokNodes)*2*time.Millisecond
	said := time.Now()
	// The MPI Operator may end where the API server is slow, and is no part of any node.
	daemons := slices.DeleteFunc(m.daemons(), func(name string) bool { return name == mpiOperator })
	err := poll(ctx, every, patience, func() error { return m.ended(daemons) }, func(ctx context.Context) error {
		nodes, err := a.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			return err
		}
		var waiting []string
		for _, node := range nodes.Items {
			if !nodeReady(&node) {
				waiting = append(waiting, node.Name)
			}
		}
		if got := len(nodes.Items); got < want || len(waiting) > 0 {
			if time.Since(said) > time.Minute {
				said = time.Now()
				m.step("%d of %d nodes are Ready", got-len(waiting), want)
			}
			return fmt.Errorf("%d of %d nodes are registered, not Ready: %s", got, want, shorten(waiting))
		}
		// Without it the first pod of the namespace is refused.
		_, err = a.client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("waiting for the nodes: %w; the logs are in %s", err, m.Logs())
	}
	return nil
}

// nodeReady asks for the taint to be gone too: until then no pod is scheduled.
func nodeReady(node *corev1.Node) bool {
	for _, taint := range node.Spec.Taints {
		if taint.Key == corev1.TaintNodeNotReady {
			return false
		}
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

func shorten(names []string) string {
	if len(names) > 5 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:5], ", "), len(names)-5)
	}
	return strings.Join(names, ", ")
}

func renewedSince(lease *coordinationv1.Lease, started time.Time) bool {
	return lease.Spec.RenewTime != nil && !lease.Spec.RenewTime.Time.Before(started)
}

// nodeIsReady wants a sign of life from a kubelet that was started then: for 40 seconds, the node of one that died passes for Ready.
func (a *api) nodeIsReady(ctx context.Context, node layout.Node, started time.Time) error {
	lease, err := a.client.CoordinationV1().Leases(corev1.NamespaceNodeLease).Get(ctx, node.Name(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	if !renewedSince(lease, started) {
		return fmt.Errorf("the kubelet of %s has not renewed its lease", node.Name())
	}
	object, err := a.client.CoreV1().Nodes().Get(ctx, node.Name(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	if !nodeReady(object) {
		return fmt.Errorf("%s is not Ready", node.Name())
	}
	return nil
}
