package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	utilversion "k8s.io/apimachinery/pkg/util/version"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// Where the manifests of this project install the operator. Its Deployment says otherwise where it was installed otherwise.
const (
	defaultNamespace  = "assay-system"
	defaultBenchmarks = "assay-benchmarks"
	defaultPrefix     = "assay"
	// LeaseName of the operator's leader.
	LeaseName = "manager.assay.dev"
	// MPILeaseName of an MPI Operator's leader.
	MPILeaseName = "mpi-operator"
	// securityLabel says which pods a namespace admits.
	securityLabel = "pod-security.kubernetes.io/enforce"
)

// Installation is where the operator is, and as whom it acts.
type Installation struct {
	Namespace, Benchmarks, Prefix, ServiceAccount, RunnerImage string
	Deployment                                                 *appsv1.Deployment
}

// InstallationOf reads it from the Deployment of the operator; without one, everything is as the manifests have it.
func InstallationOf(deployments []appsv1.Deployment) Installation {
	in := Installation{defaultNamespace, defaultBenchmarks, defaultPrefix, defaultPrefix + "-manager", "", nil}
	for d := range list.Each(deployments) {
		container := managerOf(d)
		if container == nil {
			continue
		}
		in.Deployment, in.Namespace = d, d.Namespace
		in.ServiceAccount = cmp.Or(d.Spec.Template.Spec.ServiceAccountName, "default")
		in.Prefix = strings.TrimSuffix(d.Name, "-manager")
		for _, arg := range container.Args {
			if value, ok := strings.CutPrefix(arg, "--benchmark-namespace="); ok {
				in.Benchmarks = value
			}
			if value, ok := strings.CutPrefix(arg, "--runner-image="); ok {
				in.RunnerImage = value
			}
		}
		return in
	}
	return in
}

// managerOf is the container of the operator: it is told where its benchmarks run.
func managerOf(d *appsv1.Deployment) *corev1.Container {
	for c := range list.Each(d.Spec.Template.Spec.Containers) {
		if slices.ContainsFunc(c.Args, func(a string) bool { return strings.HasPrefix(a, "--runner-image=") }) {
			return c
		}
	}
	return nil
}

func (f *Facts) installation() Installation { return InstallationOf(f.Deployments.Value) }

// unlocated says that nobody knows where the operator is. What the manifests name may be somewhere else then, and nothing follows from its absence.
func (f *Facts) unlocated() []Finding {
	if f.Deployments.Problem == "" {
		return nil
	}
	return one(Unknown, "could not tell where the operator is installed: see the check of the operator")
}

// crds checks that each kind is there, served and stored in the version that this program knows, and established.
func crds(f *Facts) []Finding {
	if f.CRDs.Problem != "" {
		return one(Unknown, doctorUnread("CustomResourceDefinitions", f.CRDs.Problem))
	}
	var found []Finding
	var missing []string
	for known := range list.Each(f.KnownCRDs) {
		at := slices.IndexFunc(f.CRDs.Value, func(c apiextensionsv1.CustomResourceDefinition) bool { return c.Name == known.Name })
		if at < 0 {
			missing = append(missing, known.Name)
			continue
		}
		found = append(found, crd(known, &f.CRDs.Value[at])...)
	}
	if len(missing) > 0 {
		found = append(found, Finding{Status: Fail, Message: fmt.Sprintf("%d of %d CustomResourceDefinitions are missing, so the operator cannot "+
			"work: kubectl apply --server-side -k config/crd installs them: %s", len(missing), len(f.KnownCRDs), message.Names(missing))})
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, fmt.Sprintf("all %d CustomResourceDefinitions are established, as this release has them", len(f.KnownCRDs)))
}

