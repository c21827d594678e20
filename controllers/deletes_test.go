package controllers

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// podServer answers deletions of pods: of "new" with a conflict, of any other but "gone" with what nobody can decode.
func podServer(asked *metav1.DeleteOptions) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewDecoder(r.Body).Decode(asked)
		name, refused := r.URL.Path[len("/api/v1/namespaces/n/pods/"):], map[string]*apierrors.StatusError{
			"gone": apierrors.NewNotFound(corev1.Resource("pods"), "gone"), "new": apierrors.NewConflict(corev1.Resource("pods"), "new", nil)}
		if e := refused[name]; e != nil {
			w.WriteHeader(int(e.ErrStatus.Code))
			e.ErrStatus.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
			_ = json.NewEncoder(w).Encode(e.ErrStatus)
			return
		}
		_, _ = w.Write([]byte("{"))
	})
}

// TestDeletedPodsAreNotRead: the answer is for nobody, and what it is refused for is told as ever.
func TestDeletedPodsAreNotRead(t *testing.T) {
	var asked metav1.DeleteOptions
	server := httptest.NewServer(podServer(&asked))
	defer server.Close()
	c, err := WithPodDeletes(nil, &rest.Config{Host: server.URL}, server.Client())
	if err != nil {
		t.Fatal(err)
	}
	uid, version := types.UID("u"), "7"
	for name, want := range map[string]metav1.StatusReason{"p": "", "gone": metav1.StatusReasonNotFound, "new": metav1.StatusReasonConflict} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name}}
		err := c.Delete(t.Context(), pod, client.Preconditions{UID: &uid, ResourceVersion: &version}, client.GracePeriodSeconds(0))
		if got := apierrors.ReasonForError(err); got != want || want == "" && err != nil {
			t.Errorf("pod %s: %v, want %q", name, err, want)
		}
		p := asked.Preconditions
		if p == nil || *p.UID != uid || *p.ResourceVersion != version || asked.GracePeriodSeconds == nil || *asked.GracePeriodSeconds != 0 {
			t.Errorf("pod %s: deleted as %+v", name, asked)
		}
	}
}

// BenchmarkDeletePod is what a deletion costs, with a server that answers with the pod; half of it is the server's.
func BenchmarkDeletePod(b *testing.B) {
	message := strings.Repeat("x", 1000)
	answer, err := json.Marshal(&corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}, ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "p"},
		Spec: corev1.PodSpec{Containers: make([]corev1.Container, 3)}, Status: corev1.PodStatus{Message: message, ContainerStatuses: make([]corev1.ContainerStatus, 3)}})
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	}))
	defer server.Close()
	config := &rest.Config{Host: server.URL, QPS: -1}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Pod"), meta.RESTScopeNamespace)
	reads, err := client.New(config, client.Options{HTTPClient: server.Client(), Mapper: mapper})
	if err != nil {
		b.Fatal(err)
	}
	unread, err := WithPodDeletes(nil, config, server.Client())
	if err != nil {
		b.Fatal(err)
	}
	for name, c := range map[string]client.Client{"read": reads, "unread": unread} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Delete(b.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "p"}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
