package doctor

import (
	"cmp"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"

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

// located looks only where it is known where the operator is. What the manifests name may be somewhere else, and nothing follows from its absence.
func located(look func(f *Facts) findings) func(f *Facts) findings {
	return func(f *Facts) findings {
		if f.Deployments.Problem != "" {
			return one(Unknown, "could not tell where the operator is installed: see the check of the operator")
		}
		return look(f)
	}
}

// crds checks that each kind is there, served and stored in the version that this program knows, and established.
func crds(f *Facts) (found findings) {
	var missing []string
	for known := range list.Each(f.KnownCRDs) {
		at := slices.IndexFunc(f.CRDs.Value, func(c apiextensionsv1.CustomResourceDefinition) bool { return c.Name == known.Name })
		if at < 0 {
			missing = append(missing, known.Name)
			continue
		}
		found = append(found, crd(known, &f.CRDs.Value[at])...)
	}
	found.about(missing, Fail, "%d of %d CustomResourceDefinitions are missing, so the operator cannot "+
		"work: kubectl apply --server-side -k config/crd installs them: %s", len(missing), len(f.KnownCRDs))
	return found.or("all %d CustomResourceDefinitions are established, as this release has them", len(f.KnownCRDs))
}

func crd(known, is *apiextensionsv1.CustomResourceDefinition) findings {
	served := known.Spec.Versions[0]
	at := slices.IndexFunc(is.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == served.Name && v.Served })
	established := slices.ContainsFunc(is.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
	})
	switch {
	case at < 0:
		return one(Fail, "%s does not serve version %s: install the CRDs of this release, or use the kubectl assay of the release "+
			"that is installed", is.Name, served.Name)
	case !established:
		return one(Fail, "%[1]s is not established: kubectl describe crd %[1]s says why", is.Name)
	case slices.ContainsFunc(is.Status.StoredVersions, func(v string) bool { return v != served.Name }):
		return one(Warn, "%s has objects stored as %s, and this release stores %s: migrate them before a release drops the old version",
			is.Name, strings.Join(is.Status.StoredVersions, ", "), served.Name)
	case !equality.Semantic.DeepEqual(is.Spec.Versions[at].Schema, served.Schema):
		return one(Warn, "%s differs from that of this release, so fields may be dropped: apply the CRDs of the operator's release", is.Name)
	}
	return nil
}

// operator checks that its Deployment is there and available.
func operator(f *Facts) findings {
	in := f.installation()
	switch d := in.Deployment; {
	case d == nil:
		return one(Fail, "no Deployment of the operator is in this cluster, so nothing is measured: install it (docs/install.md#install)")
	case d.Spec.Replicas != nil && *d.Spec.Replicas == 0:
		return one(Fail, "Deployment %[1]s/%[2]s has 0 replicas: kubectl -n %[1]s scale deployment %[2]s --replicas=1", d.Namespace, d.Name)
	case d.Status.AvailableReplicas == 0:
		return one(Fail, "Deployment %[1]s/%[2]s has no available replica: kubectl -n %[1]s describe pods, and kubectl -n %[1]s logs "+
			"deployment/%[2]s", d.Namespace, d.Name)
	default:
		return one(OK, "Deployment %s/%s is available, %s", d.Namespace, d.Name, message.Several(d.Status.AvailableReplicas, "replica"))
	}
}

// leader checks that somebody leads, and renewed that lately.
func leader(f *Facts) findings {
	in := f.installation()
	switch l := f.Lease.Value; {
	case in.Deployment == nil:
		return nil // said by the check of the operator
	case f.Lease.Problem != "":
		return unread("Lease "+LeaseName, f.Lease.Problem)
	case l == nil || l.Holder == "":
		return one(Fail, "nobody holds the lease %s/%s, so no operator acts: see the check of the operator, and its log", in.Namespace, LeaseName)
	case l.stale():
		return one(Fail, "the lease %s/%s is held by %s, who renewed it %s ago: no operator acts; see the check of the operator, "+
			"and its log", l.Namespace, LeaseName, l.Holder, message.Duration(l.age()))
	default:
		return one(OK, "%s leads, and renewed its lease %s ago", l.Holder, message.Duration(l.age()))
	}
}
