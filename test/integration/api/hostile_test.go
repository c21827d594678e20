package api_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
)

// envelope is a termination message that anybody in the pod may have written. parts and more are JSON: the parts of its one
// measurement, and what else its document holds.
type envelope struct {
	start, end, message, logTail, parts, more, telemetry string
}

// packed is the message as the kubelet hands it over.
func (e envelope) packed(t *testing.T) string {
	t.Helper()
	or := func(text, usual string) string {
		if text == "" {
			return usual
		}
		return text
	}
	text := fmt.Sprintf(`{"version":1,"outcome":"Measured","reason":"Measured","message":%s,"exitCode":0,"start":%q,"end":%q,"logTail":%s,"telemetry":[%s],`+
		`"document":{"schema":"assay.dev/result/v1","benchmark":"b","measurements":[{"name":"rate","unit":"GB/s","better":"higher","parts":[%s]}]%s}}`,
		or(e.message, `""`), or(e.start, "2026-01-01T00:00:00Z"), or(e.end, "2026-01-01T00:01:00Z"), or(e.logTail, `""`), e.telemetry,
		or(e.parts, `{"at":"node","value":1}`), e.more)
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := zip.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return result.Prefix + base64.RawStdEncoding.EncodeToString(packed.Bytes())
}

// text in JSON, as a program writes it that escapes nothing it need not.
func text(s string) string {
	var out bytes.Buffer
	plain := json.NewEncoder(&out)
	plain.SetEscapeHTML(false)
	_ = plain.Encode(s)
	return strings.TrimSpace(out.String())
}

func list(n int, item func(int) string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = item(i)
	}
	return strings.Join(items, ",")
}

