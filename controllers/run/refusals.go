package run

import (
	"errors"
	"net/http"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

// refusedRecheck is how long a taint that the API server has refused for good is not tried again: each try announces it anew.
const refusedRecheck = 5 * time.Minute

// isDenied: the API server, or a webhook that it asks, has said no, and will say so again. A webhook that gives no code is passed on as 400.
func isDenied(err error) bool {
	var said apierrors.APIStatus
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsRequestEntityTooLargeError(err) ||
		errors.As(err, &said) && said.Status().Code == http.StatusBadRequest
}

// refusals remembers, for active runs, the taints that the API server has refused for good. Losing it costs another try.
type refusals struct {
	mu   sync.Mutex
	runs map[types.UID]map[string]refusal
}

type refusal struct {
	at  time.Time
	err error
}

func (r *refusals) put(run types.UID, node string, at time.Time, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runs == nil {
		r.runs = map[types.UID]map[string]refusal{}
	}
	if r.runs[run] == nil {
		r.runs[run] = map[string]refusal{}
	}
	r.runs[run][node] = refusal{at, err}
}

// lately is why a node could not be tainted a short while ago; nil: nothing refused it.
func (r *refusals) lately(run types.UID, node string, now time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, ok := r.runs[run][node]; ok && now.Sub(last.at) < refusedRecheck {
		return last.err
	}
	return nil
}

func (r *refusals) forget(run types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.runs, run)
}
