package run

import (
	"context"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/controllers/run/owned"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/pack"
)

// resultsPage and versionsPage bound what one answer of the API server holds: a result may have 100 KB and more.
const resultsPage, versionsPage = 50, 500

// resultsOf returns the run's results. They are shared by all passes: nobody may change them.
func (r *Reconciler) resultsOf(ctx context.Context, p *pass) ([]*pack.Result, error) {
	known, valid := r.recent.Results.Of(p.run.UID, p.in.Now)
	if valid {
		return known, nil
	}
	var found map[string]*pack.Result
	var err error
	if len(known) == 0 {
		found, err = r.readResults(ctx, p)
	} else {
		found, err = r.compareResults(ctx, p, known)
	}
	if err != nil {
		return nil, err
	}
	return r.recent.Results.Read(p.run.UID, p.in.Now, found), nil
}

// readResults reads all results of a run. One that cannot be decoded spoils a whole list: then they are read one by one.
func (r *Reconciler) readResults(ctx context.Context, p *pass) (map[string]*pack.Result, error) {
	found := map[string]*pack.Result{}
	err := controllers.EachPage(ctx, r.Live, &v1alpha1.ValidationResultList{}, func(page *v1alpha1.ValidationResultList) {
		for i := range page.Items {
			found[page.Items[i].Name] = r.recent.Pack(&page.Items[i])
		}
	}, client.Limit(resultsPage), owned.OfRun(p.run.UID))
	switch {
	case err == nil:
		return found, nil
	case mayBeGarbled(err):
		if found, each := r.compareResults(ctx, p, nil); each == nil {
			return found, nil
		}
	}
	return nil, fmt.Errorf("reading ValidationResults: %w", err)
}

// mayBeGarbled: it is not the API server that says this.
func mayBeGarbled(err error) bool {
	return err != nil && apierrors.ReasonForError(err) == metav1.StatusReasonUnknown
}

// readResult reads one result, as far as it can be decoded; nil: it is gone.
func (r *Reconciler) readResult(ctx context.Context, p *pass, name string) (*v1alpha1.ValidationResult, error) {
	v := &v1alpha1.ValidationResult{}
	err := r.Live.Get(ctx, client.ObjectKey{Name: name}, v)
	if mayBeGarbled(err) {
		var text []byte
		if text, err = controllers.Raw(ctx, r.Live, "ValidationResult", name); err == nil {
			alone := list.Where(p.in.Tasks, func(t observe.Task) bool { return !t.IsGroup() })
			v, err = result.Stored(text, list.Map(alone, observe.Task.Name))
		}
	}
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("getting ValidationResult %s: %w", name, err)
	}
	return v, nil
}

// compareResults reads the versions of a run's results, and only those results again that are not as they are known.
func (r *Reconciler) compareResults(ctx context.Context, p *pass, known []*pack.Result) (map[string]*pack.Result, error) {
	versions := map[string]string{}
	for _, v := range known {
		versions[v.Head.Name] = v.Head.ResourceVersion
	}
	same, others := map[string]bool{}, []string(nil)
	err := controllers.EachPage(ctx, r.Live, controllers.MetadataList("ValidationResult"), func(page *metav1.PartialObjectMetadataList) {
		for i := range page.Items {
			if name := page.Items[i].Name; versions[name] == page.Items[i].ResourceVersion {
				same[name] = true
			} else {
				others = append(others, name)
			}
		}
	}, client.Limit(versionsPage), owned.OfRun(p.run.UID))
	if err != nil {
		return nil, fmt.Errorf("reading the versions of ValidationResults: %w", err)
	}
	found := map[string]*pack.Result{}
	for _, v := range known {
		if same[v.Head.Name] {
			found[v.Head.Name] = v
		}
	}
	var mu sync.Mutex
	return found, controllers.Each(others, func(name string) error {
		v, err := r.readResult(ctx, p, name)
		if err != nil || v == nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		found[name] = r.recent.Pack(v)
		return nil
	})
}

// asSeen says whether a result is in the cluster as this pass knows it, nil for none; if not, another pass follows soon. Another operator, one that has lost its
// leadership and does not know, or a person may have changed it: what was measured meanwhile must not be measured twice.
func (w *writer) asSeen(ctx context.Context, name string, read *v1alpha1.ValidationResult) (bool, error) {
	known := w.known(name, read)
	live := controllers.Metadata("ValidationResult")
	if err := w.Live.Get(ctx, client.ObjectKey{Name: name}, live); client.IgnoreNotFound(err) != nil {
		w.recheckSoon()
		return false, fmt.Errorf("getting the version of ValidationResult %s: %w", name, err)
	}
	if known == nil && live.ResourceVersion == "" || known != nil && known.ResourceVersion == live.ResourceVersion {
		return true, nil
	}
	w.recent.Results.Doubt(w.run.UID)
	w.recheckSoon()
	return false, nil
}
