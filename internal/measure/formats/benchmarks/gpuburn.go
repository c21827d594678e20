package benchmarks

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// burnGPU is what gpu-burn said of one GPU.
type burnGPU struct {
	done    int64     // products, as last reported
	rates   []float64 // TFLOP/s of each report that had new products
	errors  int64     // the most that one report had
	hottest float64   // in C; 0: never told
	died    bool
	verdict string // OK or FAULTY; empty until the end
}

type burnReport struct {
	logs.Log

	gpus    []*burnGPU
	ended   bool
	tested  int // known once it has ended
	devices []int
	failure string // of a GPU that did not start
}

var (
	burnDone   = regexp.MustCompile(`^(-1|[0-9]{1,18}) \(\s*([0-9]{1,9}) Gflop/s\)$`)
	burnErrors = regexp.MustCompile(`^(-?[0-9]{1,18})\s*(?:\((WARNING!|DIED!)\))?$`)
	burnTemp   = regexp.MustCompile(`^(?:([0-9]{1,4}) C|unknown)$`)
	burnSplit  = regexp.MustCompile(`\s*-\s+`) // a minus has its digit behind it
)

// burnPrecisions are our names for gpu-burn's.
var burnPrecisions = map[string]string{"FLOATS": "fp32", "DOUBLES": "fp64"}

// GPUBurn reads the progress lines of gpu-burn and its verdict on each GPU. It exits with 0 whatever it found, and calls a GPU on
// which nothing ran OK: such an output is refused. The rate is the median of the reports but the first, which contains the start.
func GPUBurn(lines []string) (result.Document, error) {
	var r burnReport
	return r.Read("gpu-burn", logs.Trimmed(lines), logs.Kinds{
		{Pattern: `^([0-9]{1,3}\.[0-9])%\s+proc'd:\s+(.*?)\s*errors:\s+(.*?)\s*temps:\s+(.*?)(?:\s*power:.*)?$`, Read: r.readProgress},
		{Pattern: `^Tested ([0-9]{1,3}) GPUs:$`, Read: r.readTested},
		{If: &r.ended, Pattern: `^GPU ([0-9]{1,3}): (OK|FAULTY)$`, Read: r.readVerdict},
		{Pattern: `^((?:Couldn't init|Failure during compute:).*)`, Note: logs.Text(&r.failure)},
		{If: &r.ended, Pattern: `^(.*(?:: OK|FAULTY).*)`, Read: logs.Refuse("the verdict %s is garbled")},
		{Pattern: `^(.*proc'd:.*temps:.*|.*temps:.*proc'd:.*)`, Read: logs.Refuse("the line %s is garbled: something else was printed into it")},
		{Pattern: `Initialized device ([0-9]{1,3}) with .*, using (FLOATS|DOUBLES)(, using Tensor Cores)?$`, Note: r.readDevice},
		{Pattern: `Burning for ([0-9]{1,8}) sec(?:onds|s)\b`, Note: r.Setting("seconds")},
	}, r.complete, r.document)
}

func (r *burnReport) readTested(match []string) error {
	if r.ended {
		return result.Bad("gpu-burn's result stands twice: print one run")
	}
	r.ended = true
	r.tested, _ = strconv.Atoi(match[1])
	return nil
}

func (r *burnReport) readDevice(match []string) {
	if device, err := strconv.Atoi(match[1]); err == nil && len(r.devices) < result.MaxDevices {
		r.devices = append(r.devices, device)
	}
	r.AddParameter("precision", burnPrecisions[match[2]])
	r.AddParameter("tensorCores", match[3] != "")
}

// readProgress reads percentage, products and rates, errors and temperatures of each GPU, with dashes between them.
func (r *burnReport) readProgress(match []string) error {
	done, errors, temps := burnList(match[2]), burnList(match[3]), burnList(match[4])
	if len(done) != len(errors) || len(done) != len(temps) {
		return result.Bad("the line %s tells of %d, %d and %d GPUs: it is garbled", result.Quote(match[0]), len(done), len(errors), len(temps))
	}
	if r.gpus == nil {
		for range done {
			r.gpus = append(r.gpus, &burnGPU{})
		}
	}
	if len(done) != len(r.gpus) {
		return result.Bad("the line %s tells of %d GPUs, the one before of %d: the output of two runs is mixed", result.Quote(match[0]), len(done), len(r.gpus))
	}
	for i, gpu := range r.gpus {
		if err := gpu.read(done[i], errors[i], temps[i]); err != nil {
			return err
		}
	}
	return nil
}

