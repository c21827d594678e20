package main

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// sightings are when something was first seen by watches, by what it is of.
type sightings struct {
	mu sync.Mutex
	at map[sighting]time.Time
	// held says which claims have devices of a pool, by the names of both.
	held map[[2]string]bool
	// wrong rules, for GPUs that never were slow.
	wrong []string
	// changed is closed when something has been seen.
	changed chan struct{}
}

// sighting is what was seen, of a node or pod.
type sighting struct{ what, of string }

const (
	sawFail, sawPass         = string(v1alpha1.VerdictFail), string(v1alpha1.VerdictPass)
	sawMark, sawRule         = "mark", "rule"
	sawRefused, sawScheduled = "refusal", "scheduling"
)

// watch begins to see; pods are handed to ended.
func (f *gpuFleet) watch(ctx context.Context, ended func(*corev1.Pod)) (*sightings, error) {
	s := &sightings{at: map[sighting]time.Time{}, held: map[[2]string]bool{}, changed: make(chan struct{})}
	c, err := ctrlcache.New(f.config, ctrlcache.Options{Scheme: f.Scheme()})
	if err != nil {
		return nil, err
	}
	see := func(o any, gone bool) {
		if pod, ok := o.(*corev1.Pod); ok && !gone {
			ended(pod)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.see(f, o, gone)
		close(s.changed)
		s.changed = make(chan struct{})
	}
	for _, kind := range []client.Object{&corev1.Node{}, &corev1.Pod{}, &resourcev1.ResourceClaim{}, &resourcev1.DeviceTaintRule{}, &v1alpha1.ValidationResult{}} {
		informer, err := c.GetInformer(ctx, kind, ctrlcache.BlockUntilSynced(false))
		if err != nil {
			return nil, err
		}
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(o any) { see(o, false) },
			UpdateFunc: func(_, o any) { see(o, false) }, DeleteFunc: func(o any) {
				if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
					o = last.Obj
				}
				see(o, true)
			}}); err != nil {
			return nil, err
		}
	}
	go func() { _ = c.Start(ctx) }()
	if !c.WaitForCacheSync(ctx) {
		return nil, fmt.Errorf("watching the cluster: %w", ctx.Err())
	}
	return s, nil
}

func (s *sightings) see(f *gpuFleet, o any, gone bool) {
	switch o := o.(type) {
	case *v1alpha1.ValidationResult:
		s.first(string(o.Verdict), o.Run.Name+"/"+o.Node.Name)
	case *corev1.Node:
		if devices, _ := taint.MarkedDevices(o); len(devices) > 0 && !gone {
			s.first(sawMark, o.Name)
		}
	case *resourcev1.DeviceTaintRule:
		s.seeRule(f, o, gone)
	case *resourcev1.ResourceClaim:
		s.seeClaim(o, gone)
	case *corev1.Pod:
		s.seePod(o, gone)
	}
}

func (s *sightings) seeRule(f *gpuFleet, o *resourcev1.DeviceTaintRule, gone bool) {
	node, uuid := o.Annotations[v1alpha1.AnnotationNode], o.Annotations[v1alpha1.AnnotationDevice]
	if gone {
		return
	}
	s.first(sawRule, node)
	if !f.wasSlow(uuid) {
		s.wrong = append(s.wrong, fmt.Sprintf("rule %s is of %s, which never was slow", o.Name, uuid))
	}
}

func (s *sightings) seeClaim(o *resourcev1.ResourceClaim, gone bool) {
	name := o.Namespace + "/" + o.Name
	maps.DeleteFunc(s.held, func(key [2]string, _ bool) bool { return key[1] == name })
	if a := o.Status.Allocation; a != nil && !gone {
		for _, r := range a.Devices.Results {
			s.held[[2]string{r.Pool, name}] = true
		}
	}
}

func (s *sightings) seePod(o *corev1.Pod, gone bool) {
	if gone || o.Namespace == namespace {
		return
	}
	for _, c := range o.Status.Conditions {
		switch {
		case c.Type != corev1.PodScheduled:
		case c.Status == corev1.ConditionTrue:
			s.first(sawScheduled, o.Name)
		case c.Reason == corev1.PodReasonUnschedulable:
			s.first(sawRefused, o.Name)
		}
	}
}

func (s *sightings) first(what, of string) {
	if key := (sighting{what, of}); s.at[key].IsZero() {
		s.at[key] = time.Now()
	}
}

// wrongRules, of which there are to be none.
func (s *sightings) wrongRules() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.wrong, "; ")
}

// of something, when it was seen; zero: not yet.
func (s *sightings) of(what, of string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at[sighting{what, of}]
}

// forget what was seen of a node.
func (s *sightings) forget(of string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, what := range []string{sawMark, sawRule} {
		delete(s.at, sighting{what, of})
	}
}

// await that something is seen, and say when it was.
func (s *sightings) await(ctx context.Context, what, of string) (time.Time, error) {
	at := time.Time{}
	err := s.until(ctx, what+" of "+of, func() bool {
		at = s.at[sighting{what, of}]
		return !at.IsZero()
	})
	return at, err
}

// refused says when a pod was refused; zero: it was scheduled.
func (s *sightings) refused(ctx context.Context, pod string) (at time.Time, err error) {
	err = s.until(ctx, "an answer to "+pod, func() bool {
		at = s.at[sighting{sawRefused, pod}]
		return !at.IsZero() || !s.at[sighting{sawScheduled, pod}].IsZero()
	})
	return at, err
}

// free waits until no claim has a device of a node's pool.
func (s *sightings) free(ctx context.Context, node string) error {
	return s.until(ctx, "the devices of "+node+" to be free", func() bool {
		for key := range s.held {
			if key[0] == node {
				return false
			}
		}
		return true
	})
}

func (s *sightings) until(ctx context.Context, what string, is func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute) // as long as a run of all nodes may take
	defer cancel()
	for {
		s.mu.Lock()
		done, changed := is(), s.changed
		s.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		}
	}
}
