package benchmarks

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// npbReport is the table at the end of a NAS Parallel Benchmark's output.
type npbReport struct {
	kernel  string
	fields  map[string]string // by their names without spaces
	reports int
}

var (
	npbCompleted = regexp.MustCompile(`^([A-Z]{2}) Benchmark Completed\.?$`)
	npbField     = regexp.MustCompile(`^([A-Z][A-Za-z/ ]{3,14}?) *= +(\S.*)$`)
	npbSpaces    = regexp.MustCompile(` +`)
)

// NPB reads the original NAS Parallel Benchmarks, versions 2 and 3, for MPI, OpenMP or one process: rate, time and verification.
func NPB(lines []string) (result.Document, error) {
	report := npbReport{fields: map[string]string{}}
	return logs.Each(lines, report.read, report.document)
}

func (r *npbReport) read(line string) error {
	if match := npbCompleted.FindStringSubmatch(line); match != nil {
		if r.reports++; r.reports > 1 {
			return result.Bad("there is more than one result in it: start one benchmark at a time")
		}
		r.kernel = match[1]
		return nil
	}
	match := npbField.FindStringSubmatch(line)
	if r.reports == 0 || match == nil {
		return nil
	}
	name := strings.ReplaceAll(match[1], " ", "")
	if _, known := r.fields[name]; known {
		return result.Bad("the result has two lines %s: the output is garbled", result.Quote(match[1]))
	}
	r.fields[name] = match[2]
	return nil
}

func (r *npbReport) document() (result.Document, error) {
	if r.reports == 0 {
		return result.Document{}, result.Bad("there is no result (\"CG Benchmark Completed\" or the like): the benchmark did not finish, or this is another program's output")
	}
	check, err := r.verification()
	if err != nil {
		return result.Document{}, err
	}
	rate, err := r.rate()
	if err != nil {
		return result.Document{}, err
	}
	d := result.Document{Schema: result.Schema, Benchmark: "npb", Version: r.fields["Version"], Parameters: r.parameters(), Checks: []result.Check{check}}
	d.AddNode("operationRate", "Mop/s", result.BetterHigher, result.Part{Value: rate})
	seconds, err := logs.Number(r.fields["Timeinseconds"])
	if err != nil || seconds < 0 {
		return result.Document{}, result.Bad("the result has no time in seconds: it is cut off or garbled")
	}
	if seconds > 0 { // two decimals: a small class takes 0.00 s
		d.AddNode("runTime", "s", result.BetterLower, result.Part{Value: seconds})
	}
	return d, nil
}

// verification is there once the table was printed to its end.
func (r *npbReport) verification() (result.Check, error) {
	class := r.fields["Class"]
	switch said := r.fields["Verification"]; {
	case said == "":
		return result.Check{}, result.Bad("the result has no line \"Verification\": it is cut off")
	case said == "NOT PERFORMED" || class == "U":
		return result.Check{}, result.Bad("the result was not verified, because its size belongs to no class: build the benchmark for a class from S to F")
	case said == "SUCCESSFUL":
		return result.Check{Name: "verification", OK: true}, nil
	case said == "UNSUCCESSFUL":
		return result.Check{Name: "verification", Message: fmt.Sprintf("%s of class %s did not compute the published result (Verification = "+
			"UNSUCCESSFUL)", r.kernel, result.Truncate(class, 8))}, nil
	default:
		return result.Check{}, result.Bad("the verification says %s, expected SUCCESSFUL or UNSUCCESSFUL: the line is garbled", result.Quote(said))
	}
}

// rate requires that the total and the share of a process or thread say the same, each rounded to two decimals: a digit lost would
// pass otherwise.
func (r *npbReport) rate() (float64, error) {
	rate, err := logs.Positive(r.fields["Mop/stotal"])
	if err != nil {
		return 0, result.Bad("the result has %s where a rate in Mop/s is expected: it is cut off or garbled", result.Quote(r.fields["Mop/stotal"]))
	}
	for share, count := range map[string]string{"Mop/s/process": "Totalprocesses", "Mop/s/thread": "Totalthreads"} {
		each, err := logs.Number(r.fields[share])
		if err != nil {
			continue
		}
		n, err := strconv.ParseInt(r.fields[count], 10, 32)
		if err != nil || n < 1 {
			continue
		}
		if math.Abs(each*float64(n)-rate) > 0.006*(float64(n)+1)+1e-6*rate {
			return 0, result.Bad("the result says %v Mop/s in all, but %d times %v: the line is garbled", rate, n, each)
		}
	}
	return rate, nil
}

func (r *npbReport) parameters() map[string]any {
	parameters := map[string]any{"kernel": r.kernel}
	for name, field := range map[string]string{"class": "Class", "size": "Size"} {
		if text := r.fields[field]; text != "" {
			parameters[name] = result.Truncate(npbSpaces.ReplaceAllString(text, ""), 64)
		}
	}
	for name, field := range map[string]string{"iterations": "Iterations", "ranks": "Totalprocesses", "threads": "Totalthreads"} {
		if n, err := strconv.ParseInt(r.fields[field], 10, 64); err == nil && n > 0 {
			parameters[name] = json.Number(strconv.FormatInt(n, 10))
		}
	}
	return parameters
}
