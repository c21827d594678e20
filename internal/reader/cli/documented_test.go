package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/test/clitest"
	"github.com/assay-dev/assay/test/testdata"
)

const repository = "../../.."

// block of commands in a document. Mark is what stands above it: "run by NAME", "not run: why"; empty: this test runs it.
type block struct {
	page     string
	mark     string
	commands []string
}

var (
	// indented are commands of README, which shows them so.
	indented = regexp.MustCompile(`(?m)^    (make [a-z0-9-]+|kubectl assay .*)`)
	fence    = regexp.MustCompile("(?m)(?:^<!-- (.*) -->\n)?^```(sh|console)\n((?s:.*?))^```$")
	whole    = regexp.MustCompile(`(?m)^<!-- all run by (.*) -->$`)
	joins    = regexp.MustCompile(`\\\n\s*`)
)

// blocksOf a page. Of a console only what is typed is a command.
func blocksOf(t *testing.T, page string) (all []block) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, page))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
		b := block{page: page, mark: m[1]}
		if of := whole.FindStringSubmatch(string(text)); of != nil && b.mark == "" {
			b.mark = "run by " + of[1]
		}
		for line := range strings.SplitSeq(joins.ReplaceAllString(m[3], ""), "\n") {
			typed, is := strings.CutPrefix(line, "$ ")
			if m[2] == "sh" {
				typed, is = line, strings.TrimSpace(line) != ""
			}
			if is {
				b.commands = append(b.commands, typed)
			}
		}
		all = append(all, b)
	}
	for _, m := range indented.FindAllStringSubmatch(string(text), -1) {
		if strings.HasPrefix(m[1], "make ") {
			all = append(all, block{page: page, mark: "run by " + m[1]})
			continue
		}
		all = append(all, block{page: page, commands: m[1:]})
	}
	return all
}

// TestEveryCommandOfTheDocumentsRuns: those of kubectl assay here, against a cluster and files of the names that the pages have; of all others the page
// says what runs them, or that nothing does.
func TestEveryCommandOfTheDocumentsRuns(t *testing.T) {
	pages, _ := filepath.Glob(filepath.Join(repository, "docs", "*.md"))
	pages = append(pages, filepath.Join(repository, "README.md"), filepath.Join(repository, "CONTRIBUTING.md"))
	run := 0
	for _, file := range pages {
		page, _ := filepath.Rel(repository, file)
		for _, b := range blocksOf(t, page) {
			if name, is := strings.CutPrefix(b.mark, "run by "); is {
				checkRuns(t, b.page, name)
				continue
			}
			for _, command := range b.commands {
				args, is := assayOf(command)
				switch why, marked := strings.CutPrefix(b.mark, "not run: "); {
				case marked && why != "":
				case !is:
					t.Errorf("%s: nothing runs %q: write <!-- run by TEST --> or <!-- not run: why --> above it", b.page, command)
				default:
					run++
					t.Run(page+" "+command, func(t *testing.T) { runDocumented(t, args) })
				}
			}
		}
	}
	if run < 30 {
		t.Errorf("only %d commands were run", run)
	}
}

// checkRuns: that test is there, or that make target.
func checkRuns(t *testing.T, page, name string) {
	t.Helper()
	found := false
	want := regexp.MustCompile(`(?m)^(func ` + regexp.QuoteMeta(name) + `\(|` + regexp.QuoteMeta(strings.TrimPrefix(name, "make ")) + `:)`)
	for _, root := range []string{"test", "internal", "config", "hack/make", "Makefile"} {
		_ = filepath.WalkDir(filepath.Join(repository, root), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !found && (strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".mk") || d.Name() == "Makefile") {
				text, _ := os.ReadFile(path)
				found = want.Match(text)
			}
			return nil
		})
	}
	if !found {
		t.Errorf("%s: there is no %s", page, name)
	}
}

var word = regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`)

// assayOf a command line of kubectl assay are its arguments, up to what the shell does with its output.
func assayOf(command string) (args []string, is bool) {
	rest, is := strings.CutPrefix(command, "kubectl assay ")
	if !is {
		return nil, false
	}
	for _, w := range word.FindAllString(rest, -1) {
		if strings.HasPrefix(w, "#") || strings.HasPrefix(w, ">") || w == "|" || w == "&&" {
			break
		}
		args = append(args, strings.Trim(w, `'"`))
	}
	return args, true
}

// runDocumented runs a command where all files are there that it reads. One that goes on until somebody stops it is stopped.
func runDocumented(t *testing.T, args []string) {
	policy, err := os.ReadFile(filepath.Join(repository, "config", "samples", "validationpolicy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	node4, site := fileOf(t, node4(t)), newer.save(t, "site")
	t.Chdir(t.TempDir())
	for i, a := range args {
		args[i] = strings.NewReplacer("RUN", "rack-7", "NODE", "node-4").Replace(a)
		switch {
		case i == 0 || args[i-1] != "-f":
		case strings.HasSuffix(a, ".yaml"):
			err = os.WriteFile(a, policy, 0o600)
		case strings.HasPrefix(a, "site"):
			err = os.Link(site, a)
		default:
			err = os.Link(node4, a)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	root := NewCommand("test", clitest.ConnectTo(documented(t)))
	var errOut bytes.Buffer
	root.SetArgs(args)
	root.SetOut(io.Discard)
	root.SetErr(&errOut)
	var exit *output.ExitError // says what was found
	if err := root.ExecuteContext(ctx); err != nil && ctx.Err() == nil && !errors.As(err, &exit) {
		t.Errorf("%v\n%s", err, errOut.String())
	}
}

// documented is a cluster with what the pages name.
func documented(t *testing.T) client.WithWatch {
	t.Helper()
	all := objects(node4(t))
	for _, o := range all {
		if run, is := o.(*v1alpha1.ValidationRun); is {
			run.Spec.AllNodes = true
		}
	}
	for b := range list.Each(testdata.Benchmarks()) {
		all = append(all, shipped(t, b.Name)...)
	}
	for _, name := range []string{"rack-7-old", "rack-8", "lab-1", "lab-2", "site-1", "nightly-1", "golden", "candidate"} {
		m := older
		m.name = name
		made := m.objects()
		made[0].SetCreationTimestamp(metav1.Now())
		made[0].SetLabels(map[string]string{v1alpha1.LabelPolicy: "nightly"})
		all = append(all, made...)
	}
	acceptance := newer
	acceptance.name, acceptance.nodes = "acceptance", []string{"rack-7-1", "rack-7-2", "rack-8-1", "rack-8-2"}
	later := newer
	later.name = "nightly-2"
	all = append(all, remembering("node-8", "2", "2.4"), remembering("node-9", "2.01", "2.41"))
	all = slices.Concat(all, newer.objects(), acceptance.objects(), later.objects())
	for i, name := range append(acceptance.nodes, "node-1", "node-2", "node-4") {
		all = append(all, clitest.Node(name, map[string]string{"pool": "h200", "rack": "7", "chassis": []string{"k", "m"}[i%2]}))
	}
	return clitest.Cluster(t, interceptor.Funcs{}, all...)
}
