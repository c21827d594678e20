package run

import (
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// TestATemplateIsMadeAgainAfterItWasDeleted: a run that stalled, was suspended, and goes on within a minute has deleted its template itself.
func TestATemplateIsMadeAgainAfterItWasDeleted(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := resourcev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme).Build()
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "r", UID: "run-uid"}}
	r := &Reconciler{Client: c, Live: c, Settings: workload.Settings{Namespace: "benchmarks"}, Devices: &controllers.Devices{}}
	w := &writer{Reconciler: r, pass: &pass{run: run, memory: r.memoryOf(run), in: observe.Input{Run: run, Now: begin}}}
	claim := &workload.Claim{Run: run, Class: "gpu.nvidia.com", Count: 8}
	for range 2 {
		if err := w.offerClaims(t.Context(), claim); err != nil {
			t.Fatal(err)
		}
		var all resourcev1.ResourceClaimTemplateList
		if err := r.listOwn(t.Context(), run, &all); err != nil || len(all.Items) != 1 {
			t.Fatalf("there are %d templates, %v", len(all.Items), err)
		}
		if err := r.deleteTemplates(t.Context(), run); err != nil {
			t.Fatal(err)
		}
	}
}
