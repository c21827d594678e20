package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
)

const (
	notCompleted = `{"schema":"assay.dev/result/v1","benchmark":"storage","version":"dev","measurements":[],"checks":[{"name":"completed","ok":false,"message":"making a folder: No space left on device"}],"elapsedSeconds":0.1}`
	notHere      = `{"schema":"assay.dev/result/v1","benchmark":"storage","skipped":"fio is not installed"}`
)

func TestParseStatementReadsWhyThereIsNoReport(t *testing.T) {
	for _, output := range []string{notCompleted, notCompleted + "\n", strings.Replace(notCompleted, "completed", "finished", 1), notHere} {
		if _, ok := ParseStatement([]byte(output)); !ok {
			t.Errorf("refused %s", output)
		}
	}
}

func TestParseStatementRefuses(t *testing.T) {
	for name, output := range map[string]string{
		"nothing":                      "",
		"a report":                     "T/V N NB P Q Time Gflops\n",
		"a report that quotes one":     "fio: \n" + notCompleted + "\n",
		"a report behind one":          notCompleted + "\nT/V N NB P Q Time Gflops\n",
		"two statements":               notCompleted + "\n" + notHere,
		"a statement cut short":        notCompleted[:len(notCompleted)-5],
		"measurements":                 assayJSON(onePart, `,"checks":[{"name":"completed","ok":false}]`),
		"a check that blames the node": strings.Replace(notCompleted, "completed", "data", 1),
		"a check that is ok":           strings.Replace(notCompleted, `false`, "true", 1),
		"one of two checks is ok":      strings.Replace(notCompleted, `"checks":[`, `"checks":[{"name":"finished","ok":true},`, 1),
		"facts":                        strings.Replace(notCompleted, `"elapsed`, `"facts":[{"name":"version","value":"1"}],"elapsed`, 1),
		"another schema":               strings.Replace(notCompleted, "/v1", "/v2", 1),
	} {
		t.Run(name, func(t *testing.T) {
			if d, ok := ParseStatement([]byte(output)); ok {
				t.Errorf("read as %+v", d)
			}
		})
	}
}

// What the wrappers say in place of a report must never count as one.
func TestNoFormatTakesAStatementForAReport(t *testing.T) {
	for _, format := range Formats() {
		if format == v1alpha1.FormatAssay || format == v1alpha1.FormatRegex {
			continue
		}
		for _, output := range []string{notCompleted, notHere} {
			if d, err := Parse(format, nil, nil, []byte(output)); err == nil {
				t.Errorf("%s reads %s as %+v", format, output, d)
			}
		}
	}
}

func TestAttemptOfAStatementHasTheLogsEnd(t *testing.T) {
	d, ok := ParseStatement([]byte(notCompleted))
	if !ok {
		t.Fatal("refused")
	}
	e := result.Envelope{Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Document: &d, LogTail: "fio: disk full"}
	attempt := e.Attempt(1)
	want := "the program could not measure everything: making a folder: No space left on device; its last lines: fio: disk full"
	if attempt.Verdict != v1alpha1.VerdictError || attempt.Reason != v1alpha1.ReasonProgramFailed || attempt.Message != want {
		t.Errorf("%s/%s %q, want Error/ProgramFailed %q", attempt.Verdict, attempt.Reason, attempt.Message, want)
	}
}

// assayJSON is a valid document whose measurements, and what follows them, are given.
func assayJSON(measurements, more string) string {
	return fmt.Sprintf(`{"schema":"assay.dev/result/v1","benchmark":"p2p","measurements":[%s]%s}`, measurements, more)
}

const onePart = `{"name":"bandwidth","unit":"GB/s","better":"higher","parts":[{"at":"gpu0","value":1.5}]}`
