package owned

import (
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// TestATemplateIsMadeAgainAfterItWasDeleted: a run that stalled, was suspended, and goes on within a minute has deleted its template itself.
func TestATemplateIsMadeAgainAfterItWasDeleted(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := resourcev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme).Build()
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "r", UID: "run-uid"}}
	o := &Objects{Client: c, Live: c, Clock: clock.RealClock{}, Settings: workload.Settings{Namespace: "benchmarks"}, HasClaims: true}
	claim := &workload.Claim{Run: run, Class: "gpu.nvidia.com", Count: 8}
	for range 2 {
		if err := o.OfferClaims(t.Context(), run, claim); err != nil {
			t.Fatal(err)
		}
		var all resourcev1.ResourceClaimTemplateList
		if err := o.listOwn(t.Context(), run, &all); err != nil || len(all.Items) != 1 {
			t.Fatalf("there are %d templates, %v", len(all.Items), err)
		}
		if err := o.deleteTemplates(t.Context(), run); err != nil {
			t.Fatal(err)
		}
	}
}
