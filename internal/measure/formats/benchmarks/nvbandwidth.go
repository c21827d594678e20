package benchmarks

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// nvbMatrix is what one test of nvbandwidth measured: a row for the host or for each GPU, a column for each GPU.
type nvbMatrix struct {
	key         string // of the test
	description string
	values      [][]float64 // NaN where nothing could be measured
	sum         float64     // as nvbandwidth printed it
}

// nvbReport is what was read of nvbandwidth's output, as text or as JSON.
type nvbReport struct {
	logs.Log

	waived   int
	matrices []nvbMatrix
	wrong    []string // tests that copied wrong data
}

// nvbNames are the tests that measure what a program of ours measures too, and its name for that. Other tests keep their own.
var nvbNames = map[string]string{
	"host_to_device_memcpy_ce":                             "hostToDeviceBandwidth",
	"device_to_host_memcpy_ce":                             "deviceToHostBandwidth",
	"host_to_all_memcpy_ce":                                "concurrentHostToDeviceBandwidth",
	"all_to_host_memcpy_ce":                                "concurrentDeviceToHostBandwidth",
	"device_to_device_memcpy_write_ce":                     "writeBandwidth",
	"device_to_device_memcpy_read_ce":                      "readBandwidth",
	"device_to_device_memcpy_write_sm":                     "smWriteBandwidth",
	"device_to_device_memcpy_read_sm":                      "smReadBandwidth",
	"device_to_device_bidirectional_memcpy_write_ce_total": "bidirectionalBandwidth",
	"device_to_device_bidirectional_memcpy_write_sm_total": "smBidirectionalBandwidth",
	"device_to_device_latency_sm":                          "loadLatency",
	"host_device_latency_sm":                               "hostLoadLatency",
}

var (
	nvbKey = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	// One of the two directions that a total is the sum of.
	nvbHalf = regexp.MustCompile(`_bidirectional_.*_(read|write)[12]$`)
)

// NVBandwidth reads the text of nvbandwidth 0.4 and later, or its JSON. Parts are gpuN, or gpuA->gpuB by the way of the data:
// in the tests that read, a row's GPU fetches from the columns', whatever nvbandwidth's arrow says.
func NVBandwidth(output []byte) (result.Document, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(output), []byte("{")) {
		return readNVBText(logs.Trimmed(logs.Lines(output)))
	}
	var r nvbReport
	return r.Read("nvbandwidth", nil, nil, func() error { return r.readJSON(output) }, r.document)
}

func (r *nvbReport) document() error {
	if len(r.wrong) > 0 {
		r.AddCheck("dataIntegrity", strings.Join(r.wrong, " copied wrong data; ")+" copied wrong data")
	}
	reachable := false
	for _, m := range r.matrices {
		if err := m.check(); err != nil {
			return err
		}
		if nvbHalf.MatchString(m.key) {
			continue
		}
		if !reachable && strings.HasPrefix(m.key, "device_to_device_memcpy_") && m.square() {
			reachable = true
			r.Measurements = append(r.Measurements, m.reachablePeers())
		}
		if measured := m.measurement(); len(measured.Parts) > 0 {
			r.Measurements = append(r.Measurements, measured)
		}
	}
	switch {
	case len(r.Measurements) > 0 || len(r.Checks) > 0:
	case r.waived > 0:
		r.Skipped = fmt.Sprintf("nvbandwidth waived all %d of its tests: they need more GPUs, or GPUs that reach each other", r.waived)
	default:
		return result.Bad("no table of nvbandwidth in it: it did not start, or this is another program's output")
	}
	return nil
}

// check adds the matrix up: the sum that nvbandwidth prints tells of every row that was lost or changed.
func (m *nvbMatrix) check() error {
	sum, cells := 0.0, 0
	for _, row := range m.values {
		for _, value := range row {
			if !math.IsNaN(value) {
				sum += value
			}
			cells++
		}
	}
	// Every number was rounded: to two decimals in text, to six digits in JSON.
	rounding := 0.006*float64(cells+1) + 1e-5*math.Abs(sum)
	if !(math.Abs(sum-m.sum) <= rounding) {
		return result.Bad("the matrix of %s adds up to %.2f, but its SUM is %.2f: rows are missing or garbled", result.Quote(m.key), sum, m.sum)
	}
	return nil
}

// square says whether every GPU was measured with every other.
func (m *nvbMatrix) square() bool {
	return len(m.values) > 1 && len(m.values) == len(m.values[0])
}

// transpose makes the row the GPU that the data comes from, where it was the one that reads.
func (m *nvbMatrix) transpose() {
	for i := range m.values {
		for k := range i {
			m.values[i][k], m.values[k][i] = m.values[k][i], m.values[i][k]
		}
	}
}

func (m *nvbMatrix) measurement() result.Measurement {
	measured := result.Measurement{Name: nvbNames[m.key], Unit: "GB/s", Better: result.BetterHigher}
	measured.Name = cmp.Or(measured.Name, lowerCamel(m.key))
	if strings.HasSuffix(m.description, "(ns)") {
		measured.Unit, measured.Better = "ns", result.BetterLower
	}
	if m.square() && strings.Contains(m.key, "_read_") {
		m.transpose()
	}
	both := m.square() && strings.HasSuffix(m.key, "_total")
	for i, row := range m.values {
		for k, value := range row {
			switch {
			case math.IsNaN(value) || value == 0:
			case !both:
				measured.Parts = append(measured.Parts, result.Part{At: m.at(i, k), Value: value, Samples: 1})
			case i < k:
				measured.Parts = append(measured.Parts, m.bothWays(i, k))
			}
		}
	}
	return measured
}

// at names the part of a cell.
func (m *nvbMatrix) at(row, column int) string {
	kind := "gpu"
	if strings.HasPrefix(m.key, "multinode_") {
		kind = "rank"
	}
	if !m.square() && len(m.values) == 1 {
		return fmt.Sprintf("%s%d", kind, column)
	}
	return fmt.Sprintf("%s%d->%s%d", kind, row, kind, column)
}

// bothWays is a pair that was measured twice, once from either side.
func (m *nvbMatrix) bothWays(i, k int) result.Part {
	values := []float64{m.values[i][k]}
	if other := m.values[k][i]; other > 0 {
		values = append(values, other)
	}
	return logs.Sampled(strings.Replace(m.at(i, k), "->", "<->", 1), values)
}

// reachablePeers counts, as `p2p` does, the GPUs that a GPU could copy to or from: a lost link has no bandwidth that a rule could judge.
func (m *nvbMatrix) reachablePeers() result.Measurement {
	peers := result.Measurement{Name: "reachablePeers", Unit: "count", Better: result.BetterHigher}
	for i, row := range m.values {
		count := list.Count(row, func(value float64) bool { return value > 0 })
		peers.Parts = append(peers.Parts, result.Part{At: fmt.Sprintf("gpu%d", i), Value: float64(count)})
	}
	return peers
}

// lowerCamel turns snake_case into a name.
func lowerCamel(key string) string {
	words := strings.Split(key, "_")
	for i, word := range words[1:] {
		if word != "" {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}
