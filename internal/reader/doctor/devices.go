package doctor

import (
	"fmt"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// outOfService: single devices that are, get no work. What may get some all the same fails, and what costs a device that is fine, or one that is away, warns.
func outOfService(f *Facts) []Finding {
	out := list.Those(f.Rules.Value, func(r *Rules) bool { return len(r.Devices) > 0 })
	switch {
	case f.Nodes.Problem != "":
		return nil // said by the check of devices
	case f.NoRules:
		return withoutRules(f, out)
	case len(out) > 0 && f.Rules.Problem != "": // else nobody needs to read them
		return one(Unknown, doctorUnread("DeviceTaintRules", f.Rules.Problem))
	case len(out) > 0 && f.SlicesProblem != "":
		return one(Unknown, doctorUnread("ResourceSlices", f.SlicesProblem))
	}
	var found []Finding
	devices := 0
	for r := range list.Each(f.Rules.Value) {
		devices += len(r.Devices)
		found = append(found, kept(r)...)
	}
	switch {
	case len(found) > 0:
		return found
	case devices == 0:
		return one(OK, "no single device is out of service")
	}
	return one(OK, fmt.Sprintf("%s out of service on %s, with their DeviceTaintRules", message.Several(devices, "device"), message.Several(len(out), "node")))
}

// kept says what does not keep work from the devices of a node that are out of service, and what keeps it from others.
func kept(r *Rules) (found []Finding) {
	if r.Plugin && len(r.Devices) > 0 {
		found = append(found, Finding{Status: Fail, Message: doctorPluginBeside(r.Node, r.Devices)})
	}
	for _, problem := range r.Plan.Problems {
		found = append(found, Finding{Status: Fail, Message: "node " + r.Node + ": " + problem})
	}
	for _, doubt := range r.Plan.Doubts {
		found = append(found, Finding{Status: Warn, Message: "node " + r.Node + ": " + doubt})
	}
	if missing := devicesOf(r.Plan.Create); len(missing) > 0 {
		found = append(found, Finding{Status: Fail, Message: doctorRules(r.Node, missing, "a DeviceTaintRule")})
	}
	if stale := devicesOf(r.Plan.Update); len(stale) > 0 {
		found = append(found, Finding{Status: Fail, Message: doctorRules(r.Node, stale, "the DeviceTaintRule as it should be")})
	}
	if len(r.Plan.Delete) > 0 {
		found = append(found, Finding{Status: Warn, Message: doctorRulesLeft(r.Node, list.Map(r.Plan.Delete, func(d *resourcev1.DeviceTaintRule) string { return d.Name }))})
	}
	if len(r.Unpublished) > 0 {
		found = append(found, Finding{Status: Warn, Message: doctorUnpublished(r.Node, r.Unpublished)})
	}
	return found
}

// devicesOf rules, each once.
func devicesOf(rules []*resourcev1.DeviceTaintRule) []string {
	return slices.Compact(slices.Sorted(slices.Values(list.Map(rules, func(r *resourcev1.DeviceTaintRule) string { return r.Annotations[v1alpha1.AnnotationDevice] }))))
}

// withoutRules says what follows where the API server has no rules for devices.
func withoutRules(f *Facts, out []*Rules) []Finding {
	if len(out) > 0 {
		return one(Fail, doctorRulesNotServed(f.APIServer.Value, list.Map(out, func(r *Rules) string { return r.Node })))
	}
	var asking []string
	for p := range list.Each(f.ValidationPolicies.Value) {
		if asksForDevices(p.Spec.Run.OnFailure) {
			asking = append(asking, "policy "+p.Name)
		}
	}
	for r := range list.Each(f.Runs.Value) {
		if asksForDevices(r.Spec.OnFailure) {
			asking = append(asking, "run "+r.Name)
		}
	}
	if len(asking) > 0 {
		return one(Warn, doctorNoDeviceScope(f.APIServer.Value, asking))
	}
	return one(OK, "no single device is out of service")
}

func asksForDevices(f *v1alpha1.OnFailure) bool {
	return f != nil && f.Taint != nil && f.Taint.Scope == v1alpha1.TaintScopeDevice
}
