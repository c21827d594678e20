package hack

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/assay-dev/assay/internal/reader/cli"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
)

// What the docs tell people to type exists: commands of kubectl assay with their flags and arguments, and targets of make with their variables.
// Nothing is run here: CONTRIBUTING.md says which commands are.
func TestCommandsInTheDocsExist(t *testing.T) {
	pages := map[string]string{}
	for _, pattern := range []string{"../*.md", "../docs/*.md", "../docs/decisions/*.md", "../*/README.md", "../*/*/README.md", "../*/*/*/README.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, file := range files {
			if strings.HasPrefix(file, "../build/") {
				continue // copies for the site
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pages[file] = string(text)
		}
	}
	known, checked := readMakefiles(t), map[string]int{}
	for page, text := range pages {
		for _, words := range commandsIn(text) {
			var err error
			switch {
			case len(words) == 0:
				continue
			case words[0] == "make":
				err = known.check(words[1:])
			case words[0] == "kubectl" && len(words) > 1 && words[1] == "assay":
				err = checkPlugin(words[2:])
			case words[0] == "bin/kubectl-assay":
				err = checkPlugin(words[1:])
			default:
				continue
			}
			checked[words[0]]++
			if err != nil {
				t.Errorf("%s: %s: %v", page, strings.Join(words, " "), err)
			}
		}
	}
	if checked["make"] < 100 || checked["kubectl"] < 80 {
		t.Errorf("the docs show %v commands: this test looks for them in the wrong way", checked)
	}
}

var (
	block    = regexp.MustCompile("(?ms)^ *```(\\w*)\n(.*?)^ *```$")
	span     = regexp.MustCompile("`([^`]+)`")
	indented = regexp.MustCompile(`(?m)^    (\S.*)$`)
	prompted = regexp.MustCompile(`(?m)^\$ (.*)$`)
	// A word with its quotes, or an operator between two commands.
	word = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s|<>&;'"])+|[|<>&;]`)
)

// commandsIn a page, as their words: in blocks that show a shell, in indented lines, and in sentences.
func commandsIn(page string) (commands [][]string) {
	page = strings.ReplaceAll(page, "\\\n", " ")
	var lines []string
	page = block.ReplaceAllStringFunc(page, func(b string) string {
		switch m := block.FindStringSubmatch(b); m[1] {
		case "sh":
			lines = append(lines, strings.Split(m[2], "\n")...)
		case "console":
			for _, line := range prompted.FindAllStringSubmatch(m[2], -1) {
				lines = append(lines, line[1])
			}
		}
		return ""
	})
	for _, found := range slices.Concat(indented.FindAllStringSubmatch(page, -1), span.FindAllStringSubmatch(page, -1)) {
		lines = append(lines, strings.ReplaceAll(found[1], "\n", " "))
	}
	for _, line := range lines {
		commands = append(commands, commandsOf(line)...)
	}
	return commands
}

func commandsOf(line string) (commands [][]string) {
	var words []string
	for _, w := range append(word.FindAllString(line, -1), ";") {
		switch {
		case strings.HasPrefix(w, "#"):
			return append(commands, words)
		case strings.Contains("|<>&;", w):
			commands = append(commands, words)
			words = nil
		case len(words) == 0 && strings.Contains(w, "="): // the environment of a command
		default:
			words = append(words, strings.NewReplacer("'", "", `"`, "").Replace(w))
		}
	}
	return commands
}

// checkPlugin parses a command line as the plugin does, up to where the command would begin.
func checkPlugin(args []string) error {
	if len(args) > 0 && args[0] == "COMMAND" {
		return nil
	}
	if len(args) == 1 { // as sentences name it
		args = append(args, "--help")
	}
	understood := errors.New("understood")
	var flags cluster.Flags
	root := cli.NewCommand("v0", flags.Connect)
	flags.Bind(root.PersistentFlags())
	root.PersistentFlags().String("color", "", "")
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return understood }
	root.SetArgs(args)
	root.SetOut(io.Discard)
	if err := root.Execute(); !errors.Is(err, understood) {
		return err // none where it asks for help
	}
	return nil
}

// makefiles are the targets of make, and every text in which a variable of its command line may be read.
type makefiles struct {
	targets []string
	text    string
}

var rule = regexp.MustCompile(`(?m)^([\w%/.-]+(?: [\w%/.-]+)*) ?:(?:[^=]|$)`)

func readMakefiles(t *testing.T) (m makefiles) {
	t.Helper()
	for _, pattern := range []string{"../Makefile", "make/*.mk", "*.sh", "*/*.sh", "bench/*/*.go", "../test/*/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m.text += string(text)
			if strings.HasSuffix(file, ".mk") || strings.HasSuffix(file, "Makefile") {
				for _, found := range rule.FindAllStringSubmatch(string(text), -1) {
					m.targets = append(m.targets, strings.Fields(found[1])...)
				}
			}
		}
	}
	return m
}

func (m makefiles) check(words []string) error {
	for _, w := range words {
		variable, _, set := strings.Cut(w, "=")
		switch {
		case strings.HasPrefix(w, "-"):
		case set && !regexp.MustCompile(`\b`+variable+`\b`).MatchString(m.text):
			return errors.New("nothing reads " + variable)
		case !set && !slices.ContainsFunc(m.targets, func(target string) bool {
			before, after, pattern := strings.Cut(target, "%")
			return target == w || pattern && strings.HasPrefix(w, before) && strings.HasSuffix(w, after)
		}):
			return errors.New("there is no target " + w)
		}
	}
	return nil
}
