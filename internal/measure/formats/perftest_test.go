package formats

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/testdata"
)

func TestParsePerfTestReadsDevices(t *testing.T) {
	parameters := map[string]any{"qps": json.Number("1"), "mtu": json.Number("4096"), "link": "IB", "connection": "RC"}
	for file, want := range map[string]map[string]float64{
		"perftest-write-bw-documented.txt": {
			"rdmaWriteBandwidth GB/s mlx5_0": 49.3263, "rdmaWritePeakBandwidth GB/s mlx5_0": 49.3525, "rdmaWriteMessageRate messages/s mlx5_0": 47041,
			"rdmaWriteBandwidth GB/s mlx5_1": 49.2625, "rdmaWritePeakBandwidth GB/s mlx5_1": 49.2888, "rdmaWriteMessageRate messages/s mlx5_1": 46980},
		"perftest-write-bw-duration-documented.txt": {
			"rdmaWriteBidirectionalBandwidth GB/s mlx5_0": 49.3537, "rdmaWriteBidirectionalMessageRate messages/s mlx5_0": 753078},
		"perftest-write-lat-documented.txt": {
			"rdmaWriteLatency us mlx5_0": 1.47, "rdmaWriteLatencyMean us mlx5_0": 1.49, "rdmaWriteLatencyP99 us mlx5_0": 1.57,
			"rdmaWriteLatency us mlx5_1": 1.48, "rdmaWriteLatencyMean us mlx5_1": 1.5, "rdmaWriteLatencyP99 us mlx5_1": 1.61},
	} {
		t.Run(file, func(t *testing.T) {
			reads(t, parseTool(t, v1alpha1.FormatPerfTest, testdata.Output(file)), "", parameters, want)
		})
	}
}

// A card of two ports is one device, and perftest does not print which of them it used.
func TestParsePerfTestTellsPortsOfADevice(t *testing.T) {
	output := swap(t, testdata.Output("perftest-write-bw-documented.txt"), "mlx5_1", "mlx5_0")
	second := strings.LastIndex(output, strings.Repeat("-", 87)+"\n                    RDMA_Write BW Test")
	got := figures(parseTool(t, v1alpha1.FormatPerfTest, output[:second]+"Port: 2\n"+output[second:]))
	if got["rdmaWriteBandwidth GB/s mlx5_0"] != 49.32625 || got["rdmaWriteBandwidth GB/s mlx5_0 port 2"] != 49.2625 {
		t.Errorf("figures are %v", got)
	}
}

func TestParsePerfTestReadsSweeps(t *testing.T) {
	bandwidth := figures(parseTool(t, v1alpha1.FormatPerfTest, testdata.Output("perftest-send-bw-sweep-documented.txt")))
	d := parseTool(t, v1alpha1.FormatPerfTest, testdata.Output("perftest-send-lat-sweep-documented.txt"))
	latency := figures(d)
	for name, pair := range map[string][2]float64{
		"the bandwidth is that of the longest": {bandwidth["rdmaSendBandwidth GB/s mlx5_0"], bandwidth["rdmaSendBandwidthBySize GB/s mlx5_0 8388608 B"]},
		"the rate is that of the shortest":     {bandwidth["rdmaSendMessageRate messages/s mlx5_0"], 3623346},
		"the latency is that of the shortest":  {latency["rdmaSendLatency us mlx5_0"], 1.84},
		"the latency of 8 bytes":               {latency["rdmaSendLatencyBySize us mlx5_0 8 B"], 1.86},
	} {
		if pair[0] == 0 || pair[0] != pair[1] {
			t.Errorf("%s: %v and %v", name, pair[0], pair[1])
		}
	}
	if len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "full clock") {
		t.Errorf("notes are %q", d.Notes)
	}
}

