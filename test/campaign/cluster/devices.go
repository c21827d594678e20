package cluster

import (
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/assay-dev/assay/test/campaign/cases"
)

// UUID of a GPU: another one once it was replaced.
func (m *Machine) UUID(i int) string {
	of := m.Name
	if m.published.falsehood == cases.UUIDsOfOther {
		of = m.published.other
	}
	if i < len(m.serials) && m.serials[i] > 0 {
		return fmt.Sprintf("GPU-%s-%d-%d", of, i, m.serials[i])
	}
	return fmt.Sprintf("GPU-%s-%d", of, i)
}

// Has says whether a GPU is in the machine.
func (m *Machine) Has(uuid string) bool {
	for i := range m.Full {
		if m.UUID(i) == uuid {
			return true
		}
	}
	return false
}

// TakeOver the name of another machine, or be the same one, with another Node.
func (m *Machine) TakeOver(before *Machine, same bool) {
	if m.Spec.Slices {
		m.published.renamed, m.published.pool = before.published.renamed, before.published.pool
		for i := range min(len(m.serials), len(before.serials)) {
			m.serials[i] = before.serials[i]
			if !same {
				m.serials[i]++
			}
		}
	}
	if !same {
		return
	}
	if m.Spec.Slices {
		m.bad = before.bad
	}
	m.SlowOn(slices.Sorted(maps.Keys(before.Slow)))
}

// ReplaceGPU takes the machine down for a moment. worst: the one that is slow, if one is, is replaced by one that is not.
func (m *Machine) ReplaceGPU(worst bool, number int) {
	if m.GPUs == 0 || !m.Spec.Slices {
		return
	}
	i := number % m.GPUs
	switch {
	case worst && m.second >= 0:
		i, m.second = m.second, -1
	case worst:
		i = m.Worst()
		for _, b := range []string{"gemm", "fleet"} {
			delete(m.Slow, b)
			delete(m.Truth.unfitSince, b)
		}
	}
	m.serials[i]++
	m.Reboot()
	m.publish()
}

// offered GPUs of the machine, by where they are; none to a program that uses none.
func (m *Machine) offered(any bool) (all []int) {
	for i := range m.Full {
		if any && !(m.GPUs < m.Full && i == m.lost) {
			all = append(all, i)
		}
	}
	return all
}

// Worst of the GPUs that are offered, if one is slow.
func (m *Machine) Worst() int {
	all := m.offered(true)
	if i := m.bad % m.Full; slices.Contains(all, i) {
		return i
	}
	if m.second >= 0 {
		return m.second
	}
	return all[m.bad%len(all)]
}

// SlowSecond GPU of a machine, beside one that may be slow already.
func (m *Machine) SlowSecond(benchmarks []string) {
	if m.Full < 2 {
		return
	}
	m.second = (m.bad%m.Full + 1) % m.Full
	m.SlowOn(benchmarks)
}

// MovePool gives the pool of the machine another name, or the usual one again.
func (m *Machine) MovePool() {
	m.unpublish("driver")
	if m.published.pool == "" {
		m.published.pool = m.Name + "-gpus"
	} else {
		m.published.pool = ""
	}
	m.publish()
}

// Misstate what is published, for good.
func (m *Machine) Misstate(how string) {
	others := m.cluster.otherNodes(m.Name)
	if !m.Spec.Slices || len(others) == 0 {
		return
	}
	m.Truth.Lies = true
	m.published.falsehood, m.published.other = how, others[m.cluster.Draw("other/"+m.Name)%uint64(len(others))]
	m.unpublish("driver")
	m.publish()
}

// misstated devices: what the driver says of them.
func (m *Machine) misstated(all []resourcev1.Device) []resourcev1.Device {
	switch how := m.published.falsehood; {
	case how == cases.NoUUIDs:
		for i := range all {
			delete(all[i].Attributes, "uuid")
		}
	case how == cases.UUIDTwice && len(all) > 0:
		last := all[len(all)-1].DeepCopy()
		last.Name += "-again"
		last.Attributes["uuid"] = all[m.bad%len(all)].Attributes["uuid"]
		all = append(all, *last)
	}
	return all
}

// TakesPoolOfOther: it is said that the pool of its devices is another node's.
func (m *Machine) TakesPoolOfOther() bool { return m.published.falsehood == cases.PoolOfOther }

// pool that its devices are in, as is said.
func (m *Machine) pool() string {
	switch {
	case m.TakesPoolOfOther():
		return m.published.other
	case m.published.pool != "":
		return m.published.pool
	}
	return m.Name
}

// OfferByPlugin offers the GPUs by a device plugin, too, or does not any more.
func (m *Machine) OfferByPlugin(offers bool) {
	if !m.Spec.Slices || m.Plugin == offers {
		return
	}
	m.Plugin, m.PluginSince = offers, m.cluster.Now()
	m.report(corev1.ConditionTrue)
}

// slowness of a machine that is slow.
const slowness = 0.6

// SlowOn these benchmarks the machine is from now on.
func (m *Machine) SlowOn(benchmarks []string) {
	for _, b := range benchmarks {
		m.Slow[b], m.Truth.EverUnfit, m.Truth.everSlow = slowness, true, append(m.Truth.everSlow, b)
		if m.Truth.unfitSince[b].IsZero() {
			m.Truth.unfitSince[b] = m.cluster.Now()
		}
	}
}

// Repair all that is slow.
func (m *Machine) Repair() {
	m.Slow, m.second, m.Truth.unfitSince = map[string]float64{}, -1, map[string]time.Time{}
}

// LoseGPU for a while: the last one, or the slow one.
func (m *Machine) LoseGPU(worst bool, d time.Duration) {
	if m.GPUs < 2 || m.GPUs < m.Full {
		return
	}
	m.lost = m.Full - 1
	if worst {
		m.lost = m.Worst()
	}
	m.Truth.EverUnfit = true
	m.haveGPUs(m.GPUs - 1)
	m.cluster.After(d, func() { m.haveGPUs(m.GPUs + 1) })
}

// haveGPUs, so many, and say so.
func (m *Machine) haveGPUs(n int) {
	m.GPUs = n
	m.noteOffer()
	m.report(corev1.ConditionTrue)
	m.publish()
}
