package message

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A text with two words is a sentence, and sentences stand in this package, where all of them can be read together. What may
// stand elsewhere is:
//   - what an error adds to another one, about what was being done: fmt.Errorf("getting node %s: %w")
//   - what a parser or the runner finds wrong with one document or flag, as an error: internal/message says what follows from it
//   - the manual of a command: its help and its flags; the help of Prometheus' metrics; headings in capitals
//   - what fills a gap of a sentence (gaps)
//   - the words of others that are looked for: regular expressions, prefixes, constants of an output format
func TestNoSentenceStandsElsewhere(t *testing.T) {
	for _, folder := range []string{"internal", "controllers", "cmd"} {
		err := filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "message" {
				return filepath.SkipDir
			}
			if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			for _, found := range sentences(t, path, nil) {
				t.Errorf("%s: a sentence outside internal/message: make it a function there", found)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// The rules themselves, each with what they find and what they let pass.
func TestWhatASentenceIs(t *testing.T) {
	for code, want := range map[string]int{
		`c.Message = "the node was deleted"`:                             1,
		`c.Message = "run " + name + " passed"`:                          1,
		`c.Message = fmt.Sprintf("%d of %d nodes", a, b)`:                1,
		`return errors.New("no node is left")`:                           1,
		`return fmt.Errorf("node %s lacks a label: %w", n, err)`:         1,
		`r.Eventf(o, nil, "Warning", "Reason", "Do", "%d are left", n)`:  1,
		`fmt.Fprintln(out, "nothing was found")`:                         1,
		`row := Row{Message: "not measured yet"}`:                        1,
		`const text = "not measured yet"`:                                1,
		`return message.Reading("the results of " + run)`:                1,
		`return fmt.Errorf("getting node %s, which failed: %w", n, err)`: 0,
		`return "pod " + name`:                                           0,
		`return fmt.Sprintf("%s/%s: %s", a, b, c)`:                       0,
		`cmd := Command{Short: "Show what a run found"}`:                 0,
		`flags.StringVar(&x, "x", "", "the file to read")`:               0,
		`regexp.MustCompile("the node of")`:                              0,
		`column := column{title: "VS FLEET"}`:                            0,
		`return strings.HasPrefix(line, "End of Tests")`:                 0,
	} {
		if got := sentences(t, "a.go", "package a\nfunc f() any {\n"+code+"\n}"); len(got) != want {
			t.Errorf("%s: found %q, want %d", code, got, want)
		}
	}
	parser := "package result\nfunc f() error {\nreturn errors.New(\"a part lacks a name\")\n}"
	if diff := cmp.Diff([]string(nil), sentences(t, "internal/measure/formats/a.go", parser)); diff != "" {
		t.Errorf("what a parser finds wrong (-want +got):\n%s", diff)
	}
	if got := sentences(t, "internal/measure/formats/a.go", strings.ReplaceAll(parser, "errors.New", "fmt.Sprint")); len(got) != 1 {
		t.Errorf("a parser's note: found %q", got)
	}
}

// sentences of a file, with their places. src is the file's text if it is not to be read.
func sentences(t *testing.T, path string, src any) []string {
	t.Helper()
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	var above []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		text, whole := literal(n)
		if whole && words(text) > 1 && strings.ToUpper(text) != text && !mayStand(f.Name.Name, text, above) {
			found = append(found, files.Position(n.Pos()).String()+": "+strconv.Quote(text))
		}
		if whole {
			return false
		}
		above = append(above, n)
		return true
	})
	return found
}

// gaps are filled by the rules of the verdict: what a part is compared with, in message.NotJudged.
var gaps = []string{"its peak", "the fleet", "its history", "its smallest size", "what healthy hardware reaches"}

var word = regexp.MustCompile(`^[("']*[A-Za-z][a-z]+[)"'.,:;]*$`)

func words(text string) int {
	count := 0
	for _, field := range strings.Fields(text) {
		if word.MatchString(field) {
			count++
		}
	}
	return count
}

// literal is the text of a string, or of several that are added up, as they are with values between them.
func literal(n ast.Node) (text string, ok bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(n.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, isLeft := literal(n.X)
		right, isRight := literal(n.Y)
		return left + "%s" + right, n.Op == token.ADD && (isLeft || isRight)
	}
	return "", false
}

var (
	wrapping = regexp.MustCompile(`^[a-z]+ing [^:;]*: %w$`)
	manual   = map[string]bool{"Use": true, "Short": true, "Long": true, "Example": true, "Help": true, "Annotations": true}
	looking  = regexp.MustCompile(`^(regexp\.|.*\b[Ff]lags?\.|\.\w+VarP?$|prometheus\.NewDesc|strings\.(Contains|HasPrefix|Cut|TrimPrefix)$|bytes\.Contains$)`)
	parsers  = []string{"applications", "benchmarks", "formats", "logs", "result", "runner"}
	refusing = regexp.MustCompile(`^(errors\.New|fmt\.Errorf|(result\.)?Bad|logs\.[A-Z]\w*|check[A-Z]\w*)$`)
)

// mayStand says whether a text may stand where it is, by what it stands in.
func mayStand(pkg, text string, above []ast.Node) bool {
	if pkg == "verdict" && slices.Contains(gaps, text) {
		return true
	}
	parser := slices.Contains(parsers, pkg)
	for i := len(above) - 1; i >= 0; i-- {
		switch n := above[i].(type) {
		case *ast.ImportSpec, *ast.Field:
			return true
		case *ast.KeyValueExpr:
			key, _ := n.Key.(*ast.Ident)
			if key != nil && (manual[key.Name] || parser && key.Name == "Begins") {
				return true
			}
		case *ast.CallExpr:
			called := name(n.Fun)
			if called == "" || called == "fmt.Sprintf" {
				continue // a conversion: what it is for counts
			}
			return looking.MatchString(called) || called == "fmt.Errorf" && wrapping.MatchString(text) || parser && refusing.MatchString(called)
		case *ast.GenDecl:
			return parser
		case *ast.BinaryExpr:
			return n.Op == token.EQL || n.Op == token.NEQ
		case *ast.CaseClause:
			return i == len(above)-1 // compared with, not in its body
		}
	}
	return false
}

func name(fun ast.Expr) string {
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return name(f.X) + "." + f.Sel.Name
	}
	return ""
}
