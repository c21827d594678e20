package controllers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A text with two words is a sentence. What a controller says stands in the messages.go beside it, where it can be read as a whole, and not among
// reads and writes. What may stand elsewhere is:
//   - what an error adds to another one, about what was being done: fmt.Errorf("getting node %s: %w")
//   - the manual of a command: its help and its flags; headings in capitals
//   - the words of others that are looked for: prefixes, regular expressions
func TestSentencesOfControllersStandInTheirMessages(t *testing.T) {
	for _, folder := range []string{".", filepath.Join("..", "cmd")} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || d.Name() == "messages.go" {
				return err
			}
			for _, found := range sentences(t, path, nil) {
				t.Errorf("%s: a sentence among reads and writes: make it a function or a constant in messages.go", found)
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
		if whole && words(text) > 1 && strings.ToUpper(text) != text && !mayStand(text, above) {
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
)

// mayStand says whether a text may stand where it is, by what it stands in.
func mayStand(text string, above []ast.Node) bool {
	for i := len(above) - 1; i >= 0; i-- {
		switch n := above[i].(type) {
		case *ast.ImportSpec, *ast.Field:
			return true
		case *ast.KeyValueExpr:
			if key, _ := n.Key.(*ast.Ident); key != nil && manual[key.Name] {
				return true
			}
		case *ast.CallExpr:
			called := calledName(n.Fun)
			if called == "" || called == "fmt.Sprintf" {
				continue // a conversion: what it is for counts
			}
			return looking.MatchString(called) || called == "fmt.Errorf" && wrapping.MatchString(text)
		case *ast.BinaryExpr:
			return n.Op == token.EQL || n.Op == token.NEQ
		case *ast.CaseClause:
			return i == len(above)-1 // compared with, not in its body
		}
	}
	return false
}

func calledName(fun ast.Expr) string {
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return calledName(f.X) + "." + f.Sel.Name
	}
	return ""
}
