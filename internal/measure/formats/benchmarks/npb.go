package benchmarks

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// npbReport is the table at the end of a NAS Parallel Benchmark's output.
type npbReport struct {
	logs.Log

	kernel string            // empty until its table begins
	fields map[string]string // by their names without spaces
}

// NPB reads the original NAS Parallel Benchmarks, versions 2 and 3, for MPI, OpenMP or one process: rate, time and verification.
func NPB(lines []string) (result.Document, error) {
	report := npbReport{fields: map[string]string{}}
	return report.Read("npb", logs.Trimmed(lines), logs.Kinds{
		{Pattern: `^([A-Z]{2}) Benchmark Completed\.?$`, Read: report.begin},
		{Pattern: `^([A-Z][A-Za-z/ ]{3,14}?) *= +(\S.*)$`, Read: report.readField},
	}, report.verify, report.document)
}

func (r *npbReport) begin(match []string) error {
	if r.kernel != "" {
		return result.Bad("there is more than one result in it: start one benchmark at a time")
	}
	r.kernel = match[1]
	return nil
}

func (r *npbReport) readField(match []string) error {
	if r.kernel == "" {
		return nil
	}
	name := strings.ReplaceAll(match[1], " ", "")
	if _, known := r.fields[name]; known {
		return result.Bad("the result has two lines %s: the output is garbled", result.Quote(match[1]))
	}
	r.fields[name] = match[2]
	return nil
}

func (r *npbReport) document() error {
	rate, err := r.rate()
	if err != nil {
		return err
	}
	r.Version = r.fields["Version"]
	r.keepParameters()
	r.AddNode("operationRate", "Mop/s", result.BetterHigher, result.Part{Value: rate})
	seconds, err := logs.Number(r.fields["Timeinseconds"])
	if err != nil || seconds < 0 {
		return result.Bad("the result has no time in seconds: it is cut off or garbled")
	}
	if seconds > 0 { // two decimals: a small class takes 0.00 s
		r.AddNode("runTime", "s", result.BetterLower, result.Part{Value: seconds})
	}
	return nil
}

// verify by the line that is there once the table was printed to its end.
func (r *npbReport) verify() error {
	class := r.fields["Class"]
	switch said := r.fields["Verification"]; {
	case r.kernel == "":
		return result.Bad("there is no result (\"CG Benchmark Completed\" or the like): the benchmark did not finish, or this is another program's output")
	case said == "":
		return result.Bad("the result has no line \"Verification\": it is cut off")
	case said == "NOT PERFORMED" || class == "U":
		return result.Bad("the result was not verified, because its size belongs to no class: build the benchmark for a class from S to F")
	case said == "SUCCESSFUL":
		r.AddCheck("verification", "")
	case said == "UNSUCCESSFUL":
		r.AddCheck("verification", fmt.Sprintf("%s of class %s did not compute the published result (Verification = UNSUCCESSFUL)", r.kernel, result.Truncate(class, 8)))
	default:
		return result.Bad("the verification says %s, expected SUCCESSFUL or UNSUCCESSFUL: the line is garbled", result.Quote(said))
	}
	return nil
}

// rate requires that the total and the share of a process or thread say the same, each rounded to two decimals: a digit lost would
// pass otherwise.
func (r *npbReport) rate() (float64, error) {
	rate, err := logs.Positive(r.fields["Mop/stotal"])
	if err != nil {
		return 0, result.Bad("the result has %s where a rate in Mop/s is expected: it is cut off or garbled", result.Quote(r.fields["Mop/stotal"]))
	}
	for share, count := range map[string]string{"Mop/s/process": "Totalprocesses", "Mop/s/thread": "Totalthreads"} {
		each, none := logs.Number(r.fields[share])
		n, err := strconv.ParseInt(r.fields[count], 10, 32)
		if none != nil || err != nil || n < 1 {
			continue
		}
		if math.Abs(each*float64(n)-rate) > 0.006*(float64(n)+1)+1e-6*rate {
			return 0, result.Bad("the result says %v Mop/s in all, but %d times %v: the line is garbled", rate, n, each)
		}
	}
	return rate, nil
}

func (r *npbReport) keepParameters() {
	r.AddParameter("kernel", r.kernel)
	for name, field := range map[string]string{"class": "Class", "size": "Size"} {
		if text := r.fields[field]; text != "" {
			r.AddParameter(name, result.Truncate(strings.ReplaceAll(text, " ", ""), 64))
		}
	}
	for name, field := range map[string]string{"iterations": "Iterations", "ranks": "Totalprocesses", "threads": "Totalthreads"} {
		if n, err := strconv.ParseInt(r.fields[field], 10, 64); err == nil {
			r.AddCount(name, n)
		}
	}
}
