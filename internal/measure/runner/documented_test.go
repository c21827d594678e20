package runner

import (
	"embed"
	"github.com/assay-dev/assay/docs"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

//go:embed *.go
var sources embed.FS

// Telemetry is stored under these names for years: a reader must find out what they mean.
func TestEverySampledQuantityIsDocumented(t *testing.T) {
	document, err := docs.Pages.ReadFile("catalogue.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(document), "\n## Telemetry\n")
	if !found {
		t.Fatal(`docs/catalogue.md has no section "Telemetry"`)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	names := sampledNames(t)
	if len(names) < 10 {
		t.Fatalf("only %d calls of measurement were found in this package", len(names))
	}
	for _, name := range names {
		if !strings.Contains(section, "`"+name+"`") {
			t.Errorf("docs/catalogue.md does not tell what %s is: add it to the table under \"Telemetry\"", name)
		}
	}
}

// sampledNames are the first arguments of all calls of measurement.
func sampledNames(t *testing.T) []string {
	t.Helper()
	entries, err := sources.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		source, err := sources.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "measurement" {
					names = append(names, text(t, call.Args[0]))
				}
			}
			return true
		})
	}
	return names
}

func text(t *testing.T, e ast.Expr) string {
	t.Helper()
	literal, ok := e.(*ast.BasicLit)
	if !ok {
		t.Fatalf("a sampled quantity has no literal name, so that nobody can search for it: %T", e)
	}
	name, err := strconv.Unquote(literal.Value)
	if err != nil {
		t.Fatal(err)
	}
	return name
}
