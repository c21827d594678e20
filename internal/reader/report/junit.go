package report

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/reader/export"
)

// JUnit XML as CI systems read it: a suite for each run, a case for each benchmark of each node, each finding, and each group that did
// not pass. A case fails where the node is unfit, and errs where nothing was proved. A run that did not pass is never green.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
		Out        string          `xml:"system-out,omitempty"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitProblem `xml:"failure"`
		Error   *junitProblem `xml:"error"`
		Skipped *junitProblem `xml:"skipped"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// junitFabric is the class of what no single node is to blame for, junitNode the name of a case about a node as a whole, and junitRun that
// of a case about the run, which no other case speaks for.
const (
	junitFabric = "fabric"
	junitNode   = "node"
	junitRun    = "run"
)

// WriteJUnit writes runs as JUnit XML.
func WriteJUnit(w io.Writer, all []Report) error {
	var suites junitSuites
	for r := range list.Each(all) {
		suites.Suites = append(suites.Suites, junitOf(r))
	}
	var text bytes.Buffer
	text.WriteString(xml.Header)
	encoder := xml.NewEncoder(&text)
	encoder.Indent("", "  ")
	if err := encoder.Encode(suites); err != nil {
		return err
	}
	text.WriteString("\n")
	_, err := w.Write(bytes.Map(harmless, text.Bytes()))
	return err
}

// harmless does to all characters that steer a terminal what encoding/xml does to those of ASCII.
func harmless(r rune) rune {
	if r != '\n' && export.Steers(r) {
		return unicode.ReplacementChar
	}
	return r
}

func junitOf(r *Report) junitSuite {
	s := junitSuite{Name: r.Run.Name, Time: strconv.FormatFloat(r.Run.Seconds, 'f', -1, 64)}
	if r.Run.Started != nil {
		s.Timestamp = r.Run.Started.Format(time.RFC3339)
	}
	s.Properties = list.Where([]junitProperty{{"cluster", r.Run.Cluster}, {"uid", r.Run.UID}, {"verdict", string(r.Run.Verdict)},
		{"reason", r.Run.Reason}, {"message", r.Run.Message}}, func(p junitProperty) bool { return p.Value != "" })
	var warnings []string
	for f := range list.Each(r.Findings) {
		if f.Warns() {
			warnings = append(warnings, junitTitle(f)+": "+f.Message)
			continue
		}
		s.add(junitCase{Class: junitFabric, Name: junitTitle(f)}, v1alpha1.VerdictFail, f.Kind, f.Message)
	}
	s.Out = strings.Join(warnings, "\n")
	for _, g := range r.UntoldGroups() {
		s.add(junitCase{Class: junitFabric, Name: g.title()}, g.Verdict, g.Reason, g.Message)
	}
	for n := range list.Each(r.Nodes) {
		s.addNode(n)
	}
	if r.Run.Verdict != v1alpha1.VerdictPass && s.Failures+s.Errors == 0 {
		s.add(junitCase{Class: r.Run.Name, Name: junitRun}, r.Run.Verdict, r.Run.Reason, r.Run.Message)
	}
	return s
}

func (s *junitSuite) addNode(n *Node) {
	worst := v1alpha1.Verdict("")
	for b := range list.Each(n.Benchmarks) {
		worst = verdict.Worst(worst, b.Verdict)
		facts := list.Map(b.Facts, func(f Fact) string { return string(f.Verdict) + ": " + f.Message }) // the message may leave some out
		s.add(junitCase{Class: n.Name, Name: b.Name, Out: strings.Join(facts, "\n")}, b.Verdict, b.Reason, cmp.Or(b.Message, n.Message))
	}
	if len(n.Benchmarks) == 0 || verdict.Severity(n.Verdict) > verdict.Severity(worst) {
		s.add(junitCase{Class: n.Name, Name: junitNode, Out: n.Note}, n.Verdict, n.Reason, n.Message)
	}
}

// add a case, and count it.
func (s *junitSuite) add(c junitCase, v v1alpha1.Verdict, reason, message string) {
	s.Tests++
	problem := &junitProblem{Message: cmp.Or(message, string(v)), Type: reason, Text: message}
	switch v {
	case v1alpha1.VerdictPass:
	case v1alpha1.VerdictFail:
		s.Failures++
		c.Failure = problem
	case v1alpha1.VerdictSkipped, v1alpha1.VerdictPending, "":
		s.Skipped++
		problem.Text = ""
		c.Skipped = problem
	default:
		s.Errors++
		c.Error = problem
	}
	s.Cases = append(s.Cases, c)
}

// junitTitle names what was found and where.
func junitTitle(f *v1alpha1.FabricFinding) string {
	return strings.TrimSpace(FindingTitle(f.Kind, f.Members) + ": " + strings.TrimSpace(f.Benchmark+" "+f.Metric))
}

// title names the group and what measured it.
func (g *Group) title() string {
	return strings.TrimSpace("Group " + strings.Join(g.Nodes, ", ") + ": " + g.benchmark())
}
