package doctor

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/dra"
	"github.com/assay-dev/assay/internal/operate/devicerule"
)

// sliceOf a pool that node-1 publishes, of GPUs with these UUIDs.
func sliceOf(pool string, uuids ...string) *resourcev1.ResourceSlice {
	s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice"}, Spec: resourcev1.ResourceSliceSpec{Driver: "gpu.nvidia.com", NodeName: new("node-1"),
		Pool: resourcev1.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: 1}}}
	for i, uuid := range uuids {
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: fmt.Sprintf("gpu-%d", i), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
			"type": {StringValue: new("gpu")}, "uuid": {StringValue: &uuid}}})
	}
	return s
}

// TestDoctorLooksAtWhatIsOutOfService: what the mark of a node says, beside its slices and the rules that there are.
func TestDoctorLooksAtWhatIsOutOfService(t *testing.T) {
	out := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1", Annotations: map[string]string{
		v1alpha1.AnnotationQuarantine: `{"id":"q-1","key":"example.com/slow","effect":"NoSchedule","devices":["GPU-B"]}`}}}
	slices := sliceOf("node-1", "GPU-A", "GPU-B")
	rule := devicerule.Of(out, dra.PlacesOf(out, []*resourcev1.ResourceSlice{slices}, nil), nil).Plan.Create[0]
	stale := rule.DeepCopy()
	stale.Spec.Taint.Effect = resourcev1.DeviceTaintEffectNone
	foreign := stale.DeepCopy()
	delete(foreign.Labels, v1alpha1.LabelManagedBy)
	lost := rule.DeepCopy()
	lost.Annotations[v1alpha1.AnnotationNode] = "node-9"
	for name, c := range map[string]struct {
		mark   bool
		plugin string
		slice  *resourcev1.ResourceSlice
		rule   *resourcev1.DeviceTaintRule
		want   string
	}{
		"as it is to be":               {true, "0", slices, rule, "ok       out-of-service    1 device out of service on 1 node, with their DeviceTaintRules"},
		"nothing is out":               {false, "0", slices, nil, "ok       out-of-service    no single device is out of service"},
		"its rule is missing":          {true, "0", slices, nil, "FAIL     out-of-service    1 device out of service on node node-1 without a DeviceTaintRule"},
		"somebody else's is no rule":   {true, "0", slices, foreign, "FAIL     out-of-service    1 device out of service on node node-1 without a DeviceTaintRule"},
		"its rule is stale":            {true, "0", slices, stale, "FAIL     out-of-service    1 device out of service on node node-1 without the DeviceTaintRule"},
		"the mark is gone":             {false, "0", slices, rule, "warn     out-of-service    1 DeviceTaintRule on node node-1 for devices that are not"},
		"the node is gone":             {false, "0", slices, lost, "warn     out-of-service    1 DeviceTaintRule on node node-9 for devices that are not"},
		"it is not published":          {true, "0", sliceOf("node-1", "GPU-A"), nil, "warn     out-of-service    1 device out of service on node node-1, and in none"},
		"its UUID is there twice":      {true, "0", sliceOf("node-1", "GPU-B", "GPU-B"), nil, "warn     out-of-service    node node-1: the node's ResourceSlices have UUID GPU-B twice"},
		"its pool may be of others":    {true, "0", sliceOf("node-2", "GPU-B"), nil, "FAIL     out-of-service    node node-1: device GPU-B is not tainted: pool node-2 has the name of another node"},
		"its pool is of no other":      {true, "0", sliceOf("gpus", "GPU-B"), nil, "FAIL     out-of-service    1 device out of service on node node-1 without a DeviceTaintRule"},
		"a device plugin beside":       {true, "8", slices, rule, "FAIL     out-of-service    a device plugin hands out the devices of node node-1, too"},
		"a device plugin and no slice": {true, "8", sliceOf("node-1"), nil, "FAIL     out-of-service    a device plugin hands out the devices of node node-1, too"},
	} {
		t.Run(name, func(t *testing.T) {
			w := ward(t, interceptor.Funcs{})
			node := &corev1.Node{}
			if err := w.Get(t.Context(), client.ObjectKey{Name: "node-1"}, node); err != nil {
				t.Fatal(err)
			}
			if c.mark {
				node.Annotations = out.Annotations
			}
			objects := []client.Object{c.slice.DeepCopy(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-2"}}}
			if c.rule != nil {
				objects = append(objects, c.rule.DeepCopy())
			}
			if err := w.Update(t.Context(), node); err != nil {
				t.Fatal(err)
			}
			node.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse(c.plugin)}
			if err := w.Status().Update(t.Context(), node); err != nil {
				t.Fatal(err)
			}
			for _, o := range objects {
				if err := w.Create(t.Context(), o); err != nil {
					t.Fatal(err)
				}
			}
			if is, _ := rundoctor(t, w, "doctor"); !strings.Contains(is, c.want) {
				t.Errorf("want %q in:\n%s", c.want, is)
			}
		})
	}
}

// TestDoctorWithoutRulesForDevices: an API server that does not serve them, as before Kubernetes 1.37.
func TestDoctorWithoutRulesForDevices(t *testing.T) {
	w := ward(t, interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
		switch list := l.(type) {
		case *resourcev1.DeviceTaintRuleList:
			return &meta.NoKindMatchError{GroupKind: resourcev1.SchemeGroupVersion.WithKind("DeviceTaintRule").GroupKind()}
		case *corev1.NodeList:
			err := c.List(ctx, l, opts...)
			for i := range list.Items {
				list.Items[i].Annotations = map[string]string{v1alpha1.AnnotationQuarantine: `{"id":"q-1","key":"assay.dev/unfit","effect":"NoSchedule","devices":["GPU-B"]}`}
			}
			return err
		}
		return c.List(ctx, l, opts...)
	}})
	const want = "the API server is v1.36.1, and serves no DeviceTaintRules (resource.k8s.io/v1), as Kubernetes does from 1.37 on, so nothing keeps work from the devices out of service of 1 node"
	if is, _ := rundoctor(t, versioned{w, "v1.36.1"}, "doctor"); !strings.Contains(is, want) {
		t.Errorf("want %q in:\n%s", want, is)
	}
}
