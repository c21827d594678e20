package doctor

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	utilversion "k8s.io/apimachinery/pkg/util/version"

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
	for i := range deployments {
		d := &deployments[i]
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
	for i := range d.Spec.Template.Spec.Containers {
		c := &d.Spec.Template.Spec.Containers[i]
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
	return one(Unknown, message.DoctorUnlocated())
}

// crds checks that each kind is there, served and stored in the version that this program knows, and established.
func crds(f *Facts) []Finding {
	if f.CRDs.Problem != "" {
		return one(Unknown, message.DoctorUnread("CustomResourceDefinitions", f.CRDs.Problem))
	}
	var found []Finding
	var missing []string
	for i := range f.KnownCRDs {
		known := &f.KnownCRDs[i]
		at := slices.IndexFunc(f.CRDs.Value, func(c apiextensionsv1.CustomResourceDefinition) bool { return c.Name == known.Name })
		if at < 0 {
			missing = append(missing, known.Name)
			continue
		}
		found = append(found, crd(known, &f.CRDs.Value[at])...)
	}
	if len(missing) > 0 {
		found = append(found, Finding{Status: Fail, Message: message.DoctorKindsMissing(missing, len(f.KnownCRDs))})
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, message.DoctorKinds(len(f.KnownCRDs)))
}

func crd(known, is *apiextensionsv1.CustomResourceDefinition) []Finding {
	served := known.Spec.Versions[0]
	at := slices.IndexFunc(is.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == served.Name && v.Served })
	established := slices.ContainsFunc(is.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
	})
	switch {
	case at < 0:
		return one(Fail, message.DoctorVersionNotServed(is.Name, served.Name))
	case !established:
		return one(Fail, message.DoctorNotEstablished(is.Name))
	case slices.ContainsFunc(is.Status.StoredVersions, func(v string) bool { return v != served.Name }):
		return one(Warn, message.DoctorStoredVersions(is.Name, is.Status.StoredVersions, served.Name))
	case !equality.Semantic.DeepEqual(is.Spec.Versions[at].Schema, served.Schema):
		return one(Warn, message.DoctorOtherSchema(is.Name))
	}
	return nil
}

// operator checks that its Deployment is there and available.
func operator(f *Facts) []Finding {
	if f.Deployments.Problem != "" {
		return one(Unknown, message.DoctorUnread("Deployments", f.Deployments.Problem))
	}
	in := f.installation()
	switch d := in.Deployment; {
	case d == nil:
		return one(Fail, message.DoctorNoOperator())
	case d.Spec.Replicas != nil && *d.Spec.Replicas == 0:
		return one(Fail, message.DoctorScaledToZero(d.Namespace, d.Name))
	case d.Status.AvailableReplicas == 0:
		return one(Fail, message.DoctorNotAvailable(d.Namespace, d.Name))
	default:
		return one(OK, message.DoctorOperator(d.Namespace, d.Name, d.Status.AvailableReplicas))
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
		return one(Unknown, message.DoctorUnread("Lease "+LeaseName, f.Lease.Problem))
	case l == nil || l.Holder == "":
		return one(Fail, message.DoctorNoLeader(in.Namespace, LeaseName))
	case l.stale():
		return one(Fail, message.DoctorStaleLease(l.Namespace, LeaseName, l.Holder, l.age()))
	default:
		return one(OK, message.DoctorLeader(l.Holder, l.age()))
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
	return rights(Fail, f.OperatorRights, message.DoctorOperatorLacks, message.DoctorOperatorRights)
}

// userRights are those of whoever asks. What is missing keeps nothing from working.
func userRights(f *Facts) []Finding {
	return rights(Warn, f.UserRights, message.DoctorUserLacks, message.DoctorUserRights)
}

func rights(lacking Status, asked Seen[[]Right], lacks func(rights []string, namespace string) string, all func(count int) string) []Finding {
	if asked.Problem != "" {
		return one(Unknown, message.DoctorUnread("rights", asked.Problem))
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
		found = append(found, Finding{Status: Unknown, Message: message.DoctorUnread("namespace "+in.Benchmarks, bench.Problem)})
	case bench.Value == nil:
		found = append(found, Finding{Status: Fail, Message: message.DoctorNoNamespace(in.Benchmarks)})
	case level != "privileged":
		found = append(found, Finding{Status: Fail, Message: message.DoctorNotPrivileged(in.Benchmarks, securityLabel, level)})
	}
	switch level := system.Value[securityLabel]; {
	case system.Problem != "":
		found = append(found, Finding{Status: Unknown, Message: message.DoctorUnread("namespace "+in.Namespace, system.Problem)})
	case system.Value == nil:
		found = append(found, Finding{Status: Fail, Message: message.DoctorNoNamespace(in.Namespace)})
	case level != "restricted":
		found = append(found, Finding{Status: Warn, Message: message.DoctorNotRestricted(in.Namespace, securityLabel, level)})
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, message.DoctorNamespaces(in.Benchmarks, in.Namespace))
}

// admission checks that the API server enforces every policy.
func admission(f *Facts) []Finding {
	for _, problem := range []string{f.Policies.Problem, f.Bindings.Problem} {
		if problem != "" {
			return one(Unknown, message.DoctorUnread("ValidatingAdmissionPolicies", problem))
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
		found = append(found, Finding{Status: Fail, Message: message.DoctorPoliciesMissing(missing)})
	}
	if len(unbound) > 0 {
		found = append(found, Finding{Status: Fail, Message: message.DoctorPoliciesUnbound(unbound)})
	}
	for i := range f.Policies.Value {
		p := &f.Policies.Value[i]
		if c := p.Status.TypeChecking; c != nil && len(c.ExpressionWarnings) > 0 && strings.HasPrefix(p.Name, prefix+"-") {
			found = append(found, Finding{Status: Warn, Message: message.DoctorPolicyWarns(p.Name, c.ExpressionWarnings[0].Warning)})
		}
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, message.DoctorAdmission(len(f.KnownPolicies)))
}