func crd(known, is *apiextensionsv1.CustomResourceDefinition) []Finding {
	served := known.Spec.Versions[0]
	at := slices.IndexFunc(is.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == served.Name && v.Served })
	established := slices.ContainsFunc(is.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
	})
	switch {
	case at < 0:
		return one(Fail, fmt.Sprintf("%s does not serve version %s: install the CRDs of this release, or use the kubectl assay of the release "+
			"that is installed", is.Name, served.Name))
	case !established:
		return one(Fail, fmt.Sprintf("%[1]s is not established: kubectl describe crd %[1]s says why", is.Name))
	case slices.ContainsFunc(is.Status.StoredVersions, func(v string) bool { return v != served.Name }):
		return one(Warn, fmt.Sprintf("%s has objects stored as %s, and this release stores %s: migrate them before a release drops the old version",
			is.Name, strings.Join(is.Status.StoredVersions, ", "), served.Name))
	case !equality.Semantic.DeepEqual(is.Spec.Versions[at].Schema, served.Schema):
		return one(Warn, fmt.Sprintf("%s differs from that of this release, so fields may be dropped: apply the CRDs of the operator's release", is.Name))
	}
	return nil
}

// operator checks that its Deployment is there and available.
func operator(f *Facts) []Finding {
	if f.Deployments.Problem != "" {
		return one(Unknown, doctorUnread("Deployments", f.Deployments.Problem))
	}
	in := f.installation()
	switch d := in.Deployment; {
	case d == nil:
		return one(Fail, "no Deployment of the operator is in this cluster, so nothing is measured: install it (docs/install.md#install)")
	case d.Spec.Replicas != nil && *d.Spec.Replicas == 0:
		return one(Fail, fmt.Sprintf("Deployment %[1]s/%[2]s has 0 replicas: kubectl -n %[1]s scale deployment %[2]s --replicas=1", d.Namespace, d.Name))
	case d.Status.AvailableReplicas == 0:
		return one(Fail, fmt.Sprintf("Deployment %[1]s/%[2]s has no available replica: kubectl -n %[1]s describe pods, and kubectl -n %[1]s logs "+
			"deployment/%[2]s", d.Namespace, d.Name))
	default:
		return one(OK, fmt.Sprintf("Deployment %s/%s is available, %s", d.Namespace, d.Name, message.Several(d.Status.AvailableReplicas, "replica")))
	}
}

// versionSkew between two releases; known is false where one of them is none.
func versionSkew(mine, theirs string) (skew, known bool) {
	a, errA := utilversion.ParseSemantic(mine)
	b, errB := utilversion.ParseSemantic(theirs)
	if errA != nil || errB != nil {
		return false, false
	}
	return a.Major() != b.Major() || a.Minor() != b.Minor(), true
}

// leader checks that somebody leads, and renewed that lately.
func leader(f *Facts) []Finding {
	if unknown := f.unlocated(); unknown != nil {
		return unknown
	}
	in := f.installation()
	switch l := f.Lease.Value; {
	case in.Deployment == nil:
		return nil // said by the check of the operator
	case f.Lease.Problem != "":
		return one(Unknown, doctorUnread("Lease "+LeaseName, f.Lease.Problem))
	case l == nil || l.Holder == "":
		return one(Fail,
			fmt.Sprintf("nobody holds the lease %s/%s, so no operator acts: see the check of the operator, and its log", in.Namespace, LeaseName))
	case l.stale():
		return one(Fail, fmt.Sprintf("the lease %s/%s is held by %s, who renewed it %s ago: no operator acts; see the check of the operator, "+
			"and its log", l.Namespace, LeaseName, l.Holder, message.Duration(l.age())))
	default:
		return one(OK, fmt.Sprintf("%s leads, and renewed its lease %s ago", l.Holder, message.Duration(l.age())))
	}
}

// operatorRights checks that it may do what its roles say.
func operatorRights(f *Facts) []Finding {
	if unknown := f.unlocated(); unknown != nil {
		return unknown
	}
	if f.installation().Deployment == nil {
		return nil // said by the check of the operator
	}
	return rights(Fail, f.OperatorRights, doctorOperatorLacks, doctorOperatorRights)
}

// userRights are those of whoever asks. What is missing keeps nothing from working.
func userRights(f *Facts) []Finding {
	return rights(Warn, f.UserRights, doctorUserLacks, doctorUserRights)
}

func rights(lacking Status, asked Seen[[]Right], lacks func(rights []string, namespace string) string, all func(count int) string) []Finding {
	if asked.Problem != "" {
		return one(Unknown, doctorUnread("rights", asked.Problem))
	}
	missing := map[string][]string{}
	for _, r := range asked.Value {
		if !r.Allowed {
			missing[r.Namespace] = append(missing[r.Namespace], r.Verb+" "+r.Resource)
		}
	}
	if len(missing) == 0 {
		return one(OK, all(len(asked.Value)))
	}
	var found []Finding
	for _, namespace := range slices.Sorted(maps.Keys(missing)) {
		found = append(found, Finding{Status: lacking, Message: lacks(missing[namespace], namespace)})
	}
	return found
}

