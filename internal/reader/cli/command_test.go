package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/docs"
	"github.com/assay-dev/assay/internal/reader/cli/manual"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/test/clitest"
	"github.com/assay-dev/assay/test/golden"
)

// mainAs runs the program as a user does, with a kubeconfig of these contents, and returns the exit code and what it printed.
func mainAs(t *testing.T, kubeconfig string, args ...string) (code int, out, errOut string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", file)
	t.Setenv("KUBERNETES_MASTER", "")
	var stdout, stderr bytes.Buffer
	code = Main(t.Context(), "v1.2.3", args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// Every command has a manual with examples, and a section in docs/cli.md.
func TestHelp(t *testing.T) {
	documented, err := docs.Pages.ReadFile("cli.md")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Golden(t, "help.golden", help(t))
	for _, cmd := range NewCommand("v1.2.3", nil).Commands() {
		if !strings.Contains(cmd.Example, cmd.CommandPath()) {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		if !strings.Contains(string(documented), "\n## "+cmd.Name()+"\n") {
			t.Errorf("docs/cli.md has no section %s", cmd.Name())
		}
		page := golden.Base{Name: "its page", Text: manual.Page(cmd.Name())}
		golden.CheckBeside(t, "help-"+cmd.Name()+".golden", help(t, cmd.Name()), golden.File(t, "help.golden"), page)
	}
}

func help(t *testing.T, command ...string) string {
	t.Helper()
	code, out, errOut := mainAs(t, "", append(command, "--help")...)
	if code != 0 || errOut != "" {
		t.Errorf("%v: exit code %d, errors %q", command, code, errOut)
	}
	return out
}

func TestVersion(t *testing.T) {
	if code, out, _ := mainAs(t, "", "--version"); code != 0 || out != "kubectl assay version v1.2.3\n" {
		t.Errorf("exit code %d, got %q", code, out)
	}
}

const unreachable = `{apiVersion: v1, kind: Config, current-context: c,
contexts: [{name: c, context: {cluster: k, user: u}}], users: [{name: u}], clusters: [{name: k, cluster: {server: "https://127.0.0.1:1"}}]}`

func TestMistakesOfTheUserEndWithCodeTwoAndSayWhatToDo(t *testing.T) {
	for name, c := range map[string]struct {
		kubeconfig string
		args       []string
		want       string
	}{
		"no run":           {"", []string{"report"}, "error: no run is named: kubectl assay report RUN..., or kubectl assay report -f FILE for saved ones\n"},
		"two runs":         {"", []string{"watch", "a", "b"}, "error: expected one argument, the name of a run, and got 2: kubectl assay watch RUN\n"},
		"unknown format":   {"", []string{"report", "a", "-o", "yaml"}, "error: unknown output format \"yaml\": choose one of table, wide, json, markdown, csv, junit, html\n"},
		"no cluster":       {"", []string{"report", "a"}, "error: no cluster is configured: set KUBECONFIG, or name a kubeconfig with --kubeconfig\n"},
		"unknown command":  {"", []string{"show"}, "error: unknown command \"show\" for \"kubectl assay\"\n"},
		"unknown flag":     {"", []string{"report", "--nope"}, "error: unknown flag: --nope: kubectl assay report --help lists the flags\n"},
		"unknown context":  {unreachable, []string{"report", "a", "--context", "x"}, "error: reading the kubeconfig: context \"x\" does not exist\n"},
		"no certificate":   {strings.Replace(unreachable, "server:", "certificate-authority-data: eA==, server:", 1), []string{"report", "a"}, "unable to load root certificates: unable to parse bytes as PEM block\n"},
		"cluster is gone":  {unreachable, []string{"report", "a"}, "connection refused\n"},
		"watch: no answer": {unreachable, []string{"watch", "a"}, "connection refused\n"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errOut := mainAs(t, c.kubeconfig, c.args...)
			if code != 2 || out != "" || !strings.HasSuffix(errOut, c.want) || !strings.HasPrefix(errOut, "error: ") {
				t.Errorf("exit code %d, output %q, error\n%swant\n%s", code, out, errOut, c.want)
			}
		})
	}
}

func TestAnExitCodeIsAnErrorThatSaysSo(t *testing.T) {
	if got := (&output.ExitError{Code: 1}).Error(); got != "exit code 1" {
		t.Errorf("got %q", got)
	}
}

func TestWhoMayNotReadIsToldWhomToAsk(t *testing.T) {
	const advice = "ask an administrator to bind you to the ClusterRole assay-viewer"
	for why, want := range map[string]bool{
		`User "eve" cannot get resource "validationruns" in API group "assay.dev" at the cluster scope`: true,
		"exceeded quota": false,
	} {
		err := fmt.Errorf("reading run rack-7: %w", apierrors.NewForbidden(clitest.Runs, "rack-7", errors.New(why)))
		if got := worded(err); strings.Contains(got, advice) != want || !strings.Contains(got, why) {
			t.Errorf("%s: got %q", why, got)
		}
	}
}

// Aliases of kubectl name a namespace, which nothing here is in; colours are for those who ask, or who look.
func TestFlagsOfAllCommands(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs.jsonl")
	if _, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, clitest.Rack7(t)...), "export", "rack-7", "--to", file); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args    []string
		code    int
		colours bool
	}{
		{[]string{"version", "-n", "gpu"}, 0, false},
		{[]string{"report", "-f", file, "--namespace=gpu"}, 0, false},
		{[]string{"report", "-f", file, "--color=always"}, 0, true},
		{[]string{"report", "-f", file, "--color=never"}, 0, false},
		{[]string{"report", "-f", file, "--color=always", "-o", "json"}, 0, false},
		{[]string{"report", "-f", file, "--color=yes"}, 2, false},
	} {
		code, out, errOut := mainAs(t, "", c.args...)
		if code != c.code || strings.Contains(out, "\x1b[31mFail\x1b[0m") != c.colours || !c.colours && strings.Contains(out, "\x1b") {
			t.Errorf("%v: exit code %d, %s\n%s", c.args, code, errOut, out)
		}
	}
}
