package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/doctor"
	"github.com/assay-dev/assay/test/clitest"
)

// versioned is a cluster whose API server is of a version, and has every kind that the client knows.
type versioned struct {
	client.WithWatch
	version string
}

func (v versioned) ServerVersionWithContext(context.Context) (*version.Info, error) {
	return &version.Info{GitVersion: v.version}, nil
}

// RESTMapper knows the kind that servers have from 1.36 on.
func (v versioned) RESTMapper() meta.RESTMapper {
	known := meta.NewDefaultRESTMapper(nil)
	if v.version >= "v1.36" {
		known.Add(admissionv1.SchemeGroupVersion.WithKind("MutatingAdmissionPolicy"), meta.RESTScopeRoot)
	}
	return known
}

func TestDoctorReadsTheVersionOfTheAPIServer(t *testing.T) {
	for of, want := range map[string]string{
		"v1.37.2": "the API server is v1.37.2, and has everything",
		"v1.35.4": "the API server is v1.35.4, and has no MutatingAdmissionPolicy",
		"v1.33.1": "the API server is v1.33.1, and Assay was never run on one older than 1.35",
	} {
		if out, _ := rundoctor(t, versioned{ward(t, interceptor.Funcs{}), of}, "doctor"); !strings.Contains(out, want) {
			t.Errorf("want %q in:\n%s", want, out)
		}
	}
}

// TestDoctorReadsSlices: what a DRA driver publishes of a node, and that an API server has no slices.
func TestDoctorReadsSlices(t *testing.T) {
	for want, list := range map[string]func(*resourcev1.ResourceSliceList) error{
		"1 node with GPUs, all offering nvidia.com/gpu, 1 of them by a DRA driver": func(list *resourcev1.ResourceSliceList) error {
			s := resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice"}}
			s.Spec.Driver, s.Spec.NodeName, s.Spec.Pool = "gpu.nvidia.com", new("node-1"), resourcev1.ResourcePool{Name: "node-1", ResourceSliceCount: 1}
			s.Spec.Devices = []resourcev1.Device{{Name: "gpu-0", Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"type": {StringValue: new("gpu")}}}}
			list.Items = append(list.Items, s)
			return nil
		},
		"v1.37.2, and serves no ResourceSlices (resource.k8s.io/v1)": func(*resourcev1.ResourceSliceList) error {
			return &meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: "resource.k8s.io", Kind: "ResourceSlice"}}
		},
	} {
		c := ward(t, interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
			if slices, ok := l.(*resourcev1.ResourceSliceList); ok {
				return list(slices)
			}
			return c.List(ctx, l, opts...)
		}})
		if out, _ := rundoctor(t, versioned{c, "v1.37.2"}, "doctor"); !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("want %q in:\n%s", want, out)
		}
	}
}

// ward is a cluster with an operator, one node and a benchmark, that grants every right.
func ward(t *testing.T, funcs interceptor.Funcs) client.WithWatch {
	t.Helper()
	manager := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "assay-system", Name: "assay-manager"}}
	manager.Status.AvailableReplicas = 1
	manager.Spec.Template.Spec.Containers = []corev1.Container{{Name: "manager", Image: "manager:v1.2.3", Args: []string{"--runner-image=runner:1"}}}
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "assay-system", Name: doctor.LeaseName}}
	lease.Spec = coordinationv1.LeaseSpec{HolderIdentity: new("pod-1"), RenewTime: &metav1.MicroTime{Time: time.Now()}, LeaseDurationSeconds: new(int32(15))}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	alive := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: corev1.NamespaceNodeLease, Name: node.Name}, Spec: lease.Spec}
	objects := []client.Object{manager, lease, alive, node, &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "mine"}, Spec: v1alpha1.BenchmarkSpec{Image: "bench:1"}}}
	for name, level := range map[string]string{"assay-system": "restricted", "assay-benchmarks": "privileged"} {
		objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"pod-security.kubernetes.io/enforce": level}}})
	}
	manifests := &surveyor{Facts: &doctor.Facts{}}
	if err := manifests.known(); err != nil {
		t.Fatal(err)
	}
	for _, crd := range manifests.KnownCRDs {
		crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue}}
		objects = append(objects, &crd)
	}
	if funcs.Create == nil {
		funcs.Create = grant
	}
	return fake.NewClientBuilder().WithScheme(cluster.Scheme()).WithObjects(objects...).WithInterceptorFuncs(funcs).
		WithIndex(&coordinationv1.Lease{}, "metadata.name", func(o client.Object) []string { return []string{o.GetName()} }).Build()
}

// grant every right that is asked for.
func grant(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
	switch review := o.(type) {
	case *authorizationv1.SubjectAccessReview:
		review.Status.Allowed = true
	case *authorizationv1.SelfSubjectAccessReview:
		review.Status.Allowed = true
	default:
		return c.Create(ctx, o, opts...)
	}
	return nil
}

// told are the findings of a doctor's JSON, by check: the statuses.
func told(t *testing.T, out string) map[string]string {
	t.Helper()
	var document struct {
		Schema   string
		Findings []doctor.Finding
	}
	if err := json.Unmarshal([]byte(out), &document); err != nil || document.Schema != doctorSchema {
		t.Fatalf("%v in:\n%s", err, out)
	}
	all := map[string]string{}
	for _, f := range document.Findings {
		all[f.Check] += string(f.Status)
	}
	return all
}

