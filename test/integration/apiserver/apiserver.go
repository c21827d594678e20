// Package apiserver is the etcd and kube-apiserver of the integration tests.
package apiserver

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const (
	// patience is how long anything about the server may take: the tests share few cores with others, at low priority.
	patience = 3 * time.Minute
	// tries, as envtest itself waits no more than five seconds for some of it.
	tries = 3
)

// Start starts a server with the CRDs of a folder. The first signal to end stops it, then the tests: its processes are no part of
// the tests' process group. At their own end the tests call stop.
func Start(crdFolder string) (config *rest.Config, stop func(), err error) {
	for range tries {
		environment := &envtest.Environment{
			CRDDirectoryPaths:        []string{crdFolder},
			ErrorIfCRDPathMissing:    true,
			CRDInstallOptions:        envtest.CRDInstallOptions{MaxTime: patience},
			ControlPlaneStartTimeout: patience,
			ControlPlaneStopTimeout:  patience,
		}
		// As every cluster has it: what a kubelet may change of its node.
		environment.ControlPlane.GetAPIServer().Configure().Append("enable-admission-plugins", "NodeRestriction")
		users, failed := usersFile()
		if failed != nil {
			return nil, nil, errors.Join(err, failed)
		}
		environment.ControlPlane.GetAPIServer().Configure().Append("token-auth-file", users)
		forget := stopAtSignals(environment)
		config, failed := environment.Start()
		_ = os.Remove(users)
		if failed == nil {
			return byToken(config), func() { stopped(environment.Stop()) }, nil
		}
		forget()
		err = errors.Join(err, fmt.Errorf("starting the API server and installing the CRDs: %w", failed), environment.Stop())
	}
	return nil, nil, err
}

// token of the tests' user. A client certificate would be verified anew for each of some ten thousand requests.
const token = "integration-tests"

// usersFile is what the server reads at its start.
func usersFile() (path string, err error) {
	file, err := os.CreateTemp("", "users")
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(token + `,admin,admin,"system:masters"` + "\n")
	return file.Name(), errors.Join(err, file.Close())
}

// byToken is the configuration with the token in place of the certificate.
func byToken(config *rest.Config) *rest.Config {
	config.CertData, config.KeyData, config.BearerToken = nil, nil, token
	return config
}

// LacksGates says whether the API server is older than the kind MutatingAdmissionPolicy. Those that are not have to have it.
func LacksGates(t testing.TB, config *rest.Config) bool {
	t.Helper()
	server, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	is, err := server.ServerVersionWithContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return utilversion.MustParseGeneric(is.GitVersion).LessThan(utilversion.MustParseGeneric("1.36"))
}

func stopped(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "stopping the API server:", err)
	}
}

func stopAtSignals(environment *envtest.Environment) (forget func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-signals
		stopped(environment.Stop())
		os.Exit(1)
	}()
	return func() { signal.Stop(signals) }
}
