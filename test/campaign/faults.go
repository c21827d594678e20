package campaign

import (
	"errors"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/kube"
	"github.com/assay-dev/assay/test/campaign/operator"
	"github.com/assay-dev/assay/test/campaign/sim"
)

// fault waits for calls of the operator that it fits, and lets them come to grief.
type fault struct {
	cases.Happening
	left  int
	until time.Time
}

// namespaced kinds that operators create.
var namespaced = []string{"ControllerRevision", "MPIJob", "NetworkPolicy", "Pod"}

// fits says whether a fault is about a call.
func (f *fault) fits(now time.Time, call *kube.Call) bool {
	if f.left == 0 || !f.until.IsZero() && now.After(f.until) {
		return false
	}
	if f.Before != "" {
		kind, verb, _ := strings.Cut(f.Before, " ")
		return call.Writes && call.Kind == kind && strings.HasPrefix(call.Verb, verb)
	}
	if f.What == "the kind of MPIJobs is gone" {
		return call.Kind == "MPIJob"
	}
	if f.What == "the namespace is terminating" {
		return call.Verb == "create" && slices.Contains(namespaced, call.Kind)
	}
	return call.Writes == (f.Verb != "read") && (f.Kind == "" || f.Kind == call.Kind) && (f.Verb == "" || f.Verb == "read" || strings.HasPrefix(call.Verb, f.Verb))
}

// rule on a call: by the first fault that fits.
func (w *world) rule(call *kube.Call) operator.Ruling {
	for _, f := range w.faults {
		if !f.fits(w.Now(), call) {
			continue
		}
		f.left--
		w.leaders.Troubled(w.Now().Add(f.For))
		if f.Before != "" {
			w.meanwhile(f.Happening, call)
			continue
		}
		w.Figures.Faults[f.What]++
		return f.ruling(call)
	}
	return operator.Ruling{}
}

// meanwhile something happens, just before a call is made.
func (w *world) meanwhile(h cases.Happening, call *kube.Call) {
	h.Before = ""
	if call.Kind == "Node" || call.Kind == "NodeValidation" || call.Kind == "NodeHistory" {
		h.Name = call.Name
	}
	h.At = w.Now().Sub(sim.Epoch)
	w.happen(h)
}

var errTimeout = errors.New("context deadline exceeded")

func (f *fault) ruling(call *kube.Call) operator.Ruling {
	r := schema.GroupResource{Resource: call.Kind}
	switch f.What {
	case "a call fails":
		return operator.Ruling{Fail: apierrors.NewServiceUnavailable("the API server is not there")}
	case "a call is throttled":
		return operator.Ruling{Fail: apierrors.NewTooManyRequests("slow down", 1)}
	case "a write conflicts":
		return operator.Ruling{Fail: apierrors.NewConflict(r, call.Name, errors.New("somebody was there first"))}
	case "a write is refused":
		return operator.Ruling{Fail: apierrors.NewForbidden(r, call.Name, errors.New("a policy says no"))}
	case "a write is invalid":
		return operator.Ruling{Fail: apierrors.NewInvalid(schema.GroupKind{Kind: call.Kind}, call.Name, nil)}
	case "a call times out":
		return operator.Ruling{Fail: errTimeout}
	case "a write times out and was applied":
		return operator.Ruling{Fail: errTimeout, Applied: true}
	case "the operator dies before a write":
		return operator.Ruling{DieBefore: true}
	case "the operator dies after a write":
		return operator.Ruling{DieAfter: true}
	case "the leader stalls at a write":
		return operator.Ruling{Stalls: f.For, Overlap: time.Duration(f.Number) * time.Second}
	case "a second leader comes at a write", "two more leaders come at a write":
		others := map[bool]int{false: 1, true: 2}[f.What == "two more leaders come at a write"]
		return operator.Ruling{Joined: others, Overlap: time.Duration(f.Number) * time.Second, Wait: time.Duration(f.Number) * time.Second / 4}
	case "a quota refuses", "the namespace is terminating":
		return operator.Ruling{Fail: apierrors.NewForbidden(r, call.Name, errors.New(f.What))}
	case "the kind of MPIJobs is gone":
		return operator.Ruling{Fail: &meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: "kubeflow.org", Kind: "MPIJob"}, SearchedVersions: []string{"v2beta1"}}}
	case "a call is slow":
		return operator.Ruling{Wait: f.For}
	}
	return operator.Ruling{}
}