// hostile envelopes: what Decode takes, the API must take, and give back unchanged. decodes tells which Decode takes.
var hostile = map[string]struct {
	envelope
	decodes bool
}{
	"an end in the year 10000, by UTC":   {envelope{start: "9999-12-31T23:59:59-23:59", end: "9999-12-31T23:59:59-23:59"}, false},
	"an end in the year 10000, end only": {envelope{end: "9999-12-31T23:59:59-00:01"}, false},
	"a start before 1970, by UTC":        {envelope{start: "1970-01-01T00:00:00+23:59"}, false},
	"the last second there is":           {envelope{start: "9999-12-31T23:59:59Z", end: "9999-12-31T23:59:59.999999999Z"}, true},
	"the first second there is":          {envelope{start: "1970-01-01T00:00:00Z"}, true},
	"the zero time":                      {envelope{start: "0001-01-01T00:00:00Z"}, false},
	"values at the ends of float64": {envelope{parts: `{"at":"a","value":1.7976931348623157e308},{"at":"b","value":-1.7976931348623157e308},{"at":"c","value":5e-324},
		{"at":"d","value":-0.0},{"at":"e","value":999999.5e9},{"at":"f","value":9.999995e-7},{"at":"g","value":1,"spread":1.7976931348623157e308},{"at":"h","value":1,"spread":5e-324}`}, true},
	"a value beyond float64":         {envelope{parts: `{"at":"a","value":1e309}`}, false},
	"the most samples":               {envelope{parts: `{"at":"a","value":1,"samples":2147483647}`}, true},
	"one sample more":                {envelope{parts: `{"at":"a","value":1,"samples":2147483648}`}, false},
	"negative samples":               {envelope{parts: `{"at":"a","value":1,"samples":-1}`}, false},
	"a part of 128 four-byte runes":  {envelope{parts: `{"at":"` + strings.Repeat("\U0001F600", 128) + `","value":1}`}, true},
	"a part of 129 runes":            {envelope{parts: `{"at":"` + strings.Repeat("é", 129) + `","value":1}`}, false},
	"a part of nothing but markup":   {envelope{parts: `{"at":` + text(strings.Repeat(`<&>"\`, 25)) + `,"value":1}`}, true},
	"parts that differ in case only": {envelope{parts: `{"at":"a","value":1},{"at":"A","value":2}`}, true},
	"parts that only look alike":     {envelope{parts: `{"at":"\u00e9","value":1},{"at":"e\u0301","value":2},{"at":" e","value":2},{"at":"e ","value":2}`}, true},
	"one part, written twice":        {envelope{parts: `{"at":"a","value":1},{"at":"\u0061","value":2}`}, false},
	"two surrogates without a half":  {envelope{parts: `{"at":"\ud800","value":1},{"at":"\udfff","value":2}`}, false},
	"one surrogate without a half":   {envelope{parts: `{"at":"\ud800","value":1}`}, true},
	"an override of direction":       {envelope{parts: `{"at":"\u202e0upg","value":1}`}, false},
	"a part named by a NUL":          {envelope{parts: `{"at":"\u0000","value":1}`}, false},
	"a part without a name":          {envelope{parts: `{"at":"","value":1}`}, false},
	"bytes that are not UTF-8":       {envelope{parts: "{\"at\":\"\xff\",\"value\":1}"}, false},
	"the most parts":                 {envelope{parts: list(1024, func(i int) string { return fmt.Sprintf(`{"at":"%d","value":1}`, i) })}, true},
	"the greatest device indexes":    {envelope{more: `,"device":[{"index":0,"uuid":"u"},{"index":1048576,"uuid":"u"}]`}, true},
	"a device index beyond that":     {envelope{more: `,"device":[{"index":2147483648}]`}, false},
	"a device twice":                 {envelope{more: `,"device":[{"index":1},{"index":1.0}]`}, false},
	"a check that failed at length":  {envelope{more: `,"checks":[{"name":"c","ok":false,"message":"` + strings.Repeat("\U0001F600", 512) + `"}]`}, true},
	"a check twice":                  {envelope{more: `,"checks":[{"name":"c","ok":true},{"name":"c","ok":true}]`}, false},
	"all notes and parameters": {envelope{more: `,"notes":[` + list(32, func(int) string { return `"` + strings.Repeat("é", 512) + `"` }) + `],"parameters":{` +
		list(64, func(i int) string { return fmt.Sprintf(`"p%d":"%s"`, i, strings.Repeat("ü", 128)) }) + `}`}, true},
	"the longest message and log": {envelope{message: text(strings.Repeat("\U0001F600", 2000)), logTail: text(strings.Repeat("\x1b\x00\n\u2028", 1365))}, true},
	"64 measurements beside telemetry of the same names": {envelope{more: ``, telemetry: list(64, func(i int) string {
		return fmt.Sprintf(`{"name":"rate%d","unit":"%s","better":"lower","parts":[{"at":"node","value":1}]}`, i, strings.Repeat("µ", 32))
	})}, true},
}

func TestWhatDecodesCanBeStored(t *testing.T) {
	c := typedClient(t)
	for sentence, test := range hostile {
		t.Run(sentence, func(t *testing.T) {
			e, err := result.Decode(test.packed(t))
			if decoded := err == nil; decoded != test.decodes {
				t.Fatalf("Decode said %v, want it taken: %v", err, test.decodes)
			}
			if err == nil {
				storeAndCompare(t, c, []v1alpha1.Attempt{result.Bounded(e.Attempt(1), 0)})
			}
		})
	}
}

// TestWhateverDecodesCanBeStored invents envelopes, of nasty pieces in all places.
func TestWhateverDecodesCanBeStored(t *testing.T) {
	c := typedClient(t)
	random := rand.New(rand.NewPCG(10, 10))
	pick := func(bad int, pieces ...string) string { // the last few, which Decode refuses, come seldom
		if random.IntN(40) == 0 {
			return pieces[random.IntN(len(pieces))]
		}
		return pieces[random.IntN(len(pieces)-bad)]
	}
	nasty := func() string {
		return pick(4, `"a"`, `"\ud800"`, `"<>&\"\\"`, `"`+strings.Repeat("\U0001F600", 1+random.IntN(60))+`"`, `"e\u0301"`, `" "`, `"`+strings.Repeat("é", 512)+`"`, `"\u0000"`, `""`, `"\u2028"`)
	}
	number := func() string {
		return pick(3, "0", "1e308", "5e-324", "1e15", "0.1", "123456.7", "1e-7", "99999950", "-0", "-1e308", "null", "1e400")
	}
	times := func() string {
		return pick(3, "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-01-01T00:00:00.5+14:00", "9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00Z", "1970-01-01T00:00:00+23:59")
	}
	var attempts []v1alpha1.Attempt
	for range 4000 {
		e := envelope{start: times(), end: times(), message: nasty(), logTail: nasty(),
			parts: list(1+random.IntN(3), func(int) string { return fmt.Sprintf(`{"at":%s,"value":%s,"spread":%s}`, nasty(), number(), number()) }),
			more: fmt.Sprintf(`,"version":%s,"checks":[{"name":"c","ok":%s,"message":%s}],"notes":[%s],"parameters":{"p":%s},"device":[{"index":%d,"uuid":%s,"product":%s}]`,
				nasty(), pick(0, "true", "false"), nasty(), nasty(), pick(0, nasty(), number()), random.IntN(1<<20), nasty(), nasty())}
		if decoded, err := result.Decode(e.packed(t)); err == nil {
			attempts = append(attempts, result.Bounded(decoded.Attempt(int32(len(attempts)%8)+1), 0))
		}
		if len(attempts) == 8*32 {
			break
		}
	}
	if len(attempts) < 50 {
		t.Fatalf("only %d of the envelopes were taken: the test shows little", len(attempts))
	}
	storeAndCompare(t, c, attempts)
}

// TestPodsStatusCanBeStored: what a kubelet writes into a pod's status may be anything, and becomes an attempt too.
func TestPodsStatusCanBeStored(t *testing.T) {
	odd := metav1.NewTime(time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC))
	zero := metav1.Time{}
	a := result.Bounded(v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictError, Reason: strings.Repeat("R", 100), Message: strings.Repeat("\xff\n\x1b", 3000),
		ImageID: strings.Repeat("\xf0\x9f", 600), StartTime: &odd, EndTime: &zero}, 0)
	if a.StartTime != nil || a.EndTime != nil {
		t.Errorf("the times %v and %v are kept, and no client can read them", a.StartTime, a.EndTime)
	}
	storeAndCompare(t, typedClient(t), []v1alpha1.Attempt{a})
}

// TestTheLargestResultCanBeStored: etcd takes what the bounds leave of a node that reports as much as it can.
func TestTheLargestResultCanBeStored(t *testing.T) {
	r := newResult()
	wide := strings.Repeat("<", 90)
	parts := make([]v1alpha1.PartValue, 400)
	for i := range parts {
		parts[i] = v1alpha1.PartValue{At: fmt.Sprint(wide, i), Value: "1.5"}
	}
	dropped := 0
	for b := range 32 {
		r.Benchmarks = append(r.Benchmarks, v1alpha1.BenchmarkResult{Name: fmt.Sprint("b", b), Verdict: v1alpha1.VerdictPending})
		for n := range int32(8) {
			a := result.Bounded(v1alpha1.Attempt{Number: n + 1, Verdict: v1alpha1.VerdictPass, Message: strings.Repeat(">", 2048), Pod: strings.Repeat("p", 253),
				Measurements: []v1alpha1.Measurement{{Name: "rate", Unit: "GB/s", Parts: parts}}}, result.Size(r))
			if a.Reason == v1alpha1.ReasonBadOutput {
				dropped++
			}
			r.Benchmarks[b].Attempts = append(r.Benchmarks[b].Attempts, a)
		}
	}
	if dropped == 0 || dropped == 8*32 {
		t.Fatalf("%d attempts were dropped: the bound was not met", dropped)
	}
	for i := range r.Benchmarks { // as they are judged
		b := &r.Benchmarks[i]
		b.Verdict, b.Message = v1alpha1.VerdictFail, strings.Repeat("&", 1024)
		for n := range 256 {
			b.Findings = append(b.Findings, v1alpha1.Finding{Metric: "rate", At: wide, Rule: "Min", Verdict: v1alpha1.VerdictFail, Message: strings.Repeat(">", 1024)})
			if n < 32 {
				b.Headline = append(b.Headline, v1alpha1.HeadlineValue{Benchmark: b.Name, Metric: fmt.Sprint("m", n), Unit: "GB/s", Value: "1", At: wide, Verdict: v1alpha1.VerdictFail})
			}
		}
	}
	result.Fit(r)
	if len(r.Benchmarks[0].Findings) == 0 {
		t.Error("no finding is left of a node that failed")
	}
	if err := typedClient(t).Create(t.Context(), r); err != nil {
		t.Fatalf("a result of %d bytes is refused: %v", result.Size(r), err)
	}
	t.Cleanup(func() { _ = typedClient(t).Delete(t.Context(), r) })
}

func typedClient(t *testing.T) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newResult() *v1alpha1.ValidationResult {
	return &v1alpha1.ValidationResult{ObjectMeta: metav1.ObjectMeta{GenerateName: "hostile-"}, Run: v1alpha1.ObjectReference{Name: "r", UID: "u"},
		Node: v1alpha1.ObjectReference{Name: "n", UID: "v"}, Verdict: v1alpha1.VerdictPending}
}

// storeAndCompare requires that the API gives back the attempts as they were stored.
func storeAndCompare(t *testing.T, c client.Client, attempts []v1alpha1.Attempt) {
	t.Helper()
	r := newResult()
	for len(attempts) > 0 {
		n := min(8, len(attempts))
		r.Benchmarks = append(r.Benchmarks, v1alpha1.BenchmarkResult{Name: fmt.Sprint("b", len(r.Benchmarks)), Verdict: v1alpha1.VerdictPending, Attempts: attempts[:n]})
		attempts = attempts[n:]
	}
	want := r.DeepCopy()
	if err := c.Create(t.Context(), r); err != nil {
		t.Fatalf("the API server refuses what was decoded: %v", err)
	}
	got := &v1alpha1.ValidationResult{}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(r), got); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	same := cmp.Comparer(func(a, b metav1.Time) bool { return a.Time.Equal(b.Time) })
	if diff := cmp.Diff(want.Benchmarks, got.Benchmarks, same); diff != "" {
		t.Errorf("what comes back from the API (-stored +read):\n%s", diff)
	}
}
