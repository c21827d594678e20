package controllers_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
)

// TestSecureMetrics: with the rights of assay-metrics-auth, and no more, the operator finds out who may read its metrics: those with
// the role assay-metrics-reader.
func TestSecureMetrics(t *testing.T) {
	l := newLab(t, 0)
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "config", "rbac", "metrics_roles.yaml"))
	l.must(err)
	var asks, reads rbacv1.ClusterRole
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	l.must(decoder.Decode(&asks))
	l.must(decoder.Decode(&reads))
	operator := rest.AnonymousClientConfig(config)
	operator.BearerToken = l.account("operator", asks.Rules...)
	reader := l.account("reader", reads.Rules...)
	stranger := l.account("stranger")

	l.authorized(l.name+"-reader", authorizationv1.SubjectAccessReviewSpec{NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: "/metrics", Verb: "get"}})
	for group, resource := range map[string]string{"authentication.k8s.io": "tokenreviews", "authorization.k8s.io": "subjectaccessreviews"} {
		l.authorized(l.name+"-operator", authorizationv1.SubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{Group: group, Resource: resource, Verb: "create"}})
	}

	httpClient, err := rest.HTTPClientFor(operator)
	l.must(err)
	filter, err := filters.WithAuthenticationAndAuthorization(operator, httpClient)
	l.must(err)
	metrics, err := filter(logr.Discard(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	l.must(err)
	for who, c := range map[string]struct {
		token string
		want  int
	}{
		"who may read them":    {reader, http.StatusOK},
		"who may not":          {stranger, http.StatusForbidden},
		"who is nobody at all": {"", http.StatusUnauthorized},
	} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
		if c.token != "" {
			request.Header.Set("Authorization", "Bearer "+c.token)
		}
		answer := httptest.NewRecorder()
		metrics.ServeHTTP(answer, request)
		if answer.Code != c.want {
			t.Errorf("%s gets %d, want %d: %s", who, answer.Code, c.want, answer.Body)
		}
	}
}

// authorized waits until the API server knows of a service account's right: it learns of new roles by watching, and remembers its noes.
func (l *lab) authorized(account string, spec authorizationv1.SubjectAccessReviewSpec) {
	l.t.Helper()
	spec.User = "system:serviceaccount:" + namespace + ":" + account
	spec.Groups = []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"}
	l.see(account+" may", func() bool {
		review := &authorizationv1.SubjectAccessReview{Spec: spec}
		l.must(api.Create(l.t.Context(), review))
		return review.Status.Allowed
	})
}

// account makes a service account with these rights and returns a token of it.
func (l *lab) account(suffix string, rules ...rbacv1.PolicyRule) string {
	l.t.Helper()
	meta := metav1.ObjectMeta{Name: l.name + "-" + suffix}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: meta.Name, Namespace: namespace}}
	l.create(account)
	l.create(&rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules})
	l.create(&rbacv1.ClusterRoleBinding{ObjectMeta: meta,
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: meta.Name, Namespace: namespace}}})
	token := &authenticationv1.TokenRequest{}
	l.must(api.SubResource("token").Create(l.t.Context(), account, token))
	return token.Status.Token
}
