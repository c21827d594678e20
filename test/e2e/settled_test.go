//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// quietFor is how long nothing may be written once all runs are over.
const quietFor = 20 * time.Second

// testSettled: when all runs are over, no benchmark pod is left, and nobody writes a run, a result, a NodeValidation, or Assay's
// marks on a node. And no node was ever in two benchmarks at once.
func testSettled(t *testing.T) {
	checkMetrics(t)
	quiet(t)
}

func quiet(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), quietFor)
	defer cancel()
	writes := make(chan string)
	for _, list := range []client.ObjectList{&v1alpha1.ValidationRunList{}, &v1alpha1.ValidationResultList{},
		&v1alpha1.NodeValidationList{}, &corev1.PodList{}} {
		var options []client.ListOption
		if _, pods := list.(*corev1.PodList); pods {
			options = append(options, client.InNamespace(benchmarkNamespace))
		}
		watchWrites(t, ctx, list, writes, options...)
	}
	var pods corev1.PodList
	if err := api.List(t.Context(), &pods, client.InNamespace(benchmarkNamespace)); err != nil || len(pods.Items) > 0 {
		t.Errorf("%d benchmark pods are left, %v", len(pods.Items), err)
	}
	for _, clash := range launched.allClashes() {
		t.Error(clash)
	}
	before, others := allMarks(t), foreignOf(t, nodes...)
	for open := true; open; {
		select {
		case w := <-writes:
			t.Error(w)
		case <-ctx.Done():
			open = false
		}
	}
	if diff := cmp.Diff(before, allMarks(t)); diff != "" {
		t.Errorf("marks of the nodes (-before +after):\n%s", diff)
	}
	checkForeign(t, others)
}

// watchWrites reports every change of the listed kind from now until ctx ends.
func watchWrites(t *testing.T, ctx context.Context, list client.ObjectList, writes chan<- string, options ...client.ListOption) {
	t.Helper()
	if err := api.List(ctx, list, options...); err != nil {
		t.Fatal(err)
	}
	from := &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: list.GetResourceVersion()}}
	w, err := api.Watch(ctx, list, append(options, from)...)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer w.Stop()
		for {
			select {
			case e, ok := <-w.ResultChan():
				if !ok {
					return
				}
				text := fmt.Sprintf("%s %T", e.Type, e.Object)
				if o, ok := e.Object.(client.Object); ok {
					text += " " + o.GetName()
				}
				select {
				case writes <- text:
				case <-ctx.Done():
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
}
