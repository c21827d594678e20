package benchmarks

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/message"
)

// perfTestTable is the output of one program of perftest, for one device.
type perfTestTable struct {
	test, device string // rdmaWrite, rdmaSendBidirectional ...
	port         string // " port 2", of a device with several
	latency      bool
	unit         float64  // of its bandwidths, in bytes per second; 0: the head was not read
	names        []string // of its latencies, by column after the iterations; empty: not kept
	columns      int      // 0 until the head was read
	rows         sweep    // values of a bandwidth: GB/s, messages/s, and the peak in GB/s; else as names
	closed       bool
}

// perfTestReport is what was read so far.
type perfTestReport struct {
	logs.Log

	tables  []*perfTestTable
	slowCPU int
	port    string // of the device of the next table, where it is not its first
}

var (
	perfTestDevice = regexp.MustCompile(`\bDevice\s*: ([A-Za-z0-9_.-]{1,64})$`)
	perfTestUnit   = regexp.MustCompile(`\bBW average\[([A-Za-z]+)/sec\]`)
	perfTestRule   = regexp.MustCompile(`^-{40,}$`)
	perfTestTests  = map[string]string{"Send": "rdmaSend", "RDMA_Write": "rdmaWrite", "RDMA_Read": "rdmaRead", "Atomic": "rdmaAtomic"}
)

// perfTestUnits are perftest's own: its MB, which newer versions call MiB, is 2^20 bytes, its Gb 1e9 bits.
var perfTestUnits = map[string]float64{"MB": 1 << 20, "MiB": 1 << 20, "Gb": 1e9 / 8}

// PerfTest reads what ib_write_bw, ib_read_bw, ib_send_bw, ib_write_lat and the like print, of one device or of several, one after the
// other. A part is a device.
func PerfTest(lines []string) (result.Document, error) {
	var r perfTestReport
	return r.Read("perftest", logs.Trimmed(lines), logs.Kinds{
		{Pattern: `^(Send|RDMA_Write|RDMA_Read|Atomic)[A-Z_a-z]* (Bidirectional )?(BW|Latency)\b.*Test$`, Note: r.begin},
		{Begins: "Conflicting CPU frequency values", Note: logs.Tally(&r.slowCPU)},
		{Pattern: `^Port: ([0-9]{1,3})$`, Note: logs.Text(&r.port)}, // our rdma prints it; perftest tells no port
		{Pattern: `^Number of qps\s*: ([0-9]{1,9})\b`, Note: r.Setting("qps")},
		{Pattern: `^Mtu\s*: ([0-9]{1,9})\[B\]$`, Note: r.Setting("mtu")},
		{Pattern: `^Link type\s*: ([A-Za-z0-9]{1,32})$`, Note: r.Words("link")},
		{Pattern: `^Connection type\s*: ([A-Za-z0-9]{1,32})\b`, Note: r.Words("connection")},
		{Read: logs.Line(r.readTable)},
	}, r.complete, r.document)
}

func (r *perfTestReport) begin(match []string) {
	r.tables = append(r.tables, &perfTestTable{test: perfTestTests[match[1]] + strings.TrimSpace(match[2]), latency: match[3] == "Latency",
		device: result.NodePart, port: message.With("", " port ", r.port)})
	r.port = ""
}

func (r *perfTestReport) readTable(line string) error {
	if len(r.tables) == 0 {
		return nil // what the launcher said before
	}
	table := r.tables[len(r.tables)-1]
	switch {
	case strings.HasPrefix(line, "#bytes"):
		return table.readHead(line)
	case table.columns == 0:
		if match := perfTestDevice.FindStringSubmatch(line); match != nil {
			table.device = match[1] + table.port
		}
	case perfTestRule.MatchString(line):
		table.closed = true
	case !table.closed:
		return r.readRow(table, line)
	}
	return nil
}

func (t *perfTestTable) readHead(line string) error {
	if t.columns > 0 {
		return result.Bad("the test %s of %s has two heads of a table: the outputs of several programs are mixed", t.test, t.device)
	}
	t.columns = 2 + strings.Count(line, "[")
	if t.latency {
		switch {
		case strings.Contains(line, "t_typical[usec]") && strings.Contains(line, "99% percentile[usec]"):
			t.names = []string{"", "", "Latency", "LatencyMean", "", "LatencyP99"}
		case strings.Contains(line, "t_avg[usec]") && strings.Contains(line, "tps average"):
			t.names = []string{"LatencyMean"}
			t.columns++
		default:
			return result.Bad("the table's head %s is not that of a latency of perftest", result.Quote(line))
		}
		return nil
	}
	match := perfTestUnit.FindStringSubmatch(line)
	if match == nil || perfTestUnits[match[1]] == 0 || !strings.Contains(line, "MsgRate[Mpps]") {
		return result.Bad("the table's head %s has no bandwidth in MB/sec, MiB/sec or Gb/sec and no message rate", result.Quote(line))
	}
	t.unit = perfTestUnits[match[1]]
	return nil
}

