package controllers

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/result"
	"github.com/assay-dev/assay/internal/verdict"
)

// writeResult stores a result. One that the API server will never take is stored without what is new in it, or one node's
// odd output would keep the run from its end; then refused is true, and the verdict that was based on it counts for nothing.
func (r *RunReconciler) writeResult(ctx context.Context, stored, judged *v1alpha1.ValidationResult) (next *v1alpha1.ValidationResult, refused bool, err error) {
	next = judged.DeepCopy()
	err = r.putResult(ctx, stored, next)
	if refused = isRefused(err); refused {
		next = result.Refused(stored, judged, verdict.Clip(err.Error(), 1000))
		err = r.putResult(ctx, stored, next)
	}
	if err != nil {
		r.memory.results.refused(judged.Run.UID, err)
		return nil, refused, err
	}
	next = r.memory.interned.result(next)
	r.memory.results.wrote(next)
	r.countAttempts(stored, next)
	return next, refused, nil
}

func (r *RunReconciler) putResult(ctx context.Context, stored, next *v1alpha1.ValidationResult) error {
	if stored == nil {
		return r.Create(ctx, next, client.FieldOwner(fieldOwner))
	}
	return r.Update(ctx, next, client.FieldOwner(fieldOwner))
}

// isRefused: what was to be written is invalid or too large, so that trying again is of no use. The API server passes on in
// words only what etcd, or its own connection to etcd, finds too large.
func isRefused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsRequestEntityTooLargeError(err) ||
		err != nil && (strings.Contains(err.Error(), "etcdserver: request is too large") ||
			strings.Contains(err.Error(), "trying to send message larger than max"))
}

// undecided takes back a verdict that rests on what could not be stored; the next pass, which is due at once, judges anew.
func (s *scope) undecided(nodes ...*nodeScope) {
	for _, n := range nodes {
		n.verdict, n.reason, n.message = v1alpha1.VerdictPending, "", ""
	}
	s.wake(s.now)
}

// groupRefused: a group's measurement could not be stored, and who knows which nodes were judged by it.
func (s *scope) groupRefused() bool {
	for _, g := range s.groups {
		if g.refused {
			return true
		}
	}
	return false
}
