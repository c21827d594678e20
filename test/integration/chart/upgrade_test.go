package chart_test

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const (
	release   = "site"
	namespace = "gpu-validation"
	operator  = "system:serviceaccount:" + namespace + ":site-assay-manager"
)

// TestUpgrade: the chart installs into an empty cluster, its policies act under the release's own names, and an upgrade takes what it
// changes, makes the catalogue anew and leaves runs alone.
func TestUpgrade(t *testing.T) {
	upgrade(t, release, namespace, "benchmarks.namespace=bench")
	if hooks := strings.Count(run(t, "get", "hooks", release, "--namespace", namespace), "# Source: "); hooks != 1 {
		t.Errorf("%d hooks, want one: Helm stores the whole release before and after each", hooks)
	}
	installed := catalogue(t)
	for _, name := range []string{"stream", "mpibench", "gemm"} {
		if installed[name] == "" {
			t.Errorf("Benchmark %s of the catalogue is not installed: %v", name, installed)
		}
	}
	kept := newRun(v1alpha1.Taint{})
	if err := api.Create(t.Context(), kept); err != nil {
		t.Fatal(err)
	}
	refuses(t, "site-assay-benchmark-pods", "mpi-operator", newPod())
	refuses(t, "site-assay-quarantine", "alice", newRun(v1alpha1.Taint{Key: "site/unfit"}))
	if err := as(t, operator).Create(t.Context(), newPod(), client.DryRunAll); err != nil {
		t.Errorf("the operator may make no pod: %v", err)
	}
	for resource, group := range map[string]string{"tokenreviews": "authentication.k8s.io", "subjectaccessreviews": "authorization.k8s.io"} {
		if !allowed(t, authorizationv1.ResourceAttributes{Group: group, Resource: resource, Verb: "create"}) {
			t.Errorf("the operator may not create %s, so nobody reads its metrics", resource)
		}
	}

	upgrade(t, release, namespace, "benchmarks.namespace=bench", "quarantine.allowedTaintKeys={site/unfit}", "admissionPolicies.mpiOperators={mpi-operator}")
	accepts(t, "mpi-operator", newPod())
	accepts(t, "alice", newRun(v1alpha1.Taint{Key: "site/unfit"}))
	refuses(t, "site-assay-quarantine", "alice", newRun(v1alpha1.Taint{Key: "other/unfit"}))
	upgraded := catalogue(t)
	for name, uid := range installed {
		if upgraded[name] == "" || upgraded[name] == uid {
			t.Errorf("Benchmark %s was %s and is %q after the upgrade, want it made anew", name, uid, upgraded[name])
		}
	}
	if len(upgraded) != len(installed) {
		t.Errorf("%d Benchmarks after the upgrade, %d before", len(upgraded), len(installed))
	}
	after := &v1alpha1.ValidationRun{}
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(kept), after); err != nil || after.UID != kept.UID {
		t.Errorf("the run that was there before the upgrade: %v, UID %s, was %s", err, after.UID, kept.UID)
	}
}

// catalogue is the UIDs of all Benchmarks by name.
func catalogue(t *testing.T) map[string]types.UID {
	t.Helper()
	var list v1alpha1.BenchmarkList
	if err := api.List(t.Context(), &list); err != nil {
		t.Fatal(err)
	}
	return maps.Collect(func(yield func(string, types.UID) bool) {
		for _, b := range list.Items {
			if !yield(b.Name, b.UID) {
				return
			}
		}
	})
}

func newPod() *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "p-", Namespace: "bench"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
}

func newRun(taint v1alpha1.Taint) *v1alpha1.ValidationRun {
	return &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{GenerateName: "run-"},
		Spec: v1alpha1.ValidationRunSpec{NodeNames: []string{"n"}, Suite: "quick", OnFailure: &v1alpha1.OnFailure{Taint: &taint}}}
}

// as is the API for one user, whom only a policy stops; the operator has the rights of its service account.
func as(t *testing.T, user string) client.Client {
	t.Helper()
	c := rest.CopyConfig(config)
	c.Impersonate.UserName, c.Impersonate.Groups = user, []string{"system:masters"}
	if user == operator {
		c.Impersonate.Groups = []string{"system:serviceaccounts", "system:authenticated"}
	}
	out, err := client.New(c, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// refuses waits until a policy refuses what a user creates: it acts a moment after it was written.
func refuses(t *testing.T, policy, user string, o client.Object) {
	t.Helper()
	creates(t, user, o, "want policy "+policy+" to refuse it", func(err error) bool {
		return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "ValidatingAdmissionPolicy '"+policy+"'")
	})
}

func accepts(t *testing.T, user string, o client.Object) {
	t.Helper()
	creates(t, user, o, "want it accepted", func(err error) bool { return err == nil })
}

func creates(t *testing.T, user string, o client.Object, want string, is func(error) bool) {
	t.Helper()
	c, last := as(t, user), error(nil)
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		last = c.Create(ctx, o.DeepCopyObject().(client.Object), client.DryRunAll)
		return is(last), nil
	})
	if err != nil {
		t.Errorf("%s creates a %T: %v, %s", user, o, last, want)
	}
}

func allowed(t *testing.T, what authorizationv1.ResourceAttributes) bool {
	t.Helper()
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: operator, ResourceAttributes: &what}}
	if err := api.Create(t.Context(), review); err != nil {
		t.Fatal(err)
	}
	return review.Status.Allowed
}
