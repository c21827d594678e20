package controllers

import (
	"context"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// podDeletes deletes pods, of which a run deletes thousands, without a look at what the API server answers: the pod as it was. The client beneath decodes
// that, makes JSON of it and decodes it again, whoever asks.
type podDeletes struct {
	client.Client
	pods metadata.Getter
}

// WithPodDeletes is a client that does not read deleted pods.
func WithPodDeletes(c client.Client, config *rest.Config, over *http.Client) (client.Client, error) {
	all, err := metadata.NewForConfigAndClient(config, over)
	if err != nil {
		return nil, fmt.Errorf("making the client that deletes pods: %w", err)
	}
	return podDeletes{c, all.Resource(corev1.SchemeGroupVersion.WithResource("pods"))}, nil
}

func (c podDeletes) Delete(ctx context.Context, o client.Object, how ...client.DeleteOption) error {
	if _, is := o.(*corev1.Pod); !is {
		return c.Client.Delete(ctx, o, how...)
	}
	var options client.DeleteOptions
	options.ApplyOptions(how)
	return c.pods.Namespace(o.GetNamespace()).Delete(ctx, o.GetName(), *options.AsDeleteOptions())
}
