// Package devicerules_test runs the controller of DeviceTaintRules against a real API server. The tests play the nodes, their DRA drivers, and whoever
// marks nodes.
package devicerules_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/controllers/devicerules"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/integration/apiserver"
)

const (
	patience  = time.Minute
	pollEvery = 10 * time.Millisecond
	driver    = "gpu.nvidia.com"
)

var (
	scheme = runtime.NewScheme()
	config *rest.Config
	api    client.Client
	// served: the API server has DeviceTaintRules.
	served bool
)

func TestMain(m *testing.M) { os.Exit(runWithAPIServer(m)) }

func runWithAPIServer(m *testing.M) int {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		fmt.Fprintln(os.Stderr, "not run: KUBEBUILDER_ASSETS names no etcd and kube-apiserver; use `make test-integration`")
		return 0
	}
	ctrl.SetLogger(logr.Discard())
	stop, err := start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer stop()
	return m.Run()
}

func start() (stop func(), err error) {
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	if config, stop, err = apiserver.Start(filepath.Join("..", "..", "..", "config", "crd", "bases")); err != nil {
		return nil, err
	}
	config.QPS = -1
	if api, err = client.New(config, client.Options{Scheme: scheme}); err == nil {
		served, err = controllers.ServesRules(api.RESTMapper())
	}
	if err != nil {
		stop()
	}
	return stop, err
}

// manage starts a leader. It stops with the test, or when the returned function is called. Events that it tells go to the channel.
func manage(t *testing.T, edit ...func(*devicerules.Reconciler)) (stop func(), told <-chan string) {
	t.Helper()
	if !served {
		t.Skip("the API server has no DeviceTaintRules: Kubernetes 1.37 and later do")
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme, Metrics: server.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Controller: ctrlconfig.Controller{SkipNameValidation: new(true)}, Cache: controllers.CacheOptions("assay-benchmarks")})
	must(t, err)
	recorder := events.NewFakeRecorder(1000)
	r := &devicerules.Reconciler{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Recorder: recorder,
		Devices: &controllers.Devices{Reader: mgr.GetClient(), Live: mgr.GetAPIReader(), Rules: true}}
	for _, edit := range edit {
		edit(r)
	}
	must(t, r.SetupWithManager(mgr))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	select { // a manager that is stopped while it starts may never return
	case <-mgr.Elected():
	case err := <-done:
		t.Fatalf("the manager did not start: %v", err)
	}
	stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the manager stopped: %v", err)
		}
		done <- nil
	}
	t.Cleanup(stop)
	return stop, recorder.Events
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newNode joins the cluster. It leaves with the test.
func newNode(t *testing.T, name string) *corev1.Node {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	must(t, api.Create(t.Context(), node))
	t.Cleanup(func() { _ = api.Delete(context.Background(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}) })
	return node
}

// ids are the UUIDs of GPUs.
func ids(prefix string, n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("GPU-%s-%d", prefix, i))
	}
	return all
}

// publish that a node has these GPUs, as gpu-0 and so on, in the pool of that name.
func publish(t *testing.T, node *corev1.Node, pool string, uuids ...string) {
	t.Helper()
	s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node.Name + "-" + pool}}
	is := s.DeepCopy()
	err := api.Get(t.Context(), client.ObjectKeyFromObject(is), is)
	s.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}}
	s.Spec = resourcev1.ResourceSliceSpec{Driver: driver, NodeName: &node.Name, Pool: resourcev1.ResourcePool{Name: pool, Generation: is.Spec.Pool.Generation + 1, ResourceSliceCount: 1}}
	for i, uuid := range uuids {
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: fmt.Sprintf("gpu-%d", i), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
			"type": {StringValue: new("gpu")}, "uuid": {StringValue: &uuid}}})
	}
	if err == nil {
		s.ResourceVersion = is.ResourceVersion
		must(t, api.Update(t.Context(), s))
		return
	}
	must(t, api.Create(t.Context(), s))
	t.Cleanup(func() { withdraw(node, pool) })
}

