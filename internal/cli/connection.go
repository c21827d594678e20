package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // every way to log in that kubectl has
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
)

// connection holds kubectl's flags for choosing a cluster.
type connection struct {
	rules     clientcmd.ClientConfigLoadingRules
	overrides clientcmd.ConfigOverrides
}

func (c *connection) bind(flags *pflag.FlagSet) {
	c.rules = *clientcmd.NewDefaultClientConfigLoadingRules()
	flags.StringVar(&c.rules.ExplicitPath, clientcmd.RecommendedConfigPathFlag, "", "Path to the kubeconfig file")
	clientcmd.BindOverrideFlags(&c.overrides, flags, clientcmd.RecommendedConfigOverrideFlags(""))
}

func (c *connection) connect() (client.WithWatch, error) {
	from := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(&c.rules, &c.overrides)
	config, err := from.ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, errors.New(message.CommandNoCluster())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", message.CommandReadingKubeconfig(), err)
	}
	config.QPS, config.Burst = 50, 100
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("registering the API: %w", err)
	}
	if err := appsv1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("registering the API: %w", err)
	}
	connected, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", message.CommandReadingKubeconfig(), err)
	}
	return namedClient{connected, clusterName(from, c.overrides.CurrentContext)}, nil
}

// namedClient knows which cluster it is connected to.
type namedClient struct {
	client.WithWatch
	name string
}

func (n namedClient) clusterName() string { return n.name }

// clusterName is what the kubeconfig calls the cluster; empty within one, where there is no kubeconfig.
func clusterName(from clientcmd.ClientConfig, chosen string) string {
	raw, err := from.RawConfig()
	if err != nil {
		return ""
	}
	if c := raw.Contexts[cmp.Or(chosen, raw.CurrentContext)]; c != nil {
		return c.Cluster
	}
	return ""
}

// readRun reads the run that the user named.
func readRun(ctx context.Context, c client.Client, name string) (*v1alpha1.ValidationRun, error) {
	run := &v1alpha1.ValidationRun{}
	err := c.Get(ctx, client.ObjectKey{Name: name}, run)
	switch {
	case err == nil:
		return run, nil
	case meta.IsNoMatchError(err):
		return nil, errors.New(message.CommandNoAPI())
	case apierrors.IsNotFound(err):
		return nil, errors.New(message.CommandNoRun(name))
	default:
		return nil, fmt.Errorf("%s: %w", message.CommandReading("run", name), err)
	}
}
