package doctor

import (
	"slices"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// outOfService: single devices that are, get no work. What may get some all the same fails, and what costs a device that is fine, or one that is away, warns.
func outOfService(f *Facts) findings {
	out := list.Those(f.Rules.Value, func(r *Rules) bool { return len(r.Devices) > 0 })
	switch {
	case f.NoRules:
		return withoutRules(f, out)
	case len(out) > 0 && f.Rules.Problem != "": // else nobody needs to read them
		return unread("DeviceTaintRules", f.Rules.Problem)
	case len(out) > 0 && f.SlicesProblem != "":
		return unread("ResourceSlices", f.SlicesProblem)
	}
	var found findings
	devices := 0
	for r := range list.Each(f.Rules.Value) {
		devices += len(r.Devices)
		found = append(found, kept(r)...)
	}
	if devices == 0 {
		return found.or("no single device is out of service")
	}
	return found.or("%s out of service on %s, with their DeviceTaintRules", message.Several(devices, "device"), message.Several(len(out), "node"))
}

// kept says what does not keep work from the devices of a node that are out of service, and what keeps it from others.
func kept(r *Rules) (found findings) {
	if r.Plugin && len(r.Devices) > 0 {
		found.add(Fail, "a device plugin hands out the devices of node %s, too, and no taint keeps it from those out of service (%s): stop it there, or "+
			"taint the node as a whole", r.Node, message.Names(r.Devices))
	}
	for _, problem := range r.Plan.Problems {
		found.add(Fail, "node %s: %s", r.Node, problem)
	}
	for _, doubt := range r.Plan.Doubts {
		found.add(Warn, "node %s: %s", r.Node, doubt)
	}
	unwritten := func(rules []*resourcev1.DeviceTaintRule, without string) {
		devices := list.Map(rules, func(r *resourcev1.DeviceTaintRule) string { return r.Annotations[v1alpha1.AnnotationDevice] })
		slices.Sort(devices)
		devices = slices.Compact(devices)
		found.about(devices, Fail, "%s out of service on node %s without %s (%s), so pods may get what is convicted: the operator writes it within "+
			"seconds; if it does not, see its log and the node's events (DeviceRuleFailed)", message.Several(len(devices), "device"), r.Node, without)
	}
	unwritten(r.Plan.Create, "a DeviceTaintRule")
	unwritten(r.Plan.Update, "the DeviceTaintRule as it should be")
	left := list.Map(r.Plan.Delete, func(d *resourcev1.DeviceTaintRule) string { return d.Name })
	found.about(left, Warn, "%s on node %s for devices that are not out of service (%s), so these get no work: the operator deletes them within seconds; "+
		"if it does not, see its log", message.Several(len(left), "DeviceTaintRule"), r.Node)
	found.about(r.Unpublished, Warn, "%s out of service on node %[2]s, and in none of its ResourceSlices (%[3]s): if replaced, measure the node again "+
		"(kubectl assay run --again %[2]s), or else look into the log of its DRA driver", message.Several(len(r.Unpublished), "device"), r.Node)
	return found
}

const served = "DeviceTaintRules (resource.k8s.io/v1), as Kubernetes does from 1.37 on"

// withoutRules says what follows where the API server has no rules for devices.
func withoutRules(f *Facts, out []*Rules) findings {
	if len(out) > 0 {
		return one(Fail, "the API server is %s, and serves no %s, so nothing keeps work from the devices out of service of %s: "+
			"upgrade it, or taint these nodes as a whole: %s", f.APIServer.Value, served, message.Several(len(out), "node"), message.Names(list.Map(out, func(r *Rules) string { return r.Node })))
	}
	var asking []string
	note := func(what string, f *v1alpha1.OnFailure) {
		if f != nil && f.Taint != nil && f.Taint.Scope == v1alpha1.TaintScopeDevice {
			asking = append(asking, what)
		}
	}
	for p := range list.Each(f.ValidationPolicies.Value) {
		note("policy "+p.Name, p.Spec.Run.OnFailure)
	}
	for r := range list.Each(f.Runs.Value) {
		note("run "+r.Name, r.Spec.OnFailure)
	}
	var found findings
	found.about(asking, Warn, "the API server is %s, and serves no %s, so a node is tainted as a whole although these ask for scope Device: %s",
		f.APIServer.Value, served)
	return found.or("no single device is out of service")
}
