package taint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/dra"
	"github.com/assay-dev/assay/internal/message"
)

const (
	// maxConvicted devices are named by one conviction, and maxOut are out of service on one node: more are the node as a whole.
	maxConvicted = 16
	maxOut       = 64
	// maxNamed convictions are looked at: of more, some may have been dropped for want of room.
	maxNamed = 64
)

// devicesOf a broken rule: the UUIDs of the GPUs that broke it; none where another part did, or where it is not known which GPU a part is. known are
// the convictions on record: a GPU that they name by the same rule, and that this run has not seen, or has found as bad once, has proved nothing and stays,
// unless only terms of another run's own convict it. Where the run cannot tell any more which parts broke the rule, what it said before stays.
func devicesOf(broken term.Term, mine *v1alpha1.Conviction, row *v1alpha1.BenchmarkResult, known []v1alpha1.Conviction) (all []string) {
	if broken.Rule == term.Devices {
		return nil
	}
	for _, at := range broken.Ats {
		uuid := gpuAt(at, row)
		if uuid == "" {
			return nil
		}
		all = append(all, uuid)
	}
	for c := range list.Each(known) {
		switch {
		case c.Benchmark != mine.Benchmark || c.Metric != mine.Metric || c.Rule != mine.Rule || mine.AsCatalogued && !c.AsCatalogued:
		case len(broken.Ats) > 0:
			all = slices.Concat(all, list.Where(c.Devices, func(uuid string) bool { return !proved(broken, row, uuid) }))
		case c.Run.UID == mine.Run.UID && c.At == mine.At && c.Value == mine.Value:
			all = slices.Clone(c.Devices)
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) > maxConvicted {
		return nil
	}
	return all
}

// gpuAt is the UUID of the one GPU that a part is; empty: it is none, or not the same one in all attempts, or one of them does not say.
func gpuAt(at string, row *v1alpha1.BenchmarkResult) (uuid string) {
	place := part.Read(at)
	if place.Kind != "gpu" || len(place.GPUs) != 1 {
		return ""
	}
	for a := range list.Each(row.Attempts) {
		if !attempt.Measured(*a) {
			continue
		}
		is := place.UUIDs(a.Devices)
		if len(is) != 1 || uuid != "" && is[0] != uuid {
			return ""
		}
		uuid = is[0]
	}
	return uuid
}

// out of service on a node that these convictions stand against, of which own are this run's. A quarantine of devices is changed by
// runs that ask for devices, and widened to the node by others that convict it. One of the node stays so until it is lifted.
func (j Judgement) out(node *corev1.Node, q *v1alpha1.Quarantine, convicted, own []v1alpha1.Conviction) out {
	asked := j.Scope == v1alpha1.TaintScopeDevice
	switch {
	case q == nil:
		return j.afresh(node, nil, convicted)
	case asked && len(q.Devices) == 0:
		return out{why: j.staysWhole(node, q, convicted)}
	case j.Taint == nil || j.TaintRefused != "" || j.BreakerOpen, len(own) == 0 && !asked:
		return out{devices: q.Devices}
	case !asked:
		return out{}
	}
	return devicesOut(node, convicted, q.Devices)
}

// staysWhole says why a node that is tainted as a whole stays so: its taint would go before the rules of its devices come.
func (j Judgement) staysWhole(node *corev1.Node, q *v1alpha1.Quarantine, convicted []v1alpha1.Conviction) string {
	if of := devicesOut(node, convicted, nil); of.why != "" && q.Run.UID == j.Run.UID {
		return of.why
	}
	return fmt.Sprintf("run %s tainted it so, and it stays so until all that convicted it is refuted", q.Run.Name)
}

// afresh is what is out of service on a node that carries no taint of ours; q is on record all the same, nil for none.
func (j Judgement) afresh(node *corev1.Node, q *v1alpha1.Quarantine, convicted []v1alpha1.Conviction) out {
	if j.Scope != v1alpha1.TaintScopeDevice {
		return out{}
	}
	return devicesOut(node, convicted, cmp.Or(q, &v1alpha1.Quarantine{}).Devices)
}

// devicesOut is the devices that convictions name, if nothing else of the node is convicted and a DRA driver hands them out, or why it is the node as a
// whole. before are those that are out of service already: one of them that has left the node stays named, so that it is out of service if it comes back.
func devicesOut(node *corev1.Node, convicted []v1alpha1.Conviction, before []string) out {
	if len(convicted) > maxNamed {
		return out{why: fmt.Sprintf("%d convictions stand against it", len(convicted))}
	}
	var all []string
	for c := range list.Each(convicted) {
		if len(c.Devices) == 0 || c.More > 0 {
			return out{why: fmt.Sprintf("%s convicted %s, which is not one GPU that is known by its UUID", term.RuleOf(c.Rule, c.Metric), partOf(c))}
		}
		all = append(all, c.Devices...)
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) > maxOut {
		return out{why: message.Several(len(all), "device") + " are convicted"}
	}
	if why := notByDevice(node, all, before); why != "" {
		return out{why: why}
	}
	return out{devices: all}
}

// partOf a conviction: the worst part, or the node.
func partOf(c *v1alpha1.Conviction) string {
	switch {
	case c.More > 0:
		return fmt.Sprintf("%s, and %s more of %s", message.PartName(c.At), message.Several(int(c.More), "rule"), c.Benchmark)
	case c.At == "":
		return "the node"
	}
	return c.At
}

// notByDevice says why a node's devices cannot be taken out of service one by one; empty: they can. A driver that has withdrawn its slices for a moment
// hands out nothing, so that what is out of service stays so.
func notByDevice(node *corev1.Node, convicted, before []string) string {
	o := dra.Shown(node)
	settled := len(before) > 0 && !slices.ContainsFunc(convicted, func(uuid string) bool { return !slices.Contains(before, uuid) })
	switch {
	case o != nil && o.NoRules:
		return "the API server serves no DeviceTaintRules of resource.k8s.io/v1 (Kubernetes 1.37 and later do)"
	case o == nil && settled && !dra.ByPlugin(node), o != nil && o.Broken != "" && settled:
		return ""
	case o == nil:
		return "its devices come from a device plugin, not from a DRA driver"
	case o.Others || o.Parts > 0:
		return "its DRA driver hands out its GPUs in other ways, too, which do not say of which GPU they are"
	case o.Plugin:
		return "a device plugin hands out its devices, too"
	case o.Broken != "":
		return o.Broken
	}
	return notPublished(o, convicted, before)
}

// notPublished says why the devices that an offer names by their UUIDs cannot be taken out of service one by one; empty: they can.
func notPublished(o *dra.Offer, convicted, before []string) string {
	there := strings.Fields(o.UUIDs)
	slices.Sort(there)
	if there = slices.Compact(there); int64(len(there)) < o.Has {
		return fmt.Sprintf("its DRA driver publishes %d different UUIDs of %s", len(there), message.Several(int(o.Has), "device"))
	}
	here := 0
	for _, uuid := range convicted {
		switch {
		case slices.Contains(there, uuid):
			here++
		case !slices.Contains(before, uuid):
			return uuid + ", which is convicted, is in no ResourceSlice of it"
		}
	}
	if 2*here > len(there) {
		return fmt.Sprintf("%d of its %s are convicted, and more than half are the node as a whole", here, message.Several(len(there), "device"))
	}
	return ""
}