// namespaces admit the pods that are to run there.
func namespaces(f *Facts) []Finding {
	if unknown := f.unlocated(); unknown != nil {
		return unknown
	}
	in := f.installation()
	var found []Finding
	bench, system := f.Namespaces[in.Benchmarks], f.Namespaces[in.Namespace]
	switch level := bench.Value[securityLabel]; {
	case bench.Problem != "":
		found = append(found, Finding{Status: Unknown, Message: doctorUnread("namespace "+in.Benchmarks, bench.Problem)})
	case bench.Value == nil:
		found = append(found, Finding{Status: Fail, Message: doctorNoNamespace(in.Benchmarks)})
	case level != "privileged":
		found = append(found, Finding{Status: Fail, Message: fmt.Sprintf("namespace %[1]s has %[2]s=%[3]s, which may refuse benchmark pods: "+
			"kubectl label namespace %[1]s %[2]s=privileged --overwrite", in.Benchmarks, securityLabel, orNothing(level))})
	}
	switch level := system.Value[securityLabel]; {
	case system.Problem != "":
		found = append(found, Finding{Status: Unknown, Message: doctorUnread("namespace "+in.Namespace, system.Problem)})
	case system.Value == nil:
		found = append(found, Finding{Status: Fail, Message: doctorNoNamespace(in.Namespace)})
	case level != "restricted":
		found = append(found, Finding{Status: Warn, Message: fmt.Sprintf("namespace %[1]s has %[2]s=%[3]s, more than the operator needs: kubectl "+
			"label namespace %[1]s %[2]s=restricted --overwrite", in.Namespace, securityLabel, orNothing(level))})
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, fmt.Sprintf("%s admits privileged pods, %s restricted ones only", in.Benchmarks, in.Namespace))
}

// admission checks that the API server enforces every policy.
func admission(f *Facts) []Finding {
	for _, problem := range []string{f.Policies.Problem, f.Bindings.Problem} {
		if problem != "" {
			return one(Unknown, doctorUnread("ValidatingAdmissionPolicies", problem))
		}
	}
	if unknown := f.unlocated(); unknown != nil {
		return unknown
	}
	prefix := f.installation().Prefix
	var found []Finding
	var missing, unbound []string
	for _, known := range f.KnownPolicies {
		name := prefix + "-" + known
		there := slices.ContainsFunc(f.Policies.Value, func(p admissionv1.ValidatingAdmissionPolicy) bool { return p.Name == name })
		bound := slices.ContainsFunc(f.Bindings.Value, func(b admissionv1.ValidatingAdmissionPolicyBinding) bool {
			return b.Spec.PolicyName == name && slices.Contains(b.Spec.ValidationActions, admissionv1.Deny)
		})
		if !there {
			missing = append(missing, name)
		} else if !bound {
			unbound = append(unbound, name)
		}
	}
	if len(missing) > 0 {
		found = append(found, Finding{Status: Fail, Message: fmt.Sprintf("missing, so the API server lets through what it should refuse "+
			"(docs/threat-model.md): apply config/admission, or set admissionPolicies.enabled in the chart: %s", message.Names(missing))})
	}
	if len(unbound) > 0 {
		found = append(found, Finding{Status: Fail, Message: fmt.Sprintf("no binding makes them deny, so they refuse nothing: apply "+
			"config/admission, or helm upgrade: %s", message.Names(unbound))})
	}
	for p := range list.Each(f.Policies.Value) {
		if c := p.Status.TypeChecking; c != nil && len(c.ExpressionWarnings) > 0 && strings.HasPrefix(p.Name, prefix+"-") {
			found = append(found, Finding{Status: Warn, Message: message.Because(fmt.Sprintf("the API server warns about "+
				"ValidatingAdmissionPolicy %s", p.Name), c.ExpressionWarnings[0].Warning)})
		}
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, fmt.Sprintf("all %d ValidatingAdmissionPolicies are bound, and deny", len(f.KnownPolicies)))
}
