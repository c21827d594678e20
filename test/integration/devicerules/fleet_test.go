package devicerules_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/controllers"
)

// The fleet of TestAFleet: each of its nodes has eight devices.
const (
	fleetNodes    = 1000
	fleetDevices  = 8
	fleetRestarts = 50
)

// machine is a node as the test knows it: what it publishes by slot, and which devices are out of service.
type machine struct {
	node  *corev1.Node
	gpus  []string
	out   []string
	lives int
}

// TestAFleet of 1,000 nodes with 1 % of their devices out of service: exactly these have a rule, also after 50 restarts of the controller, between and in
// which nodes are lost and come back, drivers publish other names, GPUs are replaced, and marks come and go.
func TestAFleet(t *testing.T) {
	if !served {
		t.Skip("the API server has no DeviceTaintRules")
	}
	random := rand.New(rand.NewPCG(7, 31))
	fleet := make([]*machine, fleetNodes)
	must(t, controllers.Each(slices.Collect(indexes(fleetNodes)), func(i int) error {
		m := &machine{node: newNode(t, fmt.Sprintf("node-%04d", i))}
		m.gpus = ids(fmt.Sprintf("%04d-0", i), fleetDevices)
		publish(t, m.node, m.node.Name, m.gpus...)
		fleet[i] = m
		return nil
	}))
	for range fleetNodes * fleetDevices / 100 {
		fleet[random.IntN(fleetNodes)].convict(t, random)
	}
	stop, _ := manage(t)
	exact(t, fleet, "at first")
	var longest time.Duration
	for restart := range fleetRestarts {
		for range 4 { // while a controller runs
			fleet[random.IntN(fleetNodes)].happens(t, random)
		}
		stop()
		for range 4 { // while none does
			someOut(fleet, random).happens(t, random)
		}
		stop, _ = manage(t)
		for range 2 { // while it starts
			someOut(fleet, random).happens(t, random)
		}
		longest = max(longest, exact(t, fleet, fmt.Sprintf("after restart %d", restart)))
	}
	t.Logf("after a restart all rules were right within %s", longest.Round(time.Millisecond))
	for _, m := range fleet {
		if len(m.out) > 0 {
			mark(t, m.node, "")
		}
	}
	ruled(t, "all passed")
}

func indexes(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// someOut is a machine of which a device is out of service: there is more to do wrong.
func someOut(fleet []*machine, random *rand.Rand) *machine {
	for {
		if m := fleet[random.IntN(len(fleet))]; len(m.out) > 0 {
			return m
		}
	}
}

// convict one more device.
func (m *machine) convict(t *testing.T, random *rand.Rand) {
	if gpu := m.gpus[random.IntN(len(m.gpus))]; !slices.Contains(m.out, gpu) {
		m.out = append(m.out, gpu)
	}
	slices.Sort(m.out)
	mark(t, m.node, "failed", m.out...)
}

// happens lets one thing happen to the machine.
func (m *machine) happens(t *testing.T, random *rand.Rand) {
	t.Helper()
	switch random.IntN(6) {
	case 0: // lost, and another one comes under its name
		must(t, api.Delete(t.Context(), m.node.DeepCopy()))
		if random.IntN(2) == 0 { // the garbage collector takes a moment
			withdraw(m.node, m.node.Name)
		}
		m.lives++
		m.out, m.gpus = nil, ids(fmt.Sprintf("%s-%d", strings.TrimPrefix(m.node.Name, "node-"), m.lives), fleetDevices)
		m.node = newNode(t, m.node.Name)
		publish(t, m.node, m.node.Name, m.gpus...)
	case 1: // numbered otherwise
		random.Shuffle(len(m.gpus), func(i, j int) { m.gpus[i], m.gpus[j] = m.gpus[j], m.gpus[i] })
		publish(t, m.node, m.node.Name, m.gpus...)
	case 2: // a GPU is replaced
		m.lives++
		m.gpus[random.IntN(len(m.gpus))] = fmt.Sprintf("GPU-%s-new-%d", m.node.Name, m.lives)
		publish(t, m.node, m.node.Name, m.gpus...)
	case 3: // its driver starts anew
		withdraw(m.node, m.node.Name)
		publish(t, m.node, m.node.Name, m.gpus...)
	case 4: // passed
		m.out = nil
		mark(t, m.node, "")
	default:
		m.convict(t, random)
	}
}

// exact waits until just those devices have a rule that are out of service, and says how long it took.
func exact(t *testing.T, fleet []*machine, when string) time.Duration {
	t.Helper()
	var want []string
	for _, m := range fleet {
		for slot, gpu := range m.gpus {
			if slices.Contains(m.out, gpu) {
				want = append(want, fmt.Sprintf("%s/gpu-%d failed", m.node.Name, slot))
			}
		}
	}
	took := ruled(t, when, want...)
	for _, r := range ours(t) { // nor is any called by the name of another
		node := r.Annotations["assay.dev/node"]
		if s := r.Spec.DeviceSelector; node != *s.Pool || !slices.ContainsFunc(fleet, func(m *machine) bool {
			return m.node.Name == node && slices.Contains(m.out, r.Annotations["assay.dev/device"])
		}) {
			t.Errorf("%s: rule %s is %+v", when, r.Name, r.ObjectMeta)
		}
	}
	return took
}
