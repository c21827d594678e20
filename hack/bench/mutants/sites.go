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
	both           string // stands for old until it is switched on, where both can be compiled into one program
	shown          string // for new, where that is long
	line, at       int
}

// on stands in both for what says whether the mutant is switched on.
const on = "\x00"

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
	files  *token.FileSet
	file   string
	text   string
	inHead map[ast.Stmt]bool // stand where only a simple statement can
	found  []mutant
}

// mutantsOf a file, in the order of their place.
func mutantsOf(file, text string) ([]mutant, error) {
	r := &reader{files: token.NewFileSet(), file: file, text: text, inHead: map[ast.Stmt]bool{}}
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
		r.inHead[n.Init] = true
		r.negate(n.Cond)
	case *ast.ForStmt:
		r.inHead[n.Init], r.inHead[n.Post] = true, true
		if n.Cond != nil {
			r.negate(n.Cond)
		}
	case *ast.SwitchStmt:
		r.inHead[n.Init] = true
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

func (r *reader) replace(n ast.Node, with, both, shown string) {
	at := r.files.Position(n.Pos())
	r.found = append(r.found, mutant{file: r.file, line: at.Line, at: at.Offset, old: r.source(n), new: with, both: both, shown: shown})
}

// negate a condition. That of an equality is its flipped operator.
func (r *reader) negate(condition ast.Expr) {
	if b, ok := condition.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
		return
	}
	r.replace(condition, "!("+r.source(condition)+")", "("+on+" != ("+r.source(condition)+"))", "")
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
	with := old[:at] + op.String() + old[at+len(b.Op.String()):]
	both := "(func() bool { if " + on + " { return " + with + " }; return " + old + " }())"
	switch b.Op {
	case token.ADD, token.SUB, token.QUO, token.REM:
		both = "mutantOr(" + on + ", " + with + ", " + old + ")"
	case token.MUL:
		both = "mutantFloat(" + on + ", " + with + ", " + old + ")" // whole numbers, of which both are computed, cannot be divided by 0
	}
	r.replace(b, with, both, "")
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
	s, ok := n.(ast.Stmt)
	if !ok {
		return
	}
	switched := func(statement string) string {
		if r.inHead[s] {
			return "func() { " + statement + " }()"
		}
		return statement
	}
	both := switched("if !" + on + " { " + r.source(n) + " }")
	switch n := n.(type) {
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt, *ast.DeferStmt:
		r.replace(n, "", both, "nothing")
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			return
		}
		values := r.text[r.files.Position(n.Rhs[0].Pos()).Offset:r.files.Position(n.End()).Offset]
		if values == "nil" {
			r.replace(n, "", both, "nothing")
			return
		}
		without := strings.Repeat("_, ", len(n.Lhs)-1) + "_ = " + values
		r.replace(n, without, switched("if "+on+" { "+without+" } else { "+r.source(n)+" }"), "")
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
		r.replace(value, "true", "("+on+")", "")
	case text == "true":
		r.replace(value, "false", "(!"+on+")", "")
	case text == "nil" || text == "0" || text == `""` || strings.HasSuffix(text, "{}"):
	default:
		r.replace(value, "func(_ "+of+") (zero "+of+") { return }("+text+")",
			"func(was "+of+") (zero "+of+") { if "+on+" { return }; return was }("+text+")", "zero of "+of)
	}
}
