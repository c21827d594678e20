package formats

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/diagnostics.golden anew")

// What is wrong with an output is said by its parser, in an error that becomes the attempt's message. Their wording is
// reviewed in the golden file.
func TestEveryDiagnosticIsInTheGoldenFile(t *testing.T) {
	const golden = "testdata/diagnostics.golden"
	var files []string
	for _, folder := range []string{"../result", ".", "*"} {
		found, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
	var got strings.Builder
	for _, path := range files {
		if texts := diagnostics(t, path); len(texts) > 0 && !strings.HasSuffix(path, "_test.go") {
			fmt.Fprintf(&got, "# %s\n%s\n", filepath.Base(path), strings.Join(texts, ""))
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("diagnostics differ from %s (-want +got):\n%s\nIf the new wording is meant, run: go test ./internal/measure/formats -run Diagnostic -update", golden, diff)
	}
}

// diagnostics are the literal texts of a file's errors, in its order.
func diagnostics(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		isText := func(e ast.Expr) bool {
			literal, ok := e.(*ast.BasicLit)
			return ok && literal.Kind == token.STRING
		}
		at := slices.IndexFunc(call.Args, isText) // of logs.Figure, it is not the first argument
		if at < 0 || !makesErrors(call.Fun) {
			return true
		}
		text, err := strconv.Unquote(call.Args[at].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Trim(text, "%w: ") != "" {
			texts = append(texts, text+"\n")
		}
		return true
	})
	return texts
}

func makesErrors(function ast.Expr) bool {
	switch f := function.(type) {
	case *ast.Ident:
		return f.Name == "Bad"
	case *ast.SelectorExpr:
		return f.Sel.Name == "Errorf" || f.Sel.Name == "New" || f.Sel.Name == "Bad" || f.Sel.Name == "Refuse" || f.Sel.Name == "Figure" || f.Sel.Name == "Keep"
	}
	return false
}
