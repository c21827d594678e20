package doctor

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// operatorRights checks that it may do what its roles say.
func operatorRights(f *Facts) findings {
	if f.installation().Deployment == nil {
		return nil // said by the check of the operator
	}
	return rights(Fail, f.OperatorRights, "the operator may not %s%s: apply config/rbac of its release, or helm upgrade",
		"the operator may do all that its roles say, %s")
}

// userRights are those of whoever asks. What is missing keeps nothing from working.
func userRights(f *Facts) findings {
	return rights(Warn, f.UserRights, "you may not %s%s: ask for the ClusterRole assay-viewer to look, or assay-editor to start runs",
		"you may see everything and start runs, %s")
}

func rights(lacking Status, asked Seen[[]Right], lacks, all string) findings {
	if asked.Problem != "" {
		return unread("rights", asked.Problem)
	}
	missing := map[string][]string{}
	for _, r := range asked.Value {
		if !r.Allowed {
			missing[r.Namespace] = append(missing[r.Namespace], r.Verb+" "+r.Resource)
		}
	}
	var found findings
	for _, namespace := range slices.Sorted(maps.Keys(missing)) {
		found.add(lacking, lacks, message.Names(missing[namespace]), message.With("", " in namespace ", namespace))
	}
	return found.or(all, message.Several(len(asked.Value), "right"))
}

// namespaces admit the pods that are to run there.
func namespaces(f *Facts) findings {
	in := f.installation()
	var found findings
	for _, n := range []struct {
		name, level string
		otherwise   Status
		because     string
	}{{in.Benchmarks, "privileged", Fail, "which may refuse benchmark pods"}, {in.Namespace, "restricted", Warn, "more than the operator needs"}} {
		switch is := f.Namespaces[n.name]; {
		case is.Problem != "":
			found = append(found, unread("namespace "+n.name, is.Problem)...)
		case is.Value == nil:
			found.add(Fail, "there is no namespace %s: apply config/namespaces, or helm upgrade", n.name)
		case is.Value[securityLabel] != n.level:
			found.add(n.otherwise, "namespace %[1]s has %[2]s=%[3]s, %[4]s: kubectl label namespace %[1]s %[2]s=%[5]s --overwrite", n.name, securityLabel,
				cmp.Or(is.Value[securityLabel], "(not set)"), n.because, n.level)
		}
	}
	return found.or("%s admits privileged pods, %s restricted ones only", in.Benchmarks, in.Namespace)
}

// admission checks that the API server enforces every policy.
func admission(f *Facts) findings {
	prefix := f.installation().Prefix
	var found findings
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
	found.about(missing, Fail, "missing, so the API server lets through what it should refuse "+
		"(docs/threat-model.md): apply config/admission, or set admissionPolicies.enabled in the chart: %s")
	found.about(unbound, Fail, "no binding makes them deny, so they refuse nothing: apply config/admission, or helm upgrade: %s")
	for p := range list.Each(f.Policies.Value) {
		if c := p.Status.TypeChecking; c != nil && len(c.ExpressionWarnings) > 0 && strings.HasPrefix(p.Name, prefix+"-") {
			found.add(Warn, "%s", message.Because("the API server warns about ValidatingAdmissionPolicy "+p.Name, c.ExpressionWarnings[0].Warning))
		}
	}
	return found.or("all %d ValidatingAdmissionPolicies are bound, and deny", len(f.KnownPolicies))
}
