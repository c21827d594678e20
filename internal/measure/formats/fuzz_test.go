package formats

import (
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/measuretest"
	"github.com/assay-dev/assay/test/testdata"
)

// addOutputs seeds a fuzz target with the captured outputs, whole and cut in half.
func addOutputs(f *testing.F, names ...string) {
	f.Helper()
	for _, name := range names {
		output := testdata.Output(name)
		f.Add([]byte(output))
		f.Add([]byte(output[:len(output)/2]))
	}
}

// checkParsed requires an error of a known kind, or a document that the API can store.
func checkParsed(t *testing.T, d result.Document, err error) {
	t.Helper()
	if err != nil {
		if !errors.Is(err, result.ErrNoOutput) && !errors.Is(err, result.ErrBadOutput) && !errors.Is(err, result.ErrTooLarge) && !errors.Is(err, result.ErrBadRequest) {
			t.Fatalf("the error %v is of no known kind", err)
		}
		if !utf8.ValidString(err.Error()) || len(err.Error()) > 4*2048 {
			t.Fatalf("the error is not fit for a message: %q", err)
		}
		return
	}
	e := measured(d)
	if d.Skipped != "" {
		e.Outcome, e.Reason = result.OutcomeSkipped, v1alpha1.ReasonCannotRunHere
	}
	measuretest.CheckAttempt(t, e.Attempt(1))
	text, _, err := result.EncodeToFit(e)
	if err != nil {
		t.Fatalf("what was parsed cannot be encoded: %v", err)
	}
	if _, err := result.Decode(text); err != nil {
		t.Fatalf("what was encoded cannot be decoded: %v", err)
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
