package cluster

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/hack/localcluster/internal/daemon"
)

const (
	// mpiLease is in the namespace of the same name as the daemon.
	mpiLease    = "mpi-operator"
	mpiPatience = 5 * time.Minute
)

func (m *Manager) hasMPI() bool { return m.State.Nodes > 0 && !m.State.NoMPI }

func (m *Manager) mpiArgs() []string {
	return []string{
		"-kubeConfig=" + m.PKI(mpiOperator+".kubeconfig"),
		"-lock-namespace=" + mpiOperator,
		"-kube-api-qps=50", "-kube-api-burst=100",
		"-alsologtostderr",
	}
}

// installMPI gives the cluster the kind MPIJob and lets the MPI Operator do what its own role says.
func (m *Manager) installMPI(ctx context.Context, a *api) error {
	dir := m.programs.MPIManifests()
	crd := filepath.Join(dir, "kubeflow.org_mpijobs.yaml")
	if err := m.kubectl(ctx, "apply", "--server-side", "--force-conflicts", "-f", crd, "-f", filepath.Join(dir, "cluster-role.yaml")); err != nil {
		return fmt.Errorf("installing the MPI Operator's kind and role: %w", err)
	}
	name := metav1.ObjectMeta{Name: mpiOperator}
	_, err := a.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: name}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating namespace %s: %w", mpiOperator, err)
	}
	_, err = a.client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: name,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: mpiOperator},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: mpiOperator}},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("binding the role of the MPI Operator: %w", err)
	}
	// It ends at once where it does not find its kind. kubectl fails where the kind has no conditions yet.
	if err := m.waitFor(ctx, mpiPatience, []string{apiServer}, func(ctx context.Context) error {
		return m.kubectl(ctx, "wait", "--for=condition=Established", "--timeout=10s", "-f", crd)
	}); err != nil {
		return fmt.Errorf("waiting for the MPI Operator's kind: %w", err)
	}
	return m.forgetDeadMPI(ctx, a)
}

// forgetDeadMPI removes the lease of an MPI Operator that does not run. It gives none back when it ends, and the next one
// would do nothing for 15 seconds.
func (m *Manager) forgetDeadMPI(ctx context.Context, a *api) error {
	if _, alive := daemon.Load(m.PIDFile(mpiOperator)); alive {
		return nil
	}
	err := a.client.CoordinationV1().Leases(mpiOperator).Delete(ctx, mpiLease, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("removing the lease of an MPI Operator that is gone: %w", err)
	}
	return nil
}

// waitForMPI returns when the MPI Operator leads, that is, looks after MPIJobs.
func (m *Manager) waitForMPI(ctx context.Context, a *api) error {
	err := m.waitFor(ctx, mpiPatience, []string{mpiOperator}, func(ctx context.Context) error {
		_, err := a.client.CoordinationV1().Leases(mpiOperator).Get(ctx, mpiLease, metav1.GetOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("waiting for the MPI Operator: %w", err)
	}
	return nil
}

func (m *Manager) kubectl(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, m.programs.Path("kubectl"), append([]string{"--kubeconfig", m.Kubeconfig()}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kubectl %s: %w: %s", args[0], err, out)
	}
	return nil
}

// StopMPI stops the MPI Operator, so that nobody looks after MPIJobs.
func (m *Manager) StopMPI() error {
	if m.State == nil || !m.hasMPI() {
		return fmt.Errorf("cluster %s has no MPI Operator", m.Name)
	}
	if err := daemon.Stop(m.PIDFile(mpiOperator), stopPatience); err != nil {
		return err
	}
	m.step("the MPI Operator is stopped")
	return nil
}

// StartMPI starts it again and returns when it looks after MPIJobs.
func (m *Manager) StartMPI(ctx context.Context) error {
	if m.State == nil || !m.hasMPI() {
		return fmt.Errorf("cluster %s has no MPI Operator", m.Name)
	}
	api, err := m.connect()
	if err != nil {
		return err
	}
	if err := m.forgetDeadMPI(ctx, api); err != nil {
		return err
	}
	if err := m.ensure(mpiOperator, mpiOperator, m.mpiArgs()...); err != nil {
		return err
	}
	if err := m.waitForMPI(ctx, api); err != nil {
		return err
	}
	m.step("the MPI Operator leads")
	return nil
}
