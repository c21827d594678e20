package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// mutant is one change of one file: new stands where old stood.
type mutant struct {
	file, old, new string
	shown          string // for new, where that is long
	line, at       int
}

// in the text of its file.
func (m mutant) in(text string) string { return text[:m.at] + m.new + text[m.at+len(m.old):] }

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d: %s => %s", m.file, m.line, oneLine(m.old), cmp.Or(m.shown, oneLine(m.new)))
}

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 100 {
		text = text[:100] + "..."
	}
	return "`" + text + "`"
}

// flipped operators: a boundary moves, what is compared is its opposite, what is added is taken away.
var flipped = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.MUL,
	token.LAND: token.LOR, token.LOR: token.LAND,
}

// reader finds the mutants of one file.
type reader struct {
	files *token.FileSet
	file  string
	text  string
	found []mutant
}

// mutantsOf a file, in the order of their place.
func mutantsOf(file, text string) ([]mutant, error) {
	r := &reader{files: token.NewFileSet(), file: file, text: text}
	tree, err := parser.ParseFile(r.files, file, text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil || ast.IsGenerated(tree) {
		return nil, err
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		r.visit(n)
		return true
	})
	return r.found, nil
}

func (r *reader) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.IfStmt:
		r.negate(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			r.negate(n.Cond)
		}
	case *ast.SwitchStmt:
		if n.Tag == nil {
			r.negateCases(n.Body)
		}
	case *ast.BinaryExpr:
		r.flip(n)
	case *ast.FuncDecl:
		r.zeroReturns(n.Type, n.Body)
	case *ast.FuncLit:
		r.zeroReturns(n.Type, n.Body)
	default:
		r.drop(n)
	}
}

func (r *reader) source(n ast.Node) string {
	return r.text[r.files.Position(n.Pos()).Offset:r.files.Position(n.End()).Offset]
}

func (r *reader) replace(n ast.Node, with, shown string) {
	at := r.files.Position(n.Pos())
	r.found = append(r.found, mutant{file: r.file, line: at.Line, at: at.Offset, old: r.source(n), new: with, shown: shown})
}

// negate a condition. That of an equality is its flipped operator.
func (r *reader) negate(condition ast.Expr) {
	if b, ok := condition.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
		return
	}
	r.replace(condition, "!("+r.source(condition)+")", "")
}

func (r *reader) negateCases(body *ast.BlockStmt) {
	for _, s := range body.List {
		for _, condition := range s.(*ast.CaseClause).List {
			r.negate(condition)
		}
	}
}

// flip an operator, unless it joins texts.
func (r *reader) flip(b *ast.BinaryExpr) {
	op, ok := flipped[b.Op]
	if !ok || b.Op == token.ADD && (isText(b.X) || isText(b.Y)) {
		return
	}
	at := r.files.Position(b.OpPos).Offset - r.files.Position(b.Pos()).Offset
	old := r.source(b)
	r.replace(b, old[:at]+op.String()+old[at+len(b.Op.String()):], "")
}

func isText(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return isText(e.X) || isText(e.Y)
	}
	return false
}

// drop a statement. What is assigned is computed, and goes nowhere, so that its variables are used still.
func (r *reader) drop(n ast.Node) {
	switch n := n.(type) {
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt, *ast.DeferStmt:
		r.replace(n, "", "nothing")
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			return
		}
		values := r.text[r.files.Position(n.Rhs[0].Pos()).Offset:r.files.Position(n.End()).Offset]
		if values == "nil" {
			r.replace(n, "", "nothing")
			return
		}
		r.replace(n, strings.Repeat("_, ", len(n.Lhs)-1)+"_ = "+values, "")
	}
}

// zeroReturns of one function, and not of those within it.
func (r *reader) zeroReturns(f *ast.FuncType, body *ast.BlockStmt) {
	if f.Results == nil || body == nil {
		return
	}
	var types []string
	for _, field := range f.Results.List {
		for range max(1, len(field.Names)) {
			types = append(types, r.source(field.Type))
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if _, within := n.(*ast.FuncLit); within {
			return false
		}
		if s, ok := n.(*ast.ReturnStmt); ok && len(s.Results) == len(types) {
			for i, value := range s.Results {
				r.zero(value, types[i])
			}
		}
		return true
	})
}

// zero what is returned. It is computed all the same; false, which is zero already, becomes true.
func (r *reader) zero(value ast.Expr, of string) {
	switch text := r.source(value); {
	case text == "false":
		r.replace(value, "true", "")
	case text == "true":
		r.replace(value, "false", "")
	case text == "nil" || text == "0" || text == `""` || strings.HasSuffix(text, "{}"):
	default:
		r.replace(value, "func(_ "+of+") (zero "+of+") { return }("+text+")", "zero of "+of)
	}
}