// withdraw what a node published.
func withdraw(node *corev1.Node, pool string) {
	_ = api.Delete(context.Background(), &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node.Name + "-" + pool}})
}

// mark a node: these devices of it are out of service; none: it has no mark any more.
func mark(t *testing.T, node *corev1.Node, quarantine string, devices ...string) {
	t.Helper()
	patch := node.DeepCopy()
	text := ""
	if len(devices) > 0 {
		text = taint.MarkOf(&v1alpha1.Quarantine{ID: types.UID("q-" + quarantine), Key: v1alpha1.DefaultTaintKey, Value: quarantine, Effect: corev1.TaintEffectNoSchedule, Devices: devices})
	}
	must(t, api.Get(t.Context(), client.ObjectKeyFromObject(node), patch))
	before := patch.DeepCopy()
	if text == "" {
		delete(patch.Annotations, v1alpha1.AnnotationQuarantine)
	} else {
		metav1.SetMetaDataAnnotation(&patch.ObjectMeta, v1alpha1.AnnotationQuarantine, text)
	}
	must(t, api.Patch(t.Context(), patch, client.MergeFrom(before)))
}

// ours are the rules that there are of Assay.
func ours(t *testing.T) []resourcev1.DeviceTaintRule {
	t.Helper()
	var list resourcev1.DeviceTaintRuleList
	must(t, api.List(t.Context(), &list, client.MatchingLabels{v1alpha1.LabelManagedBy: v1alpha1.ManagedByValue}))
	return list.Items
}

// rules are the same, as "pool/device value".
func rules(t *testing.T) (all []string) {
	t.Helper()
	for _, r := range ours(t) {
		all = append(all, said(&r))
	}
	slices.Sort(all)
	return all
}

func said(r *resourcev1.DeviceTaintRule) string {
	text := func(s *string) string {
		if s == nil {
			return "*"
		}
		return *s
	}
	s := r.Spec.DeviceSelector
	return text(s.Pool) + "/" + text(s.Device) + " " + r.Spec.Taint.Value
}

// ruled waits until these are all rules, and says how long that took.
func ruled(t *testing.T, when string, want ...string) time.Duration {
	t.Helper()
	slices.Sort(want)
	began := time.Now()
	see(t, func() string {
		if is := rules(t); !slices.Equal(is, want) {
			return fmt.Sprintf("%s: the rules are %v, want %v", when, is, want)
		}
		return ""
	})
	return time.Since(began)
}

// see waits until nothing is wrong any more.
func see(t *testing.T, wrong func() string) {
	t.Helper()
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for end := time.Now().Add(patience); ; <-ticker.C {
		text := wrong()
		if text == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after %s: %s", patience, text)
		}
	}
}

// stays makes sure that these are all rules for a while, in which a controller that wanted others would have written some.
func stays(t *testing.T, when string, want ...string) {
	t.Helper()
	slices.Sort(want)
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); <-ticker.C {
		if is := rules(t); !slices.Equal(is, want) {
			t.Fatalf("%s: the rules are %v, want %v", when, is, want)
		}
	}
}

// one rule of Assay.
func one(t *testing.T) *resourcev1.DeviceTaintRule {
	t.Helper()
	all := ours(t)
	if len(all) != 1 {
		t.Fatalf("there are %d rules, want one", len(all))
	}
	return &all[0]
}

func gone(t *testing.T, o client.Object) {
	t.Helper()
	must(t, client.IgnoreNotFound(api.Delete(t.Context(), o)))
	see(t, func() string {
		if err := api.Get(t.Context(), client.ObjectKeyFromObject(o), o); !apierrors.IsNotFound(err) {
			return fmt.Sprintf("%s is there: %v", o.GetName(), err)
		}
		return ""
	})
}

// hears waits for an event.
func hears(t *testing.T, told <-chan string, text string) {
	t.Helper()
	end := time.After(patience)
	for {
		select {
		case event := <-told:
			if strings.Contains(event, text) {
				return
			}
		case <-end:
			t.Fatalf("no event says %q", text)
		}
	}
}
