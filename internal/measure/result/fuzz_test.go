package result

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// addOutputs seeds a fuzz target with the captured outputs, whole and cut in half.
func addOutputs(f *testing.F, names ...string) {
	f.Helper()
	for _, name := range names {
		output := captured(f, name)
		f.Add([]byte(output))
		f.Add([]byte(output[:len(output)/2]))
	}
}

// checkParsed requires an error of a known kind, or a document that the API can store.
func checkParsed(t *testing.T, d Document, err error) {
	t.Helper()
	if err != nil {
		if !errors.Is(err, ErrNoOutput) && !errors.Is(err, ErrBadOutput) && !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrBadRequest) {
			t.Fatalf("the error %v is of no known kind", err)
		}
		if !utf8.ValidString(err.Error()) || len(err.Error()) > 4*maxMessage {
			t.Fatalf("the error is not fit for a message: %q", err)
		}
		return
	}
	if err := d.validate(); err != nil {
		t.Fatalf("an invalid document came back: %v", err)
	}
	e := measured(d)
	if d.Skipped != "" {
		e.Outcome, e.Reason = OutcomeSkipped, v1alpha1.ReasonCannotRunHere
	}
	checkAttempt(t, e.Attempt(1))
	text, _, err := EncodeToFit(e)
	if err != nil {
		t.Fatalf("what was parsed cannot be encoded: %v", err)
	}
	if _, err := Decode(text); err != nil {
		t.Fatalf("what was encoded cannot be decoded: %v", err)
	}
}

// checkAttempt requires what the CRD requires.
func checkAttempt(t *testing.T, attempt v1alpha1.Attempt) {
	t.Helper()
	text := func(what, value string, limit int) {
		if !utf8.ValidString(value) || utf8.RuneCountInString(value) > limit || strings.ContainsRune(value, 0x1b) {
			t.Fatalf("%s is not fit for the API: %q", what, value)
		}
	}
	decimal := func(value v1alpha1.Decimal) {
		if !apiDecimal.MatchString(string(value)) || len(value) > 32 {
			t.Fatalf("%q is not a Decimal", value)
		}
	}
	text("reason", attempt.Reason, 64)
	text("message", attempt.Message, 2048)
	text("version", attempt.Version, 64)
	for _, m := range append(attempt.Measurements, attempt.Telemetry...) {
		if !namePattern.MatchString(m.Name) || len(m.Parts) == 0 || len(m.Parts) > 1024 {
			t.Fatalf("measurement %q with %d parts", m.Name, len(m.Parts))
		}
		text("name", m.Name, 63)
		text("unit", m.Unit, 32)
		for _, part := range m.Parts {
			text("at", part.At, 128)
			decimal(part.Value)
			if part.Spread != "" {
				decimal(part.Spread)
			}
		}
	}
	if len(attempt.Measurements) > 64 || len(attempt.Checks) > 64 || len(attempt.Notes) > 32 || len(attempt.Devices) > 128 {
		t.Fatal("a list is over the API's limit")
	}
	for _, check := range attempt.Checks {
		text("check", check.Name, 63)
		text("message", check.Message, 512)
	}
	for _, note := range attempt.Notes {
		text("note", note, 512)
	}
	if len(attempt.Facts) > 1024 {
		t.Fatalf("%d facts", len(attempt.Facts))
	}
	for _, fact := range attempt.Facts {
		text("fact", fact.Name, 63)
		text("at", fact.At, 128)
		if text("value", fact.Value, 128); fact.Value == "" {
			t.Fatalf("fact %s has no value", fact.Name)
		}
	}
}

func FuzzParseAssay(f *testing.F) {
	addOutputs(f, "assay-stream.json", "assay-inventory.json", "assay-train.json")
	f.Add([]byte(assayJSON(onePart, `,"checks":[{"name":"a","ok":false,"message":"m"}],"device":[{"index":0,"uuid":"u"}]`)))
	f.Add([]byte(assayJSON(onePart, `,"facts":[{"name":"cores","value":1e3},{"name":"vbios","at":"gpu0","value":"96"},{"name":"smt","value":true}]`)))
	f.Fuzz(func(t *testing.T, output []byte) {
		d, err := Parse(v1alpha1.FormatAssay, nil, nil, output)
		checkParsed(t, d, err)
	})
}