// Rows that users of perftest have published, with the bandwidth in GB/s. Each holds the rate of its messages too, so that units prove right.
func TestParsePerfTestReadsRealRows(t *testing.T) {
	rule := strings.Repeat("-", 87)
	for row, test := range map[string]struct {
		unit string
		want float64
	}{
		" 4096       8758300          0.00 11403.46                   2.919285":                   {"MB", 11.9574},
		" 8388608       5000       373.98                      373.64                   0.005568": {"Gb", 46.705},
		" 1048576    71244            0.00               99.61  \t\t   0.011874":                  {"Gb", 12.4513},
		" 1048576    5000             15128.13            15121.79              0.015122":         {"MiB", 15.8564},
		" 2          5000           0.142947            0.012281            0.767588":             {"Gb", 0.00153513},
	} {
		output := "RDMA_Write BW Test\n" + rule + "\n #bytes     #iterations    BW peak[" + test.unit + "/sec]    BW average[" + test.unit + "/sec]   MsgRate[Mpps]\n" +
			row + "\n" + rule + "\n"
		got := parseTool(t, v1alpha1.FormatPerfTest, output).Measurements[0]
		if got.Parts[0].At != result.NodePart || !logs.Agree(got.Parts[0].Value, test.want, 1e-5, 0) {
			t.Errorf("%s: %+v, want %v GB/s", row, got.Parts, test.want)
		}
	}
}

func TestParsePerfTestReadsLatencyByDuration(t *testing.T) {
	output := swap(t, testdata.Output("perftest-write-lat-documented.txt"),
		" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]",
		" #bytes        #iterations       t_avg[usec]    tps average")
	row := output[strings.Index(output, "\n 2 "):]
	output = swap(t, output, row[:strings.Index(row, "\n-")], "\n 2       3355704            1.49          335570.47")
	got := figures(parseTool(t, v1alpha1.FormatPerfTest, output))
	if got["rdmaWriteLatencyMean us mlx5_0"] != 1.49 {
		t.Errorf("figures are %v", got)
	}
	refuses(t, v1alpha1.FormatPerfTest, map[string][2]string{"a digit lost": {swap(t, output, "335570.47", "35570.47"), "do not agree"}})
}

func TestParsePerfTestRefuses(t *testing.T) {
	bandwidth, latency := testdata.Output("perftest-write-bw-documented.txt"), testdata.Output("perftest-write-lat-documented.txt")
	sweep := testdata.Output("perftest-send-bw-sweep-documented.txt")
	row := bandwidth[strings.Index(bandwidth, "\n 1048576"):]
	row = row[:strings.Index(row, "\n-")]
	refuses(t, v1alpha1.FormatPerfTest, map[string][2]string{
		"another program's output":           {testdata.Output("osu-bw-documented.txt"), "no output of perftest"},
		"the server's output":                {swap(t, bandwidth, row, ""), "the server's output"},
		"an output that did not begin":       {bandwidth[:strings.Index(bandwidth, " #bytes")], "no row"},
		"a table without its end":            {bandwidth[:strings.LastIndex(bandwidth, "\n---")], "cut off"},
		"a row cut off":                      {swap(t, bandwidth, row, row[:len(row)-10]), "4 columns"},
		"a digit of a bandwidth lost":        {swap(t, bandwidth, "394.61", "34.61"), "do not agree"},
		"a digit of a rate lost":             {swap(t, bandwidth, "0.047041", "0.0470"), "do not agree"},
		"another unit":                       {swap(t, bandwidth, "BW average[Gb/sec]", "BW average[MB/sec]"), "do not agree"},
		"a unit that is none":                {swap(t, bandwidth, "BW average[Gb/sec]", "BW average[GT/sec]"), "no bandwidth in"},
		"a bandwidth of 0":                   {swap(t, bandwidth, "394.61", "0.00"), "no measurement"},
		"a bandwidth that is none":           {swap(t, bandwidth, "394.61", "-nan"), "not a finite number"},
		"one device twice":                   {swap(t, bandwidth, "mlx5_1", "mlx5_0"), "two outputs"},
		"two programs at once":               {swap(t, bandwidth, row, row+"\n #bytes #iterations"), "mixed"},
		"rows lost from a sweep":             {sweep[:strings.Index(sweep, " 64  ")] + sweep[strings.Index(sweep, " 128  "):], "rows are missing"},
		"a digit of a latency lost":          {swap(t, latency, "1.47", ".47"), "not in order"},
		"latencies that run into each other": {swap(t, latency, "0.04   \t\t1.57", "2465.901216.65"), "columns"},
		"a head of latencies garbled":        {swap(t, latency, "t_typical", "t_typica"), "not that of a latency"},
	})
}
