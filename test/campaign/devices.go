package campaign

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/test/campaign/cases"
)

// uuid of a GPU: another one once it was replaced.
func (m *machine) uuid(i int) string {
	of := m.name
	if m.published.falsehood == cases.UUIDsOfOther {
		of = m.published.other
	}
	if i < len(m.serials) && m.serials[i] > 0 {
		return fmt.Sprintf("GPU-%s-%d-%d", of, i, m.serials[i])
	}
	return fmt.Sprintf("GPU-%s-%d", of, i)
}

// has says whether a GPU is in the machine.
func (m *machine) has(uuid string) bool {
	for i := range m.full {
		if m.uuid(i) == uuid {
			return true
		}
	}
	return false
}

// takeOver the name of another machine, or be the same one, with another Node.
func (m *machine) takeOver(before *machine, same bool) {
	if m.spec.Slices {
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
	if m.spec.Slices {
		m.bad = before.bad
	}
	m.slowOn(slices.Sorted(maps.Keys(before.slow)))
}

// replaceGPU takes the machine down for a moment. worst: the one that is slow, if one is, is replaced by one that is not.
func (m *machine) replaceGPU(worst bool, number int) {
	if m.gpus == 0 || !m.spec.Slices {
		return
	}
	i := number % m.gpus
	switch {
	case worst && m.second >= 0:
		i, m.second = m.second, -1
	case worst:
		i = m.worst()
		for _, b := range []string{"gemm", "fleet"} {
			delete(m.slow, b)
			delete(m.truth.unfitSince, b)
		}
	}
	m.serials[i]++
	m.reboot()
	m.publish()
}

// offered GPUs of the machine, by where they are; none to a program that uses none.
func (m *machine) offered(any bool) (all []int) {
	for i := range m.full {
		if any && !(m.gpus < m.full && i == m.lost) {
			all = append(all, i)
		}
	}
	return all
}

// worst of the GPUs that are offered, if one is slow.
func (m *machine) worst() int {
	all := m.offered(true)
	if i := m.bad % m.full; slices.Contains(all, i) {
		return i
	}
	if m.second >= 0 {
		return m.second
	}
	return all[m.bad%len(all)]
}

// slowSecond GPU of a machine, beside one that may be slow already.
func (m *machine) slowSecond(benchmarks []string) {
	if m.full < 2 {
		return
	}
	m.second = (m.bad%m.full + 1) % m.full
	m.slowOn(benchmarks)
}

// movePool gives the pool of the machine another name, or the usual one again.
func (m *machine) movePool() {
	for _, s := range m.slices() {
		_ = m.cluster.api.Delete("driver", "ResourceSlice", client.ObjectKeyFromObject(s))
	}
	if m.published.pool == "" {
		m.published.pool = m.name + "-gpus"
	} else {
		m.published.pool = ""
	}
	m.publish()
}

// misstate what is published, for good.
func (m *machine) misstate(how string) {
	others := m.cluster.otherNodes(m.name)
	if !m.spec.Slices || len(others) == 0 {
		return
	}
	m.truth.lies = true
	m.published.falsehood, m.published.other = how, others[m.cluster.Draw("other/"+m.name)%uint64(len(others))]
	for _, s := range m.slices() {
		_ = m.cluster.api.Delete("driver", "ResourceSlice", client.ObjectKeyFromObject(s))
	}
	m.publish()
}

// misstated devices: what the driver says of them.
func (m *machine) misstated(all []resourcev1.Device) []resourcev1.Device {
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

// takesPoolOfOther: it is said that the pool of its devices is another node's.
func (m *machine) takesPoolOfOther() bool { return m.published.falsehood == cases.PoolOfOther }

// pool that its devices are in, as is said.
func (m *machine) pool() string {
	switch {
	case m.takesPoolOfOther():
		return m.published.other
	case m.published.pool != "":
		return m.published.pool
	}
	return m.name
}

// offerByPlugin offers the GPUs by a device plugin, too, or does not any more.
func (m *machine) offerByPlugin(offers bool) {
	if !m.spec.Slices || m.plugin == offers {
		return
	}
	m.plugin, m.pluginSince = offers, m.cluster.Now()
	m.report(corev1.ConditionTrue)
}
