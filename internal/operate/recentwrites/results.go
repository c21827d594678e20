package recentwrites

import (
	"maps"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/pack"
)

const (
	// resultsValid is how long a run's results are believed without a look at their versions.
	resultsValid = 10 * time.Minute
	// unused is after how long without a pass a run's results are forgotten.
	unused = 2 * resultsValid
)

// Results holds the ValidationResults of the runs that are not over. They are in no cache, as only the operator writes them and a
// fleet's finished runs would fill it: they are read when a run is first seen, and are what was written from then on. Whatever
// hints at another writer makes a run's results doubtful, and the next pass asks for their versions.
type Results struct {
	mu   sync.Mutex
	runs map[types.UID]*runResults
}

type runResults struct {
	byName map[string]*pack.Result
	// compared is when they were last the API server's. Zero: they are doubtful.
	compared time.Time
	// used is when a pass last asked for them, by the process's own clock.
	used time.Time
}

// Of returns what is known of a run's results, and whether that can be believed.
func (s *Results) Of(run types.UID, now time.Time) (known []*pack.Result, valid bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.runs[run]
	if r == nil {
		return nil, false
	}
	r.used = time.Now()
	return r.list(), !r.compared.IsZero() && now.Sub(r.compared) < resultsValid
}

// list is in the order of names, so that every pass is like the one before.
func (r *runResults) list() []*pack.Result {
	return list.Map(slices.Sorted(maps.Keys(r.byName)), func(name string) *pack.Result { return r.byName[name] })
}

// Read takes what was read of a run's results in place of what was known.
func (s *Results) Read(run types.UID, now time.Time, found map[string]*pack.Result) []*pack.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &runResults{byName: found, compared: now, used: time.Now()}
	s.runs[run] = r
	return r.list()
}

// Wrote takes a result as the API server returned it.
func (s *Results) Wrote(written *pack.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.runs[written.Head.Run.UID]; r != nil {
		r.byName[written.Head.Name] = written
	}
}

// Refused takes the error of a write: some say that the result in the cluster is another one than is known.
func (s *Results) Refused(run types.UID, err error) {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) {
		s.Doubt(run)
	}
}

// Doubt makes the next pass over a run ask for the versions of its results.
func (s *Results) Doubt(run types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.runs[run]; r != nil {
		r.compared = time.Time{}
	}
}

// Forget a run that is over.
func (s *Results) Forget(run types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, run)
}

// sweep forgets runs that no pass looks at any more.
func (s *Results) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.runs, func(_ types.UID, r *runResults) bool { return time.Since(r.used) > unused })
}
