package controllers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const (
	// resultsValid is how long a run's results are believed without a look at their versions.
	resultsValid = 10 * time.Minute
	// unused is after how long without a pass a run's results are forgotten.
	unused = 2 * resultsValid
	// resultsPage and versionsPage bound what one answer of the API server holds: a result may have 100 KB and more.
	resultsPage, versionsPage = 50, 500
)

// results holds the ValidationResults of the runs that are not over. They are in no cache, as only the operator writes them and a
// fleet's finished runs would fill it: they are read when a run is first seen, and are what was written from then on. Whatever
// hints at another writer makes a run's results doubtful, and the next pass asks for their versions.
type results struct {
	mu   sync.Mutex
	runs map[types.UID]*runResults
}

type runResults struct {
	byName map[string]*v1alpha1.ValidationResult
	// compared is when they were last the API server's. Zero: they are doubtful.
	compared time.Time
	// used is when a pass last asked for them, by the process's own clock.
	used time.Time
}

// of returns what is known of a run's results, and whether that can be believed.
func (s *results) of(run types.UID, now time.Time) (known []*v1alpha1.ValidationResult, valid bool) {
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
func (r *runResults) list() []*v1alpha1.ValidationResult {
	out := make([]*v1alpha1.ValidationResult, 0, len(r.byName))
	for _, name := range slices.Sorted(maps.Keys(r.byName)) {
		out = append(out, r.byName[name])
	}
	return out
}

// read takes what was read of a run's results in place of what was known.
func (s *results) read(run types.UID, now time.Time, found map[string]*v1alpha1.ValidationResult) []*v1alpha1.ValidationResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &runResults{byName: found, compared: now, used: time.Now()}
	s.runs[run] = r
	return r.list()
}

// wrote takes a result as the API server returned it.
func (s *results) wrote(result *v1alpha1.ValidationResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.runs[result.Run.UID]; r != nil {
		r.byName[result.Name] = result
	}
}

// refused takes the error of a write: some say that the result in the cluster is another one than is known.
func (s *results) refused(run types.UID, err error) {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) {
		s.doubt(run)
	}
}

// doubt makes the next pass over a run ask for the versions of its results.
func (s *results) doubt(run types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.runs[run]; r != nil {
		r.compared = time.Time{}
	}
}

// forget a run that is over.
func (s *results) forget(run types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, run)
}

func (s *results) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.runs, func(_ types.UID, r *runResults) bool { return time.Since(r.used) > unused })
}

// resultsOf returns the run's results. They are shared by all passes: nobody may change them.
func (r *RunReconciler) resultsOf(ctx context.Context, run *v1alpha1.ValidationRun, now time.Time) ([]*v1alpha1.ValidationResult, error) {
	known, valid := r.memory.results.of(run.UID, now)
	if valid {
		return known, nil
	}
	var found map[string]*v1alpha1.ValidationResult
	var err error
	if len(known) == 0 {
		found, err = r.readResults(ctx, run.UID)
	} else {
		found, err = r.compareResults(ctx, run.UID, known)
	}
	if err != nil {
		return nil, err
	}
	return r.memory.results.read(run.UID, now, found), nil
}

// readResults reads all results of a run.
func (r *RunReconciler) readResults(ctx context.Context, run types.UID) (map[string]*v1alpha1.ValidationResult, error) {
	found := map[string]*v1alpha1.ValidationResult{}
	newPage := func() *v1alpha1.ValidationResultList { return &v1alpha1.ValidationResultList{} }
	err := eachPage(ctx, r.Live, resultsPage, newPage, func(page *v1alpha1.ValidationResultList) {
		for i := range page.Items {
			found[page.Items[i].Name] = r.memory.interned.result(&page.Items[i])
		}
	}, ofRun(run))
	if err != nil {
		return nil, fmt.Errorf("reading ValidationResults: %w", err)
	}
	return found, nil
}

// compareResults reads the versions of a run's results, and only those results again that are not as they are known.
func (r *RunReconciler) compareResults(ctx context.Context, run types.UID, known []*v1alpha1.ValidationResult) (map[string]*v1alpha1.ValidationResult, error) {
	versions := map[string]string{}
	for _, v := range known {
		versions[v.Name] = v.ResourceVersion
	}
	same, others := map[string]bool{}, []string(nil)
	newPage := func() *metav1.PartialObjectMetadataList {
		page := &metav1.PartialObjectMetadataList{}
		page.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("ValidationResultList"))
		return page
	}
	err := eachPage(ctx, r.Live, versionsPage, newPage, func(page *metav1.PartialObjectMetadataList) {
		for i := range page.Items {
			if name := page.Items[i].Name; versions[name] == page.Items[i].ResourceVersion {
				same[name] = true
			} else {
				others = append(others, name)
			}
		}
	}, ofRun(run))
	if err != nil {
		return nil, fmt.Errorf("reading the versions of ValidationResults: %w", err)
	}
	found := map[string]*v1alpha1.ValidationResult{}
	for _, v := range known {
		if same[v.Name] {
			found[v.Name] = v
		}
	}
	var mu sync.Mutex
	return found, each(others, func(name string) error {
		v := &v1alpha1.ValidationResult{}
		if err := r.Live.Get(ctx, client.ObjectKey{Name: name}, v); apierrors.IsNotFound(err) {
			return nil
		} else if err != nil {
			return fmt.Errorf("getting ValidationResult %s: %w", name, err)
		}
		mu.Lock()
		defer mu.Unlock()
		found[name] = r.memory.interned.result(v)
		return nil
	})
}

func ofRun(run types.UID) client.ListOption {
	return client.MatchingLabels{v1alpha1.LabelRunUID: string(run)}
}

// eachPage reads a list live, page by page, so that it is never in memory as a whole. Each page is a new one: what an answer leaves
// out would stay as it was in the last.
func eachPage[L client.ObjectList](ctx context.Context, live client.Reader, size int64, newPage func() L, use func(L), match ...client.ListOption) error {
	for next := ""; ; {
		page := newPage()
		if err := live.List(ctx, page, append(match, client.Limit(size), client.Continue(next))...); err != nil {
			return err
		}
		use(page)
		if next = page.GetContinue(); next == "" {
			return nil
		}
	}
}

// asSeen says whether a result is in the cluster as this pass knows it, nil for none. Another operator, one that has lost its
// leadership and does not know, or a person may have changed it: what was measured meanwhile must not be measured twice.
func (r *RunReconciler) asSeen(ctx context.Context, run *v1alpha1.ValidationRun, name string, known *v1alpha1.ValidationResult) (bool, error) {
	live := &metav1.PartialObjectMetadata{}
	live.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("ValidationResult"))
	if err := r.Live.Get(ctx, client.ObjectKey{Name: name}, live); client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("getting the version of ValidationResult %s: %w", name, err)
	}
	if known == nil && live.ResourceVersion == "" || known != nil && known.ResourceVersion == live.ResourceVersion {
		return true, nil
	}
	r.memory.results.doubt(run.UID)
	return false, nil
}
