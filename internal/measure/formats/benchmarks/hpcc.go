package benchmarks

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// hpccFigure is what is measured of hpcc's summary.
type hpccFigure struct {
	key, name, unit string
	better          result.Better
	scale           float64
}

// hpccFigures have the names that formats HPL and STREAM give the same.
var hpccFigures = []hpccFigure{
	{"HPL_Tflops", "hpl", "GFLOP/s", result.BetterHigher, 1e3},
	{"StarDGEMM_Gflops", "starDgemm", "GFLOP/s", result.BetterHigher, 1},
	{"SingleDGEMM_Gflops", "singleDgemm", "GFLOP/s", result.BetterHigher, 1},
	{"PTRANS_GBs", "transpose", "GB/s", result.BetterHigher, 1},
	{"MPIRandomAccess_GUPs", "randomAccess", "GUP/s", result.BetterHigher, 1},
	{"StarRandomAccess_GUPs", "starRandomAccess", "GUP/s", result.BetterHigher, 1},
	{"StarSTREAM_Copy", "starCopy", "GB/s", result.BetterHigher, 1},
	{"StarSTREAM_Scale", "starScale", "GB/s", result.BetterHigher, 1},
	{"StarSTREAM_Add", "starAdd", "GB/s", result.BetterHigher, 1},
	{"StarSTREAM_Triad", "starTriad", "GB/s", result.BetterHigher, 1},
	{"SingleSTREAM_Triad", "singleTriad", "GB/s", result.BetterHigher, 1},
	{"MPIFFT_Gflops", "fft", "GFLOP/s", result.BetterHigher, 1},
	{"StarFFT_Gflops", "starFft", "GFLOP/s", result.BetterHigher, 1},
	{"MaxPingPongLatency_usec", "pingPongLatency", "us", result.BetterLower, 1},
	{"MinPingPongBandwidth_GBytes", "pingPongBandwidth", "GB/s", result.BetterHigher, 1},
	{"NaturallyOrderedRingBandwidth_GBytes", "naturalRingBandwidth", "GB/s", result.BetterHigher, 1},
	{"RandomlyOrderedRingBandwidth_GBytes", "randomRingBandwidth", "GB/s", result.BetterHigher, 1},
	{"RandomlyOrderedRingLatency_usec", "randomRingLatency", "us", result.BetterLower, 1},
}

// hpccWork says by which work over which time a rate of the summary comes about.
var hpccWork = []struct {
	rate, seconds string
	perSecond     func(figures map[string]float64) float64 // work in the unit of the rate
	slowest       bool                                     // the rate is that of the slowest repetition, the time that of the last
}{
	{rate: "HPL_Tflops", seconds: "HPL_time", perSecond: func(f map[string]float64) float64 { return hplFlops(f["HPL_N"]) / 1e12 }},
	{rate: "PTRANS_GBs", seconds: "PTRANS_time", slowest: true,
		perSecond: func(f map[string]float64) float64 { return 8 * f["PTRANS_n"] * f["PTRANS_n"] / 1e9 }},
	{rate: "MPIRandomAccess_GUPs", seconds: "MPIRandomAccess_time", perSecond: func(f map[string]float64) float64 { return f["MPIRandomAccess_ExeUpdates"] / 1e9 }},
}

// hpccErrors is the share of a table that RandomAccess may get wrong, because its updates race by design.
const hpccErrors = 0.01

// hpccUnable are lines of a part that could not work, most often because memory was short.
const hpccUnable = `^(?:Failed to allocate .*|.*Memory allocation failed.*|[1-9][0-9]{0,8} tests skipped because of illegal input values\.|Node\(s\) with error [1-9][0-9]{0,8})$`

// hpccReport is what was read of hpcc's output.
type hpccReport struct {
	logs.Log

	summary      map[string]string
	begun, ended int
	failed       int64  // tests of HPL and PTRANS
	unable       string // the first line of a part that could not work
	reading      bool
}

// HPCC reads the summary at the end of hpcc's output (hpccoutf.txt): name=value, of which -1 says that a part did not run.
func HPCC(lines []string) (result.Document, error) {
	report := hpccReport{summary: map[string]string{}}
	return report.Read("hpcc", logs.Trimmed(lines), logs.Kinds{
		{Pattern: `^Begin of Summary section\.$`, Note: func([]string) { report.begun, report.reading = report.begun+1, true }},
		{Pattern: `^End of Summary section\.$`, Note: func([]string) { report.ended, report.reading = report.ended+1, false }},
		{If: &report.reading, Pattern: `^([A-Za-z][A-Za-z0-9_]{0,62})=(\S*)$`, Read: report.readPair},
		{If: &report.reading, Read: logs.Refuse("the summary has the line %s, expected NAME=VALUE: it is garbled")},
		{Pattern: `^([0-9]{1,9}) tests completed and failed residual checks[.,]$`, Note: report.readFailed},
		{Pattern: hpccUnable, Note: func(match []string) { report.unable = cmp.Or(report.unable, match[0]) }},
	}, report.document)
}

