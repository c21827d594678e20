package cli

import (
	"fmt"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/runtime"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // every way to log in that kubectl has
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// connection holds kubectl's flags for choosing a cluster.
type connection struct {
	rules     clientcmd.ClientConfigLoadingRules
	overrides clientcmd.ConfigOverrides
}

func (c *connection) bind(flags *pflag.FlagSet) {
	c.rules = *clientcmd.NewDefaultClientConfigLoadingRules()
	flags.StringVar(&c.rules.ExplicitPath, clientcmd.RecommendedConfigPathFlag, "", "path to the kubeconfig file")
	clientcmd.BindOverrideFlags(&c.overrides, flags, clientcmd.RecommendedConfigOverrideFlags(""))
}

func (c *connection) connect() (client.WithWatch, error) {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(&c.rules, &c.overrides).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	config.QPS, config.Burst = 50, 100
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("registering the API: %w", err)
	}
	connected, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	return connected, nil
}