func TestDoctorReadsACluster(t *testing.T) {
	out, err := rundoctor(t, ward(t, interceptor.Funcs{}), "doctor", "-o", "json")
	clitest.Fails(t, err, "exit code 1") // the policies are missing
	got := told(t, out)
	for _, check := range []string{"kinds", "operator", "leader", "operator-rights", "user-rights", "namespaces", "mpi-operator", "devices", "taints", "catalogue", "runs", "policies"} {
		if got[check] != "ok" {
			t.Errorf("%s: %q, want ok", check, got[check])
		}
	}
	if got["admission"] != "FAIL" || got["clock"] != "?" || got["images"] != "" {
		t.Errorf("admission %q, clock %q, images %q", got["admission"], got["clock"], got["images"])
	}
	out, _ = rundoctor(t, ward(t, interceptor.Funcs{}), "doctor")
	if !strings.Contains(out, "the leases of 1 node agree") {
		t.Errorf("the node's lease was not read:\n%s", out)
	}
	if !strings.HasPrefix(out, "STATUS   CHECK") || !strings.HasSuffix(out, " 1 failed, 1 could not be checked\n") {
		t.Errorf("the table is:\n%s", out)
	}
}

func TestDoctorReadsServiceMonitors(t *testing.T) {
	labels := map[string]string{"app": "assay"}
	out, _ := rundoctor(t, ward(t, interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, all client.ObjectList, opts ...client.ListOption) error {
		switch all := all.(type) {
		case *unstructured.UnstructuredList:
			all.Items = []unstructured.Unstructured{{Object: map[string]any{"metadata": map[string]any{"namespace": "monitoring", "name": "assay"},
				"spec": map[string]any{"selector": map[string]any{"matchLabels": map[string]any{"app": "assay"}}, "endpoints": []any{},
					"namespaceSelector": map[string]any{"matchNames": []any{"assay-system"}}}}}}
			return nil
		case *corev1.ServiceList:
			all.Items = []corev1.Service{{ObjectMeta: metav1.ObjectMeta{Name: "metrics", Labels: labels}, Spec: corev1.ServiceSpec{Selector: labels}}}
			return nil
		case *appsv1.DeploymentList:
			err := c.List(ctx, all, opts...)
			all.Items[0].Spec.Template.Labels = labels
			return err
		}
		return c.List(ctx, all, opts...)
	}}), "doctor")
	if want := "ServiceMonitor monitoring/assay selects the Service metrics"; !strings.Contains(out, want) {
		t.Errorf("got %s\nwant %s", out, want)
	}
}

// Who may see nothing is told so, and nothing is said to be broken.
func TestDoctorWithoutRights(t *testing.T) {
	refused := apierrors.NewForbidden(schema.GroupResource{Resource: "things"}, "", errors.New("no"))
	out, err := rundoctor(t, ward(t, interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error { return refused },
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return refused
		},
		Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error { return refused },
	}), "doctor", "-o", "json")
	clitest.Fails(t, err, "exit code 2")
	for check, status := range told(t, out) {
		if strings.Contains(status, "FAIL") || status == "ok" && check != "metrics" {
			t.Errorf("%s: %s", check, status)
		}
	}
}

func TestDoctorOfAClusterThatDoesNotAnswer(t *testing.T) {
	out, err := rundoctor(t, ward(t, interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			return clitest.ErrRefused
		},
	}), "doctor")
	clitest.Fails(t, err, "the API server does not answer, so nothing was checked: connection refused")
	if out != "" {
		t.Errorf("said %q", out)
	}
}

// pullers notes the test pods, and lets their images come or not.
type pullers struct {
	mu      sync.Mutex
	created map[string]*corev1.Pod
	deleted []string
}

func (p *pullers) funcs(status func(*corev1.Pod) corev1.ContainerState) interceptor.Funcs {
	p.created = map[string]*corev1.Pod{}
	return interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			pod, ok := o.(*corev1.Pod)
			if !ok {
				return grant(ctx, c, o, opts...)
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			pod.Name = strings.ReplaceAll(pod.Spec.Containers[0].Image, ":", "-")
			p.created[pod.Name] = pod.DeepCopy()
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: status(pod)}}
			return c.Create(ctx, o, opts...)
		},
		Delete: func(_ context.Context, _ client.WithWatch, o client.Object, _ ...client.DeleteOption) error {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.deleted = append(p.deleted, o.GetName())
			return nil
		},
	}
}

func TestDoctorPullsEveryImageAndCleansUp(t *testing.T) {
	var p pullers
	c := ward(t, p.funcs(func(pod *corev1.Pod) corev1.ContainerState {
		if pod.Spec.Containers[0].Image == "runner:1" {
			return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull", Message: "not \x1b[31mfound"}}
		}
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "RunContainerError"}}
	}))
	out, err := rundoctor(t, c, "doctor", "--pull", "--pull-timeout", "10ms")
	clitest.Fails(t, err, "exit code 1")
	if !strings.Contains(out, "image runner:1 could not be pulled on node node-1: ErrImagePull: not [31mfound\n") || strings.Contains(out, "image bench:1") {
		t.Errorf("said:\n%s", out)
	}
	slices.Sort(p.deleted)
	if len(p.created) != 2 || !slices.Equal(p.deleted, []string{"bench-1", "runner-1"}) {
		t.Errorf("created %d, deleted %v", len(p.created), p.deleted)
	}
	pod := p.created["bench-1"]
	if pod.Namespace != "default" || pod.Spec.NodeName != "node-1" || *pod.Spec.AutomountServiceAccountToken || pod.Spec.ActiveDeadlineSeconds == nil {
		t.Errorf("the pod is %+v", pod.Spec)
	}
}

func TestDoctorPullsOnNodesThatAreThere(t *testing.T) {
	_, err := rundoctor(t, ward(t, interceptor.Funcs{}), "doctor", "--pull", "--nodes", "node-9")
	clitest.Fails(t, err, `there is no Ready node "node-9" to pull images on: kubectl get nodes lists them`)
}
