package export

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

const (
	begins = `{"schema":"assay.dev/export/v1","tool":"v1"}` + "\n"
	aRun   = `{"run":{"metadata":{"name":"a","uid":"u"},"spec":{}}}` + "\n"
	itsEnd = `{"end":{"runs":1,"results":0,"validations":0}}` + "\n"
)

func TestAFileThatCannotBeReadSaysWhatToDo(t *testing.T) {
	whole := saved(t, randomRun(t, 7), randomRun(t, 8))
	packed := zipped(t, whole)
	long := zipped(t, []byte(strings.Repeat("a long first line ", 10_000)))
	cut := long[:len(long)-12]
	damaged := bytes.Clone(packed)
	damaged[len(damaged)-6] ^= 0xff // of the checksum
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":                   {nil, "the file is empty: "},
		"a text":                  {[]byte("hello\n"), "this is no saved run: "},
		"a table":                 {[]byte("NODE   VERDICT\n"), "this is no saved run: "},
		"a number":                {[]byte("7\n"), "this is no saved run: "},
		"binary":                  {[]byte("\x7fELF\x00\x00\n"), "this is no saved run: "},
		"JSON over several lines": {[]byte("{\n  \"schema\": \"assay.dev/report/v1\"\n}\n"), "this is no saved run: "},
		"a report":                {[]byte(`{"schema":"assay.dev/report/v1"}`), `a document with the schema "assay.dev/report/v1"`},
		"a future schema":         {[]byte(`{"schema":"assay.dev/export/v2","tool":"v9"}`), `the schema "assay.dev/export/v2", and this program reads assay.dev/export/v1: use kubectl-assay "v9"`},
		"half of it":              {whole[:len(whole)/2], "the file is cut off: "},
		"without its last line":   {[]byte(begins + aRun), "the file is cut off: it ends at line 2,"},
		"only its header":         {[]byte(begins), "the file is cut off: it ends at line 1,"},
		"half of it, compressed":  {packed[:len(packed)/2], "the compressed file is damaged or cut off at line "},
		"its first bytes":         {packed[:5], "the compressed file is damaged or cut off at line 1"},
		"cut in its first line":   {cut, "the compressed file is damaged or cut off at line 1"},
		"damaged":                 {damaged, "the compressed file is damaged or cut off at line "},
		"a line is missing":       {[]byte(begins + aRun + `{"end":{"runs":1,"results":2,"validations":0}}`), "it has 1 runs, 0 results and 0 records of nodes, and was written with 1, 2 and 0"},
		"garbage in its middle":   {[]byte(begins + "{]\n" + itsEnd), "reading line 2: invalid character"},
		"a string for a run":      {[]byte(begins + `{"run":"a"}` + "\n" + itsEnd), "reading line 2: json: cannot unmarshal string"},
		"a result first":          {[]byte(begins + `{"result":{"run":{"uid":"u"}}}` + "\n"), "line 2 comes before the run"},
		"a run without a name":    {[]byte(begins + `{"run":{}}` + "\n"), "the run in line 2 has no name"},
		"another run's result":    {[]byte(begins + aRun + `{"result":{"run":{"name":"b\u001b[2J","uid":"v"}}}` + "\n"), `line 3 is a result of run "b\x1b[2J" and stands among those of run "a"`},
		"something after its end": {[]byte(begins + aRun + itsEnd + "more\n"), "this is no saved run: "},
	} {
		t.Run(name, func(t *testing.T) {
			err := Read(bytes.NewReader(c.file), everyRun, &Collected{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestABombTakesNoMoreThanItsLimit(t *testing.T) {
	limit := limits{lineBytes: 1 << 10, fileBytes: 64 << 10}
	for name, c := range map[string]struct{ file, want string }{
		"a long line":     {begins + strings.Repeat("a", 1<<20), "line 2 is longer than"},
		"many lines":      {begins + aRun + strings.Repeat(`{"result":{"run":{"uid":"u"}}}`+"\n", 1<<14), "the file has more than"},
		"many empty ones": {begins + strings.Repeat("\n", 1<<20), "the file has more than"},
	} {
		for _, file := range [][]byte{[]byte(c.file), zipped(t, []byte(c.file))} {
			err := read(bytes.NewReader(file), everyRun, &Collected{}, limit)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %s", name, err, c.want)
			}
		}
	}
}

func TestAnErrorOfReadingIsPassedOn(t *testing.T) {
	broken := errors.New("the disk is gone")
	from := iotest.ErrReader(broken)
	if err := Read(from, everyRun, &Collected{}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// What a program wrote steers no terminal in any format, and lines are read back as they were.
func TestNoFormatSteersATerminal(t *testing.T) {
	r := rack3(t)
	const hostile = "a\x1b]0;x\a\x7f\u009b\u202eb<c"
	r.Cluster = hostile
	value := &r.Results[0].Benchmarks[0].Attempts[0].Measurements[0].Parts[0]
	value.At = hostile
	var table, samples bytes.Buffer
	csv, _ := NewTable(&table)
	pour(t, csv, r)
	om, _ := NewSamples(&samples)
	pour(t, om, r)
	lines := saved(t, r)
	for name, text := range map[string][]byte{"jsonl": lines, "csv": table.Bytes(), "openmetrics": samples.Bytes()} {
		if i := bytes.IndexFunc(text, func(r rune) bool { return r != '\n' && Steers(r) }); i >= 0 {
			t.Errorf("%s: %q", name, text[max(0, i-20):i+20])
		}
	}
	parsed(t, samples.Bytes())
	var again Collected
	if err := Read(bytes.NewReader(lines), everyRun, &again); err != nil || again.Runs[0].Cluster != hostile ||
		again.Runs[0].Results[0].Benchmarks[0].Attempts[0].Measurements[0].Parts[0].At != hostile {
		t.Errorf("error %v, read back %q", err, again.Runs[0].Cluster)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(begins + aRun + itsEnd))
	f.Add([]byte(begins + aRun + `{"result":{"run":{"uid":"u"},"benchmarks":[{"attempts":[{"measurements":[{"parts":[{}]}]}]}]}}`))
	f.Add(zipped(f, []byte(begins+aRun+itsEnd)))
	f.Fuzz(func(t *testing.T, file []byte) {
		var got Collected
		if Read(bytes.NewReader(file), everyRun, &got) != nil {
			return
		}
		// What can be read can be written and read again, and shown in every format.
		var again Collected
		if err := Read(bytes.NewReader(saved(t, got.Runs...)), everyRun, &again); err != nil {
			t.Fatalf("written and not read again: %v", err)
		}
		table, _ := NewTable(&bytes.Buffer{})
		pour(t, table, got.Runs...)
		var text bytes.Buffer
		samples, _ := NewSamples(&text)
		pour(t, samples, got.Runs...)
		parsed(t, text.Bytes())
	})
}
