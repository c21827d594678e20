package campaign

import (
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/controllers/devicerules"
	"github.com/assay-dev/assay/controllers/policy"
	"github.com/assay-dev/assay/controllers/run"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/test/campaign/kube"
)

func init() {
	ctrl.SetLogger(logr.Discard())
	controllers.Writers = 1
	retry.DefaultBackoff = wait.Backoff{Steps: 5}
}

var (
	sharedMetrics = metrics.New(prometheus.NewRegistry())
	cachedKinds   = []string{"Benchmark", "DeviceTaintRule", "HardwareProfile", "Node", "NodeValidation", "Pod", "ResourceSlice", "ValidationPolicy", "ValidationRun"}
)

// process is one operator that leads, or believes that it does.
type process struct {
	w     *world
	name  string
	clock time.Duration // ahead of the API server's
	cache *kube.Cache
	alive bool
	// frozen until then: it is stopped, and does not know.
	frozen time.Time
	// stalled until then: changes of a kind do not come in.
	stalled     map[string]time.Time
	awaited     map[string]bool
	controllers []*controller
}

func isOperator(by string) bool { return len(by) > 8 && by[:8] == "operator" }

// Now by the clock of the process.
func (p *process) Now() time.Time { return p.w.now.Add(p.clock) }

// Since a time by the clock of the process.
func (p *process) Since(t time.Time) time.Duration { return p.Now().Sub(t) }

// silent tells nobody of events.
type silent struct{ events.EventRecorder }

func (silent) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}

// startProcess begins with what the API server has now, as a new leader does.
func (w *world) startProcess(name string, clock time.Duration) *process {
	p := &process{w: w, name: name, clock: clock, alive: true, stalled: map[string]time.Time{}, awaited: map[string]bool{}}
	p.cache = kube.NewCache(w.api, controllers.CacheOptions(namespace), cachedKinds...)
	cached := &kube.Client{Server: w.api, By: name, Cache: p.cache, Through: w.through}
	live := &kube.Client{Server: w.api, By: name, Through: w.through}
	var devices *controllers.Devices
	if w.c.hasSlices() {
		devices = &controllers.Devices{Reader: cached, Live: live, Rules: !w.c.Operator.NoRules}
	}
	r := &run.Reconciler{Client: cached, Live: live, Recorder: silent{}, Clock: p, Policy: w.c.Operator.policy(), Devices: devices,
		Settings: workload.Settings{Namespace: namespace, RunnerImage: "runner:1"}, Metrics: sharedMetrics,
		NewLock: func() sync.Locker { return &lock{w: w} }}
	if w.c.Operator.KnownMaxAge > 0 {
		r.KnownFleet, r.KnownMaxAge = controllers.NewKnownFleet(w.c.Operator.KnownMaxAge), w.c.Operator.KnownMaxAge
	}
	e := &policy.Reconciler{Client: cached, Live: live, Recorder: silent{}, Clock: p, Namespace: namespace, Metrics: sharedMetrics, Devices: devices}
	all := append(r.Controllers(4), e.Controller())
	if devices.CanTaint() {
		all = append(all, p.deviceRules(cached, live, devices))
	}
	for _, c := range all {
		p.controllers = append(p.controllers, newController(p, c))
	}
	w.processes = append(w.processes, p)
	w.troubled(w.now)
	w.say("%-11s begins to lead", name)
	for _, kind := range cachedKinds {
		for _, o := range p.cache.All(kind) {
			p.handle(kind, nil, o)
		}
	}
	return p
}

// deviceRules is the controller of DeviceTaintRules.
func (p *process) deviceRules(cached, live *kube.Client, devices *controllers.Devices) controllers.Controller {
	for _, i := range devicerules.Indexes() {
		p.cache.Index(i.Of, i.Field, i.Values)
	}
	r := &devicerules.Reconciler{Client: cached, Live: live, Devices: devices, Recorder: silent{}, Policy: p.w.c.Operator.policy()}
	return r.Controller()
}

// expect a change of a kind to come in by the watch.
func (p *process) expect(kind string) {
	if !p.alive || p.awaited[kind] || p.cache.Behind(kind) == 0 || !isCached(kind) {
		return
	}
	p.awaited[kind] = true
	lag := p.w.between("lag/"+p.name+"/"+kind, 2*time.Millisecond, 80*time.Millisecond)
	if p.w.draw("slow/"+p.name+"/"+kind)%50 == 0 {
		lag += p.w.between("slowlag", 0, 3*time.Second)
	}
	p.w.after(lag, func() { p.deliver(kind) })
}

func isCached(kind string) bool {
	for _, k := range cachedKinds {
		if k == kind {
			return true
		}
	}
	return false
}

// deliver what has come in of a kind, in its order.
func (p *process) deliver(kind string) {
	if !p.alive {
		return
	}
	for _, until := range []time.Time{p.frozen, p.stalled[kind]} {
		if p.w.now.Before(until) {
			p.w.at(until, func() { p.deliver(kind) })
			return
		}
	}
	p.awaited[kind] = false
	for p.cache.Behind(kind) > 0 {
		before, after := p.cache.Deliver(kind)
		p.handle(kind, before, after)
	}
}

// handle lets the controllers' own handlers say whom a change wakes.
func (p *process) handle(kind string, before, after client.Object) {
	if before == nil && after == nil {
		return
	}
	for _, c := range p.controllers {
		for _, w := range c.Watches {
			if p.w.api.KindOf(w.Object) == kind {
				c.handle(w, before, after)
			}
		}
	}
}

// kill the process where it stands.
func (p *process) kill() {
	if !p.alive {
		return
	}
	p.alive = false
	p.w.troubled(p.w.now)
	p.w.say("%-11s is killed", p.name)
	for _, c := range p.controllers {
		for _, a := range c.actors {
			a.kill()
		}
		c.actors = nil
	}
}
