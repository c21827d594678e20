package main

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const outputs = "../../../test/testdata/outputs/"

// write makes a file of ours for a test.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func document(benchmark, parameters, measurements string) string {
	return `{"schema": "assay.dev/result/v1", "benchmark": "` + benchmark + `", "parameters": {` + parameters + `}, "measurements": [` + measurements + `]}`
}

const p2p = `{"name": "bidirectionalBandwidth", "unit": "GB/s", "better": "higher", "parts": [{"at": "gpu0<->gpu1", "value": 392.0063}]},
	{"name": "onlyOurs", "unit": "GB/s", "better": "higher", "parts": [{"at": "gpu0", "value": 1}]},
	{"name": "writeBandwidth", "unit": "GB/s", "better": "higher", "parts": [{"at": "gpu0->gpu1", "value": 198.0095}, {"at": "gpu1->gpu0", "value": 396.002}]}`

func table(t *testing.T, args ...string) []string {
	t.Helper()
	var out strings.Builder
	if err := run(args, &out); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(out.String()) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return lines
}

func TestRatiosOfMediansAndOfParts(t *testing.T) {
	ours := write(t, "p2p.json", document("p2p", "", p2p))
	theirs := "NVBandwidth=" + outputs + "nvbandwidth-documented.json"
	want := []string{
		"MEASUREMENT PARTS OURS THEIRS UNIT RATIO OF PARTS BETTER",
		"bidirectionalBandwidth gpu0<->gpu1 392.01 784.01 GB/s 0.500 higher",
		"writeBandwidth 2 297.01 396.01 GB/s 0.750 0.500-1.000 higher",
	}
	if diff := cmp.Diff(want, table(t, ours, theirs)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	want = []string{
		"MEASUREMENT PART OURS THEIRS UNIT RATIO BETTER",
		"bidirectionalBandwidth gpu0<->gpu1 392.01 784.01 GB/s 0.500 higher",
		"writeBandwidth gpu0->gpu1 198.01 396.02 GB/s 0.500 higher",
		"writeBandwidth gpu1->gpu0 396 396 GB/s 1.000 higher",
	}
	if diff := cmp.Diff(want, table(t, "--parts", ours, theirs)); diff != "" {
		t.Errorf("--parts: -want +got:\n%s", diff)
	}
}

// A recording holds several repetitions, of which the median counts, and series with other options, which are not compared.
func TestARecordingCountsByItsMedian(t *testing.T) {
	run := func(value string) string {
		return `{"exitCode": 0, "document": ` + document("gpustream", "", `{"name": "hbmTriad", "unit": "GB/s", "better": "higher", "parts": [{"at": "gpu0", "value": `+value+`}]}`) + `}`
	}
	path := filepath.Join(t.TempDir(), "node.json.gz")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	packed := gzip.NewWriter(file)
	_, err = packed.Write([]byte(`{"series": {"gpustream": {"runs": [` + run("4000") + `,` + run("4381.024") + `,` + run("9000") + `, {"exitCode": 1, "document": null}]},
		"gpustream-best": {"runs": [` + run("1") + `]}}}`))
	if err != nil || packed.Close() != nil || file.Close() != nil {
		t.Fatal("writing the recording failed")
	}
	got := table(t, path, "BabelStream="+outputs+"babelstream-triad-only-documented.txt")
	if diff := cmp.Diff("hbmTriad gpu0 4381 4381 GB/s 1.000 higher", got[len(got)-1]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestLoadsOfAnotherPrecisionAreNotCompared(t *testing.T) {
	burn := `{"name": "burn", "unit": "TFLOP/s", "better": "higher", "parts": [{"at": "gpu0", "value": 54.179}]}`
	theirs := "GPUBurn=" + outputs + "gpu-burn-documented.txt"
	got := table(t, write(t, "burn.json", document("burn", `"precision": "fp64"`, burn)), theirs)
	if diff := cmp.Diff("burn fp64 gpu0 54.179 54.179 TFLOP/s 1.000 higher", got[len(got)-1]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	err := run([]string{write(t, "burn.json", document("burn", `"precision": "bf16"`, burn)), theirs}, &strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), "nothing in common") {
		t.Errorf("bf16 beside fp64: %v", err)
	}
}

func TestWhatCannotBeComparedIsSaid(t *testing.T) {
	ours := write(t, "p2p.json", document("p2p", "", p2p))
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no file":            {nil, "expected documents of ours"},
		"nothing of theirs":  {[]string{ours}, "expected documents of ours"},
		"an unknown option":  {[]string{"--all", ours}, "only --parts is known"},
		"an unknown format":  {[]string{ours, "nvbandwidth=" + outputs + "nvbandwidth-documented.json"}, "expected one of"},
		"a file that is not": {[]string{ours, "NVBandwidth=missing.txt"}, "no such file"},
		"another tool's":     {[]string{ours, "GPUBurn=" + outputs + "nvbandwidth-documented.txt"}, "no progress line"},
		"other measurements": {[]string{ours, "GPUBurn=" + outputs + "gpu-burn-documented.txt"}, "nothing in common"},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(test.args, &strings.Builder{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want one that says %q", err, test.want)
			}
		})
	}
}

func TestPartsAreInTheOrderOfTheirNumbers(t *testing.T) {
	for _, ordered := range [][2]string{{"gpu2", "gpu10"}, {"64KiB", "1MiB"}, {"8B", "64KiB"}, {"256MiB", "8GiB"}, {"a", "b"}} {
		if byNumber(ordered[0], ordered[1]) >= 0 || byNumber(ordered[1], ordered[0]) <= 0 {
			t.Errorf("%s does not come before %s", ordered[0], ordered[1])
		}
	}
}
