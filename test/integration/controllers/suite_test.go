// Package controllers_test runs the operator against a real API server. Nothing else of Kubernetes is there: the tests
// play kubelet, scheduler and people. Most tests call Reconcile themselves with a clock of their own, which makes hours
// pass at once and every pass repeatable; those in manager_test.go run the real manager with its caches.
package controllers_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/integration/apiserver"
)

const namespace = "assay-benchmarks"

var (
	crdFolder = filepath.Join("..", "..", "..", "config", "crd", "bases")
	scheme    = runtime.NewScheme()
	config    *rest.Config
	// api is the tests' own hand; what the operator does goes through clients that can be made to fail. It reads from watches, live does not.
	api, live client.WithWatch
)

func TestMain(m *testing.M) { os.Exit(runWithAPIServer(m)) }

func runWithAPIServer(m *testing.M) int {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		fmt.Fprintln(os.Stderr, "not run: KUBEBUILDER_ASSETS names no etcd and kube-apiserver; use `make test-integration`")
		return 0
	}
	ctrl.SetLogger(logr.Discard())
	stop, err := start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer stop()
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func start() (stop func(), err error) {
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme, mpi.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	config, stop, err = apiserver.Start(crdFolder)
	return stop, err
}

func prepare() (err error) {
	config.QPS = -1
	if live, err = client.NewWithWatch(config, client.Options{Scheme: scheme}); err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	if api, err = newMirror(background, config, live); err != nil {
		return err
	}
	return api.Create(background, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
}