func FuzzParseHPL(f *testing.F) {
	addOutputs(f, "hpl.txt", "hpl-two-sizes.txt", "hpl-failed.txt", "hpl-6-problems.txt")
	f.Fuzz(func(t *testing.T, output []byte) {
		d, err := Parse(v1alpha1.FormatHPL, nil, nil, output)
		checkParsed(t, d, err)
	})
}

func FuzzParseSTREAM(f *testing.F) {
	addOutputs(f, "stream.txt", "stream-failed.txt", "stream-hpcc-2ranks.txt", "hpcc.txt")
	f.Fuzz(func(t *testing.T, output []byte) {
		d, err := Parse(v1alpha1.FormatSTREAM, nil, nil, output)
		checkParsed(t, d, err)
	})
}

func FuzzParseOSU(f *testing.F) {
	addOutputs(f, "osu-latency-documented.txt", "osu-bw-validation-documented.txt", "osu-bibw-documented.txt", "osu-mbw-mr-documented.txt",
		"osu-allreduce-full-documented.txt", "osu-barrier-documented.txt")
	f.Fuzz(func(t *testing.T, output []byte) {
		d, err := Parse(v1alpha1.FormatOSU, nil, nil, output)
		checkParsed(t, d, err)
	})
}

func FuzzParseGROMACS(f *testing.F) {
	addOutputs(f, "gromacs-2022-threads.txt", "gromacs-2022-mpi.txt", "gromacs-2022-terminated.txt")
	f.Fuzz(func(t *testing.T, output []byte) {
		d, err := Parse(v1alpha1.FormatGROMACS, nil, nil, output)
		checkParsed(t, d, err)
	})
}

func FuzzParseNPB(f *testing.F) {
	addOutputs(f, "npb-cg-mpi-documented.txt", "npb-ft-omp-documented.txt")
	f.Fuzz(func(t *testing.T, output []byte) {
		d, err := Parse(v1alpha1.FormatNPB, nil, nil, output)
		checkParsed(t, d, err)
	})
}

func FuzzParseLAMMPS(f *testing.F) {
	addOutputs(f, "lammps-2021-mpi.txt", "lammps-2021-two-runs.txt", "lammps-2021-lost-atoms.txt", "lammps-2025.txt")
	f.Fuzz(func(t *testing.T, output []byte) {
		d, err := Parse(v1alpha1.FormatLAMMPS, nil, nil, output)
		checkParsed(t, d, err)
	})
}

func FuzzParseHPCC(f *testing.F) {
	addOutputs(f, "hpcc.txt")
	f.Fuzz(func(t *testing.T, output []byte) {
		d, err := Parse(v1alpha1.FormatHPCC, nil, nil, output)
		checkParsed(t, d, err)
	})
}

func FuzzParseFIO(f *testing.F) {
	addOutputs(f, "fio-3.33.json", "fio-3.33-damaged.json")
	f.Fuzz(func(t *testing.T, output []byte) {
		d, err := Parse(v1alpha1.FormatFIO, nil, nil, output)
		checkParsed(t, d, err)
	})
}

func FuzzParseNAMD(f *testing.F) {
	addOutputs(f, "namd2-documented.txt", "namd3-documented.txt")
	f.Fuzz(func(t *testing.T, output []byte) {
		d, err := Parse(v1alpha1.FormatNAMD, nil, nil, output)
		checkParsed(t, d, err)
	})
}

func FuzzParsePerfTest(f *testing.F) {
	addOutputs(f, "perftest-write-bw-documented.txt", "perftest-send-bw-sweep-documented.txt", "perftest-write-bw-duration-documented.txt", "perftest-write-lat-documented.txt", "perftest-send-lat-sweep-documented.txt")
	f.Fuzz(func(t *testing.T, output []byte) {
		d, err := Parse(v1alpha1.FormatPerfTest, nil, nil, output)
		checkParsed(t, d, err)
	})
}

func FuzzParseWRF(f *testing.F) {
	addOutputs(f, "wrf-documented.txt", "wrf-nested-documented.txt")
	f.Fuzz(func(t *testing.T, output []byte) {
		d, err := Parse(v1alpha1.FormatWRF, nil, nil, output)
		checkParsed(t, d, err)
	})
}