func (r *perfTestReport) readRow(t *perfTestTable, line string) error {
	fields := strings.Fields(line)
	if len(fields) == 0 || !osuSize.MatchString(fields[0]) {
		return nil // a warning
	}
	if len(fields) != t.columns {
		return result.Bad("the row %s has %d columns, its head %d: it is cut off or garbled", result.Quote(line), len(fields), t.columns)
	}
	size, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil || size <= 0 {
		return result.Bad("the row %s begins with %s, which is not a size", result.Quote(line), result.Quote(fields[0]))
	}
	row := sweepRow{size: size}
	for _, field := range fields[2:] {
		row.values = append(row.values, r.Figure(logs.Number, field, "reading the row %s of perftest: %w", result.Quote(line)))
	}
	if err := t.rows.add(row); err != nil {
		return err
	}
	if t.latency {
		return row.checkLatency(line, t.names)
	}
	return t.rows[len(t.rows)-1].convert(line, t.unit)
}

// checkLatency requires what is true of every list of times: a digit lost would pass otherwise.
func (r *sweepRow) checkLatency(line string, names []string) error {
	if len(names) == 1 {
		if rate := r.values[1]; r.values[0] <= 0 || !logs.Agree(r.values[0]*rate, 1e6, 0.01, 0.006*rate) && !logs.Agree(2*r.values[0]*rate, 1e6, 0.01, 0.012*rate) {
			return result.Bad("the latency and the rate of %s do not agree: the row is garbled", result.Quote(line))
		}
		return nil
	}
	shortest, longest, typical, mean, p99, p999 := r.values[0], r.values[1], r.values[2], r.values[3], r.values[5], r.values[6]
	if shortest <= 0 || typical < shortest || mean < shortest || p99 < typical || p999 < p99 || longest < p999 {
		return result.Bad("the latencies of %s are not in order: min, typical, 99%%, 99.9%%, max: the row is garbled", result.Quote(line))
	}
	return nil
}

// convert requires that bandwidth and message rate agree: a digit lost would pass otherwise.
func (r *sweepRow) convert(line string, unit float64) error {
	peak, average, rate := r.values[0]*unit, r.values[1]*unit, r.values[2]*1e6
	if average <= 0 || rate <= 0 {
		return result.Bad("the row %s has a bandwidth or a message rate of 0, which is no measurement", result.Quote(line))
	}
	if !logs.Agree(average, rate*float64(r.size), 1e-5, 0.006*unit+0.6*float64(r.size)) {
		return result.Bad("the bandwidth and the message rate of %s do not agree: the row is garbled", result.Quote(line))
	}
	r.values = []float64{average / 1e9, rate, peak / 1e9}
	return nil
}

func (r *perfTestReport) complete() error {
	if len(r.tables) == 0 {
		return result.Bad("no output of perftest (\"RDMA_Write BW Test\" and the like) is in it: it did not start, or this is another program's output")
	}
	seen := map[string]bool{}
	for _, t := range r.tables {
		switch key := fmt.Sprint(t.test, t.latency, t.device); {
		case len(t.rows) == 0:
			return result.Bad("the test %s of %s has no row: it did not finish, or this is the server's output, where the client has the figures", t.test, t.device)
		case !t.closed:
			return result.Bad("the line below the table of %s of %s is missing: the output is cut off", t.test, t.device)
		case seen[key]:
			return result.Bad("two outputs of the test %s of %s: print one of each", t.test, t.device)
		default:
			seen[key] = true
		}
	}
	return nil
}

func (r *perfTestReport) document() error {
	for _, t := range r.tables {
		t.addTo(&r.Document)
	}
	if r.slowCPU > 0 {
		r.Notes = []string{"perftest found the processors below their full clock: its latencies are longer than they need to be, and vary"}
	}
	return nil
}

// addTo adds the bandwidth of the longest messages, and rate and latency of the shortest. Of a sweep, it adds the figures by size too.
func (t *perfTestTable) addTo(d *result.Document) {
	short, long := t.rows[0], t.rows[len(t.rows)-1]
	if !t.latency {
		d.AddPart(t.test+"Bandwidth", "GB/s", result.BetterHigher, result.Part{At: t.device, Value: long.values[0]})
		d.AddPart(t.test+"MessageRate", "messages/s", result.BetterHigher, result.Part{At: t.device, Value: short.values[1]})
		if long.values[2] > 0 { // with a duration, perftest has no peak
			d.AddPart(t.test+"PeakBandwidth", "GB/s", result.BetterHigher, result.Part{At: t.device, Value: long.values[2]})
		}
		t.addSizes(d, t.test+"BandwidthBySize", "GB/s", result.BetterHigher, 0)
		return
	}
	for i, name := range t.names {
		if name != "" {
			d.AddPart(t.test+name, "us", result.BetterLower, result.Part{At: t.device, Value: short.values[i]})
		}
	}
	t.addSizes(d, t.test+"LatencyBySize", "us", result.BetterLower, min(2, len(t.names)-1))
}

func (t *perfTestTable) addSizes(d *result.Document, name, unit string, better result.Better, column int) {
	if len(t.rows) < 2 {
		return
	}
	for _, row := range t.rows {
		d.AddPart(name, unit, better, result.Part{At: fmt.Sprintf("%s %d B", t.device, row.size), Value: row.values[column]})
	}
}
