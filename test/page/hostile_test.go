package page_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/chromedp/chromedp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/page/runs"
)

// What programs, nodes and their names might try.
var attacks = map[string]string{
	"a script":            `<script>window.hit = 1</script>`,
	"an image":            `"><img src=x onerror="window.hit = 1"><svg onload="window.hit = 1">`,
	"the end of a script": `</script></style></title><script>window.hit = 1</script>`,
	"an attribute":        `' onfocus='window.hit = 1' autofocus x="`,
	"a link":              `javascript:window.hit=1`,
	"a template":          `{{printf "x"}}${window.hit = 1}`,
	"reversed text":       "node-\u202e1-edon\u202c \u2066a\u2067b\u2069 \u200f\u061c",
	"hidden text":         "a\u200bb\u200d\u2060c\ufeff\u00add\u180e\u3164\U000e0041\ufe0f",
	"control characters":  "a\x00b\x07c\x1b[31md\x7f\u0085\u009be\r\nf\tg\u2028h",
	"half a character":    "a\xffb\xe2\x82",
}

func TestHostileTextIsOnlyShown(t *testing.T) {
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			for _, numbers := range []bool{true, false} { // numbers as they are, and also as text
				run := runs.Simulated(2)
				run.Catalogue = nil
				fill(reflect.ValueOf(&run).Elem(), attack, numbers)
				harmless(t, write(t, run))
			}
		})
	}
	t.Run("where it is packed", func(t *testing.T) {
		run := runs.Simulated(40)
		fill(reflect.ValueOf(&run).Elem(), attacks["an image"]+attacks["reversed text"]+attacks["hidden text"], true)
		for i := range run.Results { // else all would be one node
			run.Results[i].Node.Name += fmt.Sprint(i)
		}
		harmless(t, write(t, run))
	})
	t.Run("in a comparison", func(t *testing.T) {
		for _, attack := range attacks {
			harmless(t, hostileComparison(t, attack))
		}
	})
}

// harmless: nothing runs or loads, nothing is hidden, and all of it is shown.
func harmless(t *testing.T, html []byte) {
	t.Helper()
	p := open(t, html)
	run(p, `for (const d of document.querySelectorAll("details")) d.open = true`)
	if err := chromedp.Do(p, chromedp.WaitNotPresent(chromedp.CSS("[data-packed]:not(:has(h5))"))); err != nil {
		t.Fatal(err)
	}
	if ask[bool](p, `"hit" in window`) {
		t.Error("hostile text ran")
	}
	if n := ask[int](p, `document.querySelectorAll("img, iframe, object, embed, [onload], [onerror], [onfocus], [href^=javascript]").length + document.scripts.length`); n != 1 {
		t.Errorf("%d elements that could do harm, want 1, the page's own script", n)
	}
	for _, shown := range []string{ask[string](p, "document.title"), ask[string](p, "document.body.textContent"), ask[string](p, `[...document.querySelectorAll("[aria-label]")].map(e => e.ariaLabel).join()`)} {
		if i := strings.IndexFunc(shown, disguised); i >= 0 {
			t.Errorf("%q is on the page", shown[max(0, i-20):min(len(shown), i+20)])
		}
	}
	p.quiet()
}

// disguised characters cannot be seen, or reorder others.
func disguised(r rune) bool {
	return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) || r == 0x3164 || r == 0xfe0f)
}

var decimal = reflect.TypeFor[v1alpha1.Decimal]()

// fill every string with a text, numbers too or not.
func fill(v reflect.Value, with string, numbers bool) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			fill(v.Elem(), with, numbers)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), with, numbers)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			fill(v.Index(i), with, numbers)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if key.Kind() == reflect.String && v.Type().Elem().Kind() == reflect.String {
				v.SetMapIndex(reflect.ValueOf(with).Convert(key.Type()), reflect.ValueOf(with).Convert(v.Type().Elem()))
			}
		}
	case reflect.String:
		if v.CanSet() && (!numbers || v.Type() != decimal) {
			v.SetString(with)
		}
	}
}

// Every string is filled: one that is not would not be tested.
func TestEveryStringIsFilled(t *testing.T) {
	run := export.Run{Run: &v1alpha1.ValidationRun{}, Results: []v1alpha1.ValidationResult{{Benchmarks: []v1alpha1.BenchmarkResult{{Attempts: []v1alpha1.Attempt{{}}}}}},
		Validations: []v1alpha1.NodeValidation{{Quarantine: &v1alpha1.Quarantine{}}}, Catalogue: &catalogue.Snapshot{}}
	fill(reflect.ValueOf(&run).Elem(), "x", false)
	for what, got := range map[string]string{"cluster": run.Cluster, "run": run.Run.Name, "verdict": string(run.Run.Status.Verdict), "result": run.Results[0].Node.Name,
		"attempt": run.Results[0].Benchmarks[0].Attempts[0].Message, "taint": string(run.Validations[0].Quarantine.Effect)} {
		if got != "x" {
			t.Errorf("%s is %q", what, got)
		}
	}
}