func burnList(text string) []string {
	return burnSplit.Split(strings.TrimSpace(strings.ReplaceAll(text, "--", "unknown")), -1)
}

func (g *burnGPU) read(done, errors, temp string) error {
	rate, wrong, heat := burnDone.FindStringSubmatch(done), burnErrors.FindStringSubmatch(strings.TrimSpace(errors)), burnTemp.FindStringSubmatch(strings.TrimSpace(temp))
	if rate == nil || wrong == nil || heat == nil {
		return result.Bad("a GPU's report is %s, %s and %s: expected products and a rate, errors, and a temperature", result.Quote(done), result.Quote(errors), result.Quote(temp))
	}
	products, _ := strconv.ParseInt(rate[1], 10, 64) // so many digits fit, here and below
	if g.died = wrong[2] == "DIED!" || products < 0; g.died {
		return nil
	}
	gigaflops, _ := strconv.ParseFloat(rate[2], 64)
	if products > g.done && gigaflops > 0 {
		g.rates = append(g.rates, gigaflops/1e3)
	}
	count, _ := strconv.ParseInt(wrong[1], 10, 64)
	celsius, _ := strconv.ParseFloat(heat[1], 64) // 0 of a temperature that is unknown
	g.done, g.errors, g.hottest = products, max(g.errors, count), max(g.hottest, celsius)
	return nil
}

func (r *burnReport) readVerdict(match []string) error {
	index, err := strconv.Atoi(match[1])
	if err != nil || index >= len(r.gpus) || r.gpus[index].verdict != "" {
		return result.Bad("a verdict on GPU %s that did not report, or a second one: lines are missing, or two outputs are mixed", match[1])
	}
	r.gpus[index].verdict = match[2]
	return nil
}

// complete requires a verdict on each GPU, and that each computed something: gpu-burn calls those that did not OK, too.
func (r *burnReport) complete() error {
	switch {
	case len(r.gpus) == 0 && r.failure == "":
		return result.Bad("no progress line of gpu-burn in it: it did not start, or this is another program's output")
	case !r.ended && r.failure != "":
		return result.Bad("gpu-burn did not run: %s", result.Quote(r.failure))
	case !r.ended:
		return result.Bad("the end of gpu-burn's output (\"Tested %d GPUs\") is missing: it was interrupted, or its output is cut off", len(r.gpus))
	case r.tested != len(r.gpus):
		return result.Bad("gpu-burn tested %d GPUs, but reported on %d: lines are missing", r.tested, len(r.gpus))
	}
	because := "" // of what gpu-burn said of a failure, if that stands in its output: it prints it on stderr
	if r.failure != "" {
		because = " (" + result.Quote(r.failure) + ")"
	}
	for i, gpu := range r.gpus {
		switch {
		case gpu.died:
			return result.Bad("the process of gpu%d died, which says nothing of its data: look for Xid errors in the node's kernel log%s", i, because)
		case gpu.verdict == "":
			return result.Bad("no verdict on gpu%d: the output is cut off", i)
		case len(gpu.rates) == 0 && gpu.verdict == "OK":
			return result.Bad("gpu%d computed nothing, though gpu-burn calls it OK: it did not start, or the time was too short%s", i, because)
		}
	}
	return nil
}

func (r *burnReport) document() error {
	var faulty []string
	for i, gpu := range r.gpus {
		at, values := r.at(i), gpu.rates
		if len(values) > 1 {
			values = values[1:]
		}
		if len(values) > 0 {
			r.AddPart("burn", "TFLOP/s", result.BetterHigher, logs.Sampled(at, values))
		}
		if gpu.hottest > 0 {
			r.AddPart("temperature", "C", result.BetterLower, result.Part{At: at, Value: gpu.hottest})
		}
		if gpu.verdict == "FAULTY" {
			wrong := ""
			if gpu.errors > 0 { // it counts them in 32 bits, which overflow: 0 or less is no number of them
				wrong = fmt.Sprintf(", %d wrong elements in one of its reports", gpu.errors)
			}
			faulty = append(faulty, at+": FAULTY"+wrong)
		}
	}
	r.AddCheck("dataIntegrity", strings.Join(faulty, "; "))
	return nil
}

// at is the part of a GPU: with -i N, gpu-burn numbers the only GPU 0, and names it where it starts.
func (r *burnReport) at(index int) string {
	if len(r.gpus) == 1 && len(r.devices) == 1 {
		index = r.devices[0]
	}
	return fmt.Sprintf("gpu%d", index)
}