func (r *hpccReport) readFailed(match []string) {
	failed, _ := strconv.ParseInt(match[1], 10, 64) // nine digits
	r.failed += failed
}

func (r *hpccReport) readPair(match []string) error {
	if _, twice := r.summary[match[1]]; twice {
		return result.Bad("the summary has %s twice: two outputs are mixed", match[1])
	}
	r.summary[match[1]] = match[2]
	return nil
}

func (r *hpccReport) document() error {
	switch {
	case r.begun == 0:
		return result.Bad("hpcc's summary (\"Begin of Summary section.\") is not in it: it did not finish, or this is another program's output")
	case r.begun > 1:
		return result.Bad("there are %d summaries of hpcc in it: print one (hpcc appends to hpccoutf.txt)", r.begun)
	case r.ended == 0:
		return result.Bad("the end of hpcc's summary (\"End of Summary section.\") is missing: the output is cut off")
	}
	figures, err := r.figures()
	if err != nil {
		return err
	}
	if version := []string{r.summary["VersionMajor"], r.summary["VersionMinor"], r.summary["VersionMicro"]}; !slices.Contains(version, "") {
		r.Version = strings.Join(version, ".")
	}
	for key, name := range map[string]string{"CommWorldProcs": "ranks", "HPL_N": "N", "STREAM_VectorSize": "arrayElements", "STREAM_Threads": "threads"} {
		r.AddCount(name, int64(figures[key]))
	}
	for _, f := range hpccFigures {
		if value, ok := figures[f.key]; ok && value > 0 {
			r.AddNode(f.name, f.unit, f.better, result.Part{Value: value * f.scale})
		}
	}
	if len(r.Measurements) == 0 {
		return result.Bad("every figure of hpcc's summary is -1: no part of it ran")
	}
	return nil
}

// figures are the summary's numbers. One that is missing was lost: hpcc prints -1 for what did not run.
func (r *hpccReport) figures() (map[string]float64, error) {
	keys := []string{"Success", "CommWorldProcs", "HPL_N", "STREAM_VectorSize", "STREAM_Threads", "PTRANS_n", "MPIRandomAccess_ExeUpdates",
		"MPIRandomAccess_ErrorsFraction"}
	for _, f := range hpccFigures {
		keys = append(keys, f.key)
	}
	for _, work := range hpccWork {
		keys = append(keys, work.seconds)
	}
	figures := map[string]float64{}
	for _, key := range keys {
		text, ok := r.summary[key]
		if !ok {
			return nil, result.Bad("hpcc's summary has no %s: lines are missing", key)
		}
		figures[key] = r.Figure(logs.Number, text, "reading %s of hpcc's summary: %w", key)
	}
	return figures, cmp.Or(checkWork(figures), r.verify(figures))
}

// checkWork requires that rates are those of their times: a digit lost would pass otherwise.
func checkWork(figures map[string]float64) error {
	for _, work := range hpccWork {
		rate, seconds := figures[work.rate], figures[work.seconds]
		if rate <= 0 {
			continue // did not run
		}
		want := work.perSecond(figures) / seconds
		fits := logs.Agree(rate, want, 0.01, 0) || work.slowest && rate < want
		if seconds <= 0 || math.IsInf(want, 0) || !fits {
			return result.Bad("hpcc reports %s=%v, but its work in %s=%v makes %.6g: the summary is garbled", work.rate, rate, work.seconds, seconds, want)
		}
	}
	return nil
}

// verify tells wrong data from a part that could not work: hpcc says Success=0 of both.
func (r *hpccReport) verify(figures map[string]float64) error {
	wrong, idle := "", list.First(hpccFigures, func(f *hpccFigure) bool { return figures[f.key] <= 0 }) // of a part that did not work
	switch {
	case r.failed > 0:
		wrong = fmt.Sprintf("%d tests of HPL or PTRANS computed a wrong result", r.failed)
	case figures["MPIRandomAccess_ErrorsFraction"] > hpccErrors:
		wrong = fmt.Sprintf("RandomAccess left %.3g%% of its table wrong, at most %.3g%% are allowed",
			figures["MPIRandomAccess_ErrorsFraction"]*100, hpccErrors*100)
	case figures["Success"] == 1:
	case r.unable != "":
		return result.Bad("hpcc reports Success=0, and says %s: a part of it could not work; give it more memory, or a smaller matrix", result.Quote(r.unable))
	case idle != nil:
		return result.Bad("hpcc reports Success=0 and %s=%v: a part of it could not work; give it more memory, or a smaller matrix", idle.key, figures[idle.key])
	default:
		wrong = "hpcc reports Success=0: one of its parts computed wrong data, and its output says which"
	}
	r.AddCheck("verification", wrong)
	return nil
}