func FuzzParseFluent(f *testing.F) {
	addOutputs(f, "fluent-documented.txt", "fluent-benchmark-documented.txt")
	f.Fuzz(func(t *testing.T, output []byte) {
		d, err := Parse(v1alpha1.FormatFluent, nil, nil, output)
		checkParsed(t, d, err)
	})
}

func FuzzParseNVBandwidth(f *testing.F) {
	addOutputs(f, "nvbandwidth-documented.txt", "nvbandwidth-one-gpu-documented.txt", "nvbandwidth-documented.json")
	f.Fuzz(func(t *testing.T, output []byte) {
		d, err := Parse(v1alpha1.FormatNVBandwidth, nil, nil, output)
		checkParsed(t, d, err)
	})
}

func FuzzParseNCCLTests(f *testing.F) {
	addOutputs(f, "nccl-tests-documented.txt", "nccl-tests-old-documented.txt", "nccl-tests-mpi-wrong-documented.txt")
	f.Fuzz(func(t *testing.T, output []byte) {
		d, err := Parse(v1alpha1.FormatNCCLTests, nil, nil, output)
		checkParsed(t, d, err)
	})
}

func FuzzParseBabelStream(f *testing.F) {
	addOutputs(f, "babelstream-documented.txt", "babelstream-csv-documented.txt", "babelstream-mib-float-documented.txt",
		"babelstream-openmp-documented.txt", "babelstream-triad-only-documented.txt")
	f.Fuzz(func(t *testing.T, output []byte) {
		d, err := Parse(v1alpha1.FormatBabelStream, nil, nil, output)
		checkParsed(t, d, err)
	})
}

func FuzzParseGPUBurn(f *testing.F) {
	addOutputs(f, "gpu-burn-documented.txt", "gpu-burn-faulty-documented.txt", "gpu-burn-not-started-documented.txt", "gpu-burn-died-documented.txt")
	f.Fuzz(func(t *testing.T, output []byte) {
		d, err := Parse(v1alpha1.FormatGPUBurn, nil, nil, output)
		checkParsed(t, d, err)
	})
}

func FuzzParseRegex(f *testing.F) {
	f.Add(`(?P<at>\w+)=(?P<value>\S+)`, []byte("a=1 b=2 a=3"))
	f.Add(`rate (?P<value>.*)`, []byte("rate 1e309\nrate NaN\nrate 1,5"))
	f.Fuzz(func(t *testing.T, expression string, output []byte) {
		d, err := Parse(v1alpha1.FormatRegex, pattern("rate", expression), regexMetrics, output)
		checkParsed(t, d, err)
	})
}

func FuzzParseNumber(f *testing.F) {
	for _, text := range []string{"1", "-1.5e3", ".5", "1e309", "nan", "0x1p3", "1_000", "1,5", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, err := parseNumber(text)
		if err == nil && (math.IsNaN(value) || math.IsInf(value, 0)) {
			t.Fatalf("%q became %v", text, value)
		}
	})
}

// FuzzDecode packs what the fuzzer invents, because nothing it invents would get past gzip's checksum.
func FuzzDecode(f *testing.F) {
	for _, e := range []Envelope{measured(smallDocument()), measured(bigNode(1)), failed(v1alpha1.ReasonTimedOut)} {
		text, err := Encode(e)
		if err != nil {
			f.Fatal(err)
		}
		packed, err := base64Decode(text)
		if err != nil {
			f.Fatal(err)
		}
		plain, err := unpack(packed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, plain)
	}
	f.Fuzz(func(t *testing.T, text string, plain []byte) {
		for _, message := range []string{text, pack(t, plain)} {
			e, err := Decode(message)
			if err != nil {
				if !errors.Is(err, ErrBadEnvelope) && !errors.Is(err, ErrNoOutput) {
					t.Fatalf("the error %v is of no known kind", err)
				}
				continue
			}
			checkAttempt(t, e.Attempt(1))
			if _, _, err := EncodeToFit(e); err != nil {
				t.Fatalf("what was decoded cannot be encoded: %v", err)
			}
		}
	})
}
