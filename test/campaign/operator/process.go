package operator

import (
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/controllers/devicerules"
	"github.com/assay-dev/assay/controllers/policy"
	"github.com/assay-dev/assay/controllers/run"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/kube"
)

func init() {
	ctrl.SetLogger(logr.Discard())
	retry.DefaultBackoff = wait.Backoff{Steps: 5}
}

var (
	sharedMetrics = metrics.New(prometheus.NewRegistry())
	cachedKinds   = []string{"Benchmark", "DeviceTaintRule", "HardwareProfile", "Node", "NodeValidation", "Pod", "ResourceSlice", "ValidationPolicy", "ValidationRun"}
)

// process is one operator that leads, or believes that it does.
type process struct {
	leaders *Leaders
	name    string
	clock   time.Duration // ahead of the API server's
	// server is the API server's clock as the process knows it, where clocks jump; nil: clock says it all.
	server *serverClock
	cache  *kube.Cache
	alive  bool
	// frozen until then: it is stopped, and does not know.
	frozen time.Time
	// stalled until then: changes of a kind do not come in.
	stalled     map[string]time.Time
	awaited     map[string]bool
	controllers []*controller
}

// Is says whether it was a process of the operator that wrote something.
func Is(by string) bool { return len(by) > 8 && by[:8] == "operator" }

// Now by the clock of the process.
func (p *process) Now() time.Time {
	if p.server != nil {
		return p.server.Now()
	}
	return p.leaders.Now().Add(p.clock)
}

// Since a time by the clock of the process.
func (p *process) Since(t time.Time) time.Duration { return p.Now().Sub(t) }

// silent tells nobody of events.
type silent struct{ events.EventRecorder }

func (silent) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}

// startProcess begins with what the API server has now, as a new leader does.
func (l *Leaders) startProcess(name string, clock time.Duration) *process {
	p := &process{leaders: l, name: name, clock: clock, alive: true, stalled: map[string]time.Time{}, awaited: map[string]bool{}}
	if l.clocks {
		p.server = newServerClock(p)
		p.hear()
	}
	p.cache = kube.NewCache(l.api, controllers.CacheOptions(cases.Namespace), cachedKinds...)
	cached := &kube.Client{Server: l.api, By: name, Cache: p.cache, Through: l.through}
	live := &kube.Client{Server: l.api, By: name, Through: l.through}
	var devices *controllers.Devices
	if l.drivers {
		devices = &controllers.Devices{Reader: cached, Live: live, Rules: !l.setup.NoRules}
	}
	r := &run.Reconciler{Client: cached, Live: live, Recorder: silent{}, Clock: p, Policy: l.setup.Policy(), Devices: devices,
		Settings: workload.Settings{Namespace: cases.Namespace, RunnerImage: "runner:1"}, Metrics: sharedMetrics,
		NewLock: func() sync.Locker { return &lock{leaders: l} }}
	if l.setup.KnownMaxAge > 0 {
		r.KnownFleet, r.KnownMaxAge = controllers.NewKnownFleet(l.setup.KnownMaxAge), l.setup.KnownMaxAge
	}
	e := &policy.Reconciler{Client: cached, Live: live, Recorder: silent{}, Clock: p, Metrics: sharedMetrics, Devices: devices}
	all := append(r.Controllers(4), e.Controller())
	if devices.CanTaint() {
		all = append(all, p.deviceRules(cached, live, devices))
	}
	for _, c := range all {
		p.controllers = append(p.controllers, newController(p, c))
	}
	l.processes = append(l.processes, p)
	l.Troubled(l.Now())
	l.Say("%-11s begins to lead", name)
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
	r := &devicerules.Reconciler{Client: cached, Live: live, Devices: devices, Recorder: silent{}, Policy: p.leaders.setup.Policy()}
	return r.Controller()
}

// expect a change of a kind to come in by the watch.
func (p *process) expect(kind string) {
	if !p.alive || p.awaited[kind] || p.cache.Behind(kind) == 0 || !slices.Contains(cachedKinds, kind) {
		return
	}
	p.awaited[kind] = true
	lag := p.leaders.Between("lag/"+p.name+"/"+kind, 2*time.Millisecond, 80*time.Millisecond)
	if p.leaders.Draw("slow/"+p.name+"/"+kind)%50 == 0 {
		lag += p.leaders.Between("slowlag", 0, 3*time.Second)
	}
	p.leaders.After(lag, func() { p.deliver(kind) })
}

// deliver what has come in of a kind, in its order.
func (p *process) deliver(kind string) {
	if !p.alive {
		return
	}
	for _, until := range []time.Time{p.frozen, p.stalled[kind]} {
		if p.leaders.Now().Before(until) {
			p.leaders.At(until, func() { p.deliver(kind) })
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
			if p.leaders.api.KindOf(w.Object) == kind {
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
	p.leaders.Troubled(p.leaders.Now())
	p.leaders.Say("%-11s is killed", p.name)
	for _, c := range p.controllers {
		for _, a := range c.actors {
			a.kill()
		}
		c.actors = nil
	}
}
