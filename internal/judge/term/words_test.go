package term

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// TestEveryRuleIsToldInWords: whoever sees a rule's name for the first time learns nothing from it.
func TestEveryRuleIsToldInWords(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "names.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	rules := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is || len(spec.Values) != 1 || spec.Names[0].Name == "DevicesMetric" {
			return true
		}
		if text, is := spec.Values[0].(*ast.BasicLit); is {
			rule, _ := strconv.Unquote(text.Value)
			rules++
			if Against(rule) == rule {
				t.Errorf("no words say what %s compares with", rule)
			}
		}
		return true
	})
	if rules < 15 {
		t.Errorf("%d rules", rules)
	}
	for rule, want := range map[string]string{FleetDeviation: "worse than others like it", FactUniform: "differs from most nodes of its kind", DataCheck: "wrong data",
		Devices: "missing", "OfALaterRelease": "differs from OfALaterRelease"} {
		if got := Says(rule); got != want {
			t.Errorf("%s: %q, want %q", rule, got, want)
		}
	}
}
