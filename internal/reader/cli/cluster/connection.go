// Package cluster is how commands reach a cluster: kubectl's flags, the connection, and what is read of it, page by page.
package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/spf13/pflag"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/discovery"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // every way to log in that kubectl has
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Flags holds kubectl's flags for choosing a cluster.
type Flags struct {
	flags *genericclioptions.ConfigFlags
}

// nowhere is the server that kubectl's flags fall back to where nothing names one.
const nowhere = "http://localhost:8080"

// Bind the flags.
func (c *Flags) Bind(flags *pflag.FlagSet) {
	c.flags = genericclioptions.NewConfigFlags(true)
	c.flags.Namespace = nil            // see below
	c.flags.CacheDir = nil             // nothing is discovered
	c.flags.ImpersonateUserExtra = nil // no authorizer of a cluster asks for it
	c.flags.AddFlags(flags)
	flags.StringP("namespace", "n", "", "Ignored, for the sake of aliases: all kinds of Assay are cluster-scoped")
}

// ErrNoCluster: nothing says which cluster is meant.
var ErrNoCluster = errors.New("no cluster is configured: set KUBECONFIG, or name a kubeconfig with --kubeconfig")

// Connect to the cluster that the flags choose.
func (c *Flags) Connect() (client.WithWatch, error) {
	config, err := c.flags.ToRESTConfig()
	if clientcmd.IsEmptyConfig(err) || err == nil && config.Host == nowhere && *c.flags.APIServer == "" {
		return nil, ErrNoCluster
	}
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	config.QPS, config.Burst = 50, 100
	clock := &clockwork{}
	config.Wrap(clock.wrap)
	connected, err := client.NewWithWatch(config, client.Options{Scheme: Scheme()})
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	server, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	named := Named{WithWatch: connected}
	raw, _ := c.flags.ToRawKubeConfigLoader().RawConfig() // there is none within a cluster
	if context := raw.Contexts[cmp.Or(*c.flags.Context, raw.CurrentContext)]; context != nil {
		named.Name = context.Cluster
	}
	return clusterClient{named, clock, server}, nil
}

// clusterClient knows what time it is in its cluster, and of which version its API server is.
type clusterClient struct {
	Named
	*clockwork
	discovery.ServerVersionInterfaceWithContext
}

// Named knows which cluster it is connected to.
type Named struct {
	client.WithWatch
	Name string
}

// ClusterName is what the kubeconfig calls the cluster.
func (n Named) ClusterName() string { return n.Name }

// Scheme knows the kinds that the commands read and write.
func Scheme() *runtime.Scheme {
	s := runtime.NewScheme()
	all := runtime.NewSchemeBuilder(v1alpha1.AddToScheme, corev1.AddToScheme, appsv1.AddToScheme, coordinationv1.AddToScheme, admissionv1.AddToScheme,
		authorizationv1.AddToScheme, apiextensionsv1.AddToScheme, resourcev1.AddToScheme)
	utilruntime.Must(all.AddToScheme(s))
	return s
}

// Connect opens a client to the cluster that the user means.
type Connect func() (client.WithWatch, error)

// PrintObject writes an object in one of kubectl's formats. Without a format it is one line: its name, and what has become of it.
func PrintObject(w io.Writer, o runtime.Object, format, done string) error {
	p, err := genericclioptions.NewPrintFlags(done).WithTypeSetter(Scheme()).WithDefaultOutput(format).ToPrinter()
	if err != nil {
		return err
	}
	return p.PrintObj(o, w)
}

// clockwork notes what time the API server says it is: its answers have a Date, of whole seconds.
type clockwork struct {
	mu     sync.Mutex
	server time.Time
	here   time.Time
	took   time.Duration
}

// wrap a transport.
func (c *clockwork) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		began := time.Now()
		answer, err := next.RoundTrip(r)
		if err != nil {
			return answer, err
		}
		took := time.Since(began)
		if date, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.server, c.here, c.took = date.Add(time.Second/2), began.Add(took/2), took
		}
		return answer, err
	})
}

// ServerTime is that of the last answer, and the time of this computer then.
func (c *clockwork) ServerTime() (server, here time.Time, uncertain time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server, c.here, c.took, !c.server.IsZero()
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
