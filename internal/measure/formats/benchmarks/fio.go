package benchmarks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// fioReport is what fio --output-format=json prints, as far as it is read.
type fioReport struct {
	Version string            `json:"fio version"`
	Global  map[string]string `json:"global options"`
	Jobs    []fioJob          `json:"jobs"`
}

type fioJob struct {
	Name    string            `json:"jobname"`
	Error   int64             `json:"error"`
	Options map[string]string `json:"job options"`
	Read    fioSide           `json:"read"`
	Write   fioSide           `json:"write"`
}

// fioSide is one direction of a job.
type fioSide struct {
	Bytes      float64 `json:"io_bytes"`
	PerSecond  float64 `json:"bw_bytes"`
	Rate       float64 `json:"iops"`
	Runtime    float64 `json:"runtime"` // ms
	Operations float64 `json:"total_ios"`
	Latency    struct {
		Mean float64 `json:"mean"`
	} `json:"lat_ns"`
	Completion struct {
		Percentiles map[string]float64 `json:"percentile"`
	} `json:"clat_ns"`
}

// fioWrongData is EILSEQ, with which fio ends a job whose data is not what it wrote.
const fioWrongData = 84

var (
	fioName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)
	// fioPatterns are fio's names of access patterns, and ours.
	fioPatterns = map[string]string{"read": "sequential", "write": "sequential", "rw": "sequentialMixed", "readwrite": "sequentialMixed",
		"randread": "random", "randwrite": "random", "randrw": "randomMixed"}
)

// FIO reads the JSON of fio. A job that verifies its data is part of the check, and not counted as a measurement of speed: it computes
// checksums. Where several jobs have the same pattern, a part is a job.
func FIO(output []byte) (result.Document, error) {
	if at := strings.Index("\n"+string(output), "\n{"); at > 0 {
		output = output[at:] // notes go before it
	}
	var report fioReport
	if err := result.DecodeOthers(output, &report); err != nil {
		return result.Document{}, result.Bad("expected the output of fio --output-format=json: %w", err)
	}
	version, isFIO := strings.CutPrefix(report.Version, "fio-")
	if !isFIO || len(report.Jobs) == 0 {
		return result.Document{}, result.Bad("the JSON has no version of fio or no jobs: it is another program's")
	}
	r := fioReader{global: report.Global}
	r.Version = version
	return r.Read("fio", nil, nil, func() error { return r.readJobs(report.Jobs) })
}

// fioReader is what was read of the jobs.
type fioReader struct {
	logs.Log

	global map[string]string
	// verified says whether any job looked at its data, and wrong what each found that was not as it should be.
	verified bool
	wrong    []string
}

func (r *fioReader) readJobs(jobs []fioJob) error {
	var names []string
	for job := range list.Each(jobs) {
		if !fioName.MatchString(job.Name) || slices.Contains(names, job.Name) {
			return result.Bad("two jobs have the name %s, or it has other characters than letters, digits, dots and dashes: give each its own, or use --group_reporting", result.Quote(job.Name))
		}
		names = append(names, job.Name)
		if err := r.add(job); err != nil && len(r.wrong) > 0 {
			break // wrong data is proved, whatever else went wrong
		} else if err != nil {
			return err
		}
	}
	for m := range list.Each(r.Measurements) {
		if len(m.Parts) == 1 {
			m.Parts[0].At = result.NodePart
		}
	}
	if r.verified || len(r.wrong) > 0 {
		r.AddCheck("data", strings.Join(r.wrong, "; "))
	}
	if len(r.Measurements) == 0 && len(r.Checks) == 0 {
		return result.Bad("no job of fio has read or written anything")
	}
	return nil
}

func (r *fioReader) add(job *fioJob) error {
	option := func(name string) string {
		if value, own := job.Options[name]; own {
			return value
		}
		return r.global[name]
	}
	verifies := option("verify") != ""
	switch {
	case job.Error == fioWrongData:
		r.wrong = append(r.wrong, fmt.Sprintf("job %s of fio read back other data than it had written: the disk, its driver or the memory damages data", job.Name))
		return nil
	case job.Error != 0:
		return result.Bad("the job %s of fio ended with error %d (errno): what it measured until then does not count", result.Quote(job.Name), job.Error)
	case verifies && job.Read.Bytes > 0:
		r.verified = true
		return nil
	case verifies:
		return result.Bad("the job %s of fio was to verify its data, and read nothing", result.Quote(job.Name))
	}
	pattern := fioPatterns[option("rw")]
	if pattern == "" {
		return result.Bad("the job %s of fio has the access pattern %s, which is none of read, write, rw, randread, randwrite and randrw", result.Quote(job.Name), result.Quote(option("rw")))
	}
	if err := r.addSide(job.Name, pattern+"Read", &job.Read); err != nil {
		return err
	}
	return r.addSide(job.Name, pattern+"Write", &job.Write)
}

func (r *fioReader) addSide(job, name string, s *fioSide) error {
	if s.Operations == 0 && s.Bytes == 0 {
		return nil
	}
	seconds := s.Runtime / 1000
	if seconds <= 0 || !logs.Agree(s.PerSecond, s.Bytes/seconds, 0.01, 1) || !logs.Agree(s.Rate, s.Operations/seconds, 0.01, 0.01) {
		return result.Bad("the rates of job %s of fio do not agree with its bytes, operations and time: the output is garbled", result.Quote(job))
	}
	r.AddPart(name+"Bandwidth", "GB/s", result.BetterHigher, result.Part{At: job, Value: s.PerSecond / 1e9})
	r.AddPart(name+"Rate", "operations/s", result.BetterHigher, result.Part{At: job, Value: s.Rate})
	r.AddPart(name+"Latency", "us", result.BetterLower, result.Part{At: job, Value: s.Latency.Mean / 1e3})
	if p99, told := s.Completion.Percentiles["99.000000"]; told {
		r.AddPart(name+"LatencyP99", "us", result.BetterLower, result.Part{At: job, Value: p99 / 1e3})
	}
	return nil
}
