package controllers

import (
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const (
	// eventsPerMinute of one run and reason are told. client-go queues 1,000 and drops what comes beyond without a word, other
	// runs' events too; and whoever reads events wants to see the first few.
	eventsPerMinute = 30
	// eventWindow is that minute.
	eventWindow = time.Minute
	// repeatEvent is when a launch that fails for the same reason as before is told again.
	repeatEvent = 5 * time.Minute
)

// FewEvents passes on as many events of each run and reason as somebody can read, and says how many it held back.
type FewEvents struct {
	events.EventRecorder
	clock clock.PassiveClock

	mu    sync.Mutex
	flows map[eventFlow]*flow
	said  map[saidEvent]time.Time
}

type eventFlow struct {
	run    types.UID
	reason string
}

type saidEvent struct {
	eventFlow
	note string
}

// flow is one reason of one run: how many events were told since when, and how many were held back and not yet counted.
type flow struct {
	since, counted time.Time
	told, heldBack int
	kind           string
}

// NewFewEvents passes on to inner what somebody can read.
func NewFewEvents(inner events.EventRecorder, c clock.PassiveClock) *FewEvents {
	return &FewEvents{EventRecorder: inner, clock: c, flows: map[eventFlow]*flow{}, said: map[saidEvent]time.Time{}}
}

// Eventf is that of events.EventRecorder: it tells of something, or counts it.
func (e *FewEvents) Eventf(regarding, related runtime.Object, kind, reason, action, note string, args ...any) {
	text := fmt.Sprintf(note, args...)
	if e.tell(eventFlow{runOf(regarding, related), reason}, kind, text) {
		e.EventRecorder.Eventf(regarding, related, kind, reason, action, "%s", text)
	}
}

func (e *FewEvents) tell(key eventFlow, kind, text string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.clock.Now()
	if key.reason == v1alpha1.ReasonLaunchFailed {
		said := saidEvent{key, text}
		if at, ok := e.said[said]; ok && now.Sub(at) < repeatEvent {
			return false
		}
		e.said[said] = now
	}
	f := e.flows[key]
	if f == nil {
		f = &flow{since: now}
		e.flows[key] = f
	}
	if now.Sub(f.since) >= eventWindow {
		f.since, f.told = now, 0
	}
	f.kind = kind
	if f.told >= eventsPerMinute {
		f.heldBack++
		return false
	}
	f.told++
	return true
}

// Summarise says how many events of a run or policy were held back: once a minute for each reason, and when it is over.
func (e *FewEvents) Summarise(of client.Object, over bool) {
	for reason, f := range e.due(of.GetUID(), over) {
		e.EventRecorder.Eventf(of, nil, f.kind, reason, "Count", "%s", eventsLeftOut(of, f.heldBack, reason))
	}
}

// due takes the counts that are to be told by their reasons, and forgets what is long past.
func (e *FewEvents) due(run types.UID, over bool) map[string]flow {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.clock.Now()
	out := map[string]flow{}
	for key, f := range e.flows {
		if key.run == run && f.heldBack > 0 && (over || now.Sub(f.counted) >= eventWindow) {
			out[key.reason] = *f
			f.heldBack, f.counted = 0, now
		}
		if f.heldBack == 0 && now.Sub(f.since) >= 2*eventWindow {
			delete(e.flows, key)
		}
	}
	for said, at := range e.said {
		if now.Sub(at) >= repeatEvent {
			delete(e.said, said)
		}
	}
	return out
}

// runOf is the UID of the run or policy that an event belongs to, else that of the object it is about.
func runOf(regarding, related runtime.Object) types.UID {
	for _, o := range []runtime.Object{regarding, related} {
		switch o := o.(type) {
		case *v1alpha1.ValidationRun:
			return o.UID
		case *v1alpha1.ValidationPolicy:
			return o.UID
		}
	}
	if o, err := meta.Accessor(regarding); err == nil {
		return o.GetUID()
	}
	return ""
}
