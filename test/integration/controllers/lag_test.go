package controllers_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// oldCache answers reads of some kinds as the operator's cache would that hears of changes late: from what was there some passes
// ago. Like a cache it never goes back, and its kinds do not wait for each other. All else, and all writes, are live.
type oldCache struct {
	l *lab
	// lag of a kind in this pass, in passes.
	lag func(kind string) int

	mu sync.Mutex
	// history of each kind, by pass; shown is which of it is shown now.
	history map[string][][]runtime.Object
	shown   map[string]int
	lists   map[string]func() client.ObjectList
}

// lagging gives the lab's operator such a cache of these kinds.
func (l *lab) lagging(lag func(kind string) int, kinds ...client.ObjectList) *oldCache {
	l.t.Helper()
	c := &oldCache{l: l, lag: lag, history: map[string][][]runtime.Object{}, shown: map[string]int{}, lists: map[string]func() client.ObjectList{}}
	for _, list := range kinds {
		c.lists[c.kind(list)] = func() client.ObjectList { return list.DeepCopyObject().(client.ObjectList) }
	}
	l.r.Client = interceptor.NewClient(l.hand.client(asCached(api)), interceptor.Funcs{
		Get: func(ctx context.Context, inner client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if _, old := c.lists[c.kind(o)]; !old {
				return inner.Get(ctx, key, o, opts...)
			}
			return c.get(key, o)
		},
		List: func(ctx context.Context, inner client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if _, old := c.lists[c.kind(list)]; !old {
				return inner.List(ctx, list, opts...)
			}
			return c.list(list, opts)
		},
	})
	return c
}

// kind of an object, or of what a list is of.
func (c *oldCache) kind(o runtime.Object) string {
	gvk, err := apiutil.GVKForObject(o, scheme)
	c.l.must(err)
	return strings.TrimSuffix(gvk.Kind, "List")
}

// look takes in what there is, and moves on to what is to be shown in the next pass.
func (c *oldCache) look() {
	c.l.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, kind := range slices.Sorted(maps.Keys(c.lists)) {
		list := c.lists[kind]()
		c.l.must(api.List(c.l.t.Context(), list))
		items, err := meta.ExtractList(list)
		c.l.must(err)
		c.history[kind] = append(c.history[kind], items)
		newest := len(c.history[kind]) - 1
		c.shown[kind] = max(c.shown[kind], newest-c.lag(kind), 0)
	}
}

func (c *oldCache) get(key client.ObjectKey, into client.Object) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	kind := c.kind(into)
	for _, o := range c.history[kind][c.shown[kind]] {
		if client.ObjectKeyFromObject(o.(client.Object)) == key {
			return scheme.Convert(o.DeepCopyObject(), into, nil)
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{Resource: kind}, key.Name)
}

func (c *oldCache) list(into client.ObjectList, opts []client.ListOption) error {
	want := client.ListOptions{}
	want.ApplyOptions(opts)
	c.mu.Lock()
	defer c.mu.Unlock()
	kind := c.kind(into)
	var out []runtime.Object
	for _, o := range c.history[kind][c.shown[kind]] {
		m := o.(client.Object)
		if (want.Namespace == "" || want.Namespace == m.GetNamespace()) && (want.LabelSelector == nil || want.LabelSelector.Matches(labels.Set(m.GetLabels()))) {
			out = append(out, o.DeepCopyObject())
		}
	}
	return meta.SetList(into, out)
}

// passes lets the operator look until nothing changes although its cache has caught up, at one moment of time. quiet is how many
// passes that takes.
func (c *oldCache) passes(quiet int) (result reconcile.Result) {
	l := c.l
	l.t.Helper()
	for still := 0; still <= quiet; still++ {
		if l.steps++; l.steps > maxSteps {
			l.t.Fatalf("the run does not come to rest: %s", l.describe())
		}
		c.look()
		before := l.hand.count()
		result = l.pass()
		if changed, _ := l.kubelet(); changed || l.hand.count() != before {
			still = -1
		}
	}
	return result
}

// finish goes on until the run is over and no pod is left.
func (c *oldCache) finish(quiet int) {
	l := c.l
	l.t.Helper()
	for {
		result := c.passes(quiet)
		if l.finished() && len(l.pods()) == 0 {
			return
		}
		_, next := l.kubelet()
		if result.RequeueAfter > 0 {
			next = earlier(next, l.clock.Now().Add(result.RequeueAfter))
		}
		if next.IsZero() {
			l.t.Fatalf("nothing will ever happen again: %s", l.describe())
		}
		l.clock.SetTime(later(next, l.clock.Now().Add(time.Millisecond)))
	}
}

// TestOldCache: however late the operator's cache hears of its own writes, of pods and of nodes, a run ends in the same state. It
// never makes a pod twice (promise P1), and taints nobody without a stored fail (P6).
func TestOldCache(t *testing.T) {
	t.Parallel()
	const most = 4
	random := rand.New(rand.NewPCG(10, 5))
	by := func(lags map[string]int) func(string) int {
		return func(kind string) int { return lags[kind] }
	}
	for sentence, lag := range map[string]func(string) int{
		"not at all":              func(string) int { return 0 },
		"one pass late":           func(string) int { return 1 },
		"two passes late":         func(string) int { return 2 },
		"many passes late":        func(string) int { return most },
		"pods late":               by(map[string]int{"Pod": 3}),
		"nodes late":              by(map[string]int{"Node": 3}),
		"results late":            by(map[string]int{"ValidationResult": 3}),
		"what is remembered late": by(map[string]int{"NodeValidation": 3}),
		"runs late":               by(map[string]int{"ValidationRun": 3}),
		"all but pods late":       by(map[string]int{"Node": 2, "ValidationResult": 3, "NodeValidation": most, "ValidationRun": 1}),
		"now and then":            func(string) int { return random.IntN(most + 1) },
		"now and then, in turns":  func(kind string) int { return random.IntN(len(kind) % (most + 1)) },
	} {
		t.Run(sentence, func(t *testing.T) {
			if !strings.HasPrefix(sentence, "now") {
				t.Parallel()
			}
			l := newLab(t, 3)
			l.plays = on("a", program{rate: 50})
			l.run(tainting)
			c := l.lagging(lag, &corev1.PodList{}, &corev1.NodeList{}, &v1alpha1.ValidationResultList{}, &v1alpha1.NodeValidationList{}, &v1alpha1.ValidationRunList{})
			made := map[string]int{}
			l.hand.before = func(_ int, w write, o runtime.Object) error {
				if w == "create Pod" {
					l.hand.mu.Lock()
					defer l.hand.mu.Unlock()
					made[o.(client.Object).GetName()]++
				}
				return nil
			}
			l.hand.after = func(_ int, w write, o runtime.Object) error {
				l.checkPromises(w, o)
				return nil
			}
			c.finish(most + 1)
			end := l.endState()
			same(t, "the end", wantOldCache, end)
			same(t, "the pods made", 4, len(made)) // one for each node, and a confirmation
			for name, times := range made {
				if times != 1 {
					t.Errorf("pod %s was made %d times", name, times)
				}
			}
			if t.Failed() {
				t.Logf("the writes: %v", l.hand.writes)
			}
		})
	}
}

var wantOldCache = endState{
	Conditions: failed,
	Summary:    v1alpha1.RunSummary{Nodes: 3, Passed: 2, Failed: 1, Tainted: 1},
	Nodes: []string{
		wantEnd.Nodes[0] + ", attempt 2 Pass", // the confirmation
		wantEnd.Nodes[1],
	},
}
