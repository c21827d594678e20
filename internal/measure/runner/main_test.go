package runner

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/measure/result"
)

// The test binary plays three parts: the tests, the runner ("exec ...", "install ..."), and the programs that the runner
// runs ("program NAME ...").
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "exec", "install":
			os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr))
		case "program":
			os.Exit(programs[os.Args[2]](os.Args[3:]))
		}
	}
	os.Exit(m.Run())
}

const document = `{"schema":"assay.dev/result/v1","benchmark":"test","measurements":[` +
	`{"name":"rate","unit":"GB/s","better":"higher","parts":[{"at":"node","value":1.5}]}]}`

var programs = map[string]func(args []string) int{
	// print CODE TEXT: TEXT on stdout, then exit.
	"print": func(args []string) int {
		fmt.Fprint(os.Stdout, args[1])
		code, _ := strconv.Atoi(args[0])
		return code
	},
	// complain CODE LINES: LINES lines on stderr, then exit.
	"complain": func(args []string) int {
		code, _ := strconv.Atoi(args[0])
		lines, _ := strconv.Atoi(args[1])
		for i := range lines {
			fmt.Fprintf(os.Stderr, "line %d\n", i+1)
		}
		return code
	},
	// hang: deaf to SIGTERM, for ever.
	"hang": func([]string) int {
		signal.Ignore(syscall.SIGTERM)
		fmt.Fprintln(os.Stderr, "ready")
		time.Sleep(time.Hour)
		return 0
	},
	// obey: ends in order on SIGTERM, with a document.
	"obey": func([]string) int {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM)
		fmt.Fprintln(os.Stderr, "ready")
		<-signals
		fmt.Println(document)
		return 0
	},
	// flood: prints until nobody listens.
	"flood": func([]string) int {
		block := bytes.Repeat([]byte("x"), 1<<16)
		for {
			if _, err := os.Stdout.Write(block); err != nil {
				return 0
			}
		}
	},
	// arguments: its arguments as a document's notes, one by one.
	"arguments": func(args []string) int {
		fmt.Println(strings.TrimSuffix(document, "}") + `,"notes":["` + strings.Join(args, `","`) + `"]}`)
		return 0
	},
	// daemon: leaves a child in a session of its own that holds stdout open and ignores every polite signal.
	"daemon": func([]string) int {
		child := exec.Command(os.Args[0], "program", "hang")
		child.Stdout = os.Stdout
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := child.Start(); err != nil {
			return 3
		}
		fmt.Fprintf(os.Stderr, "child %d\n", child.Process.Pid)
		fmt.Println(document)
		return 0
	},
	// orphan: makes a grandchild that loses its parent and ends, and waits until someone has reaped it.
	"orphan": func([]string) int {
		middle := exec.Command(os.Args[0], "program", "middle")
		said, err := middle.Output()
		if err != nil {
			return 3
		}
		pid := strings.TrimSpace(string(said))
		for range 2000 {
			if _, err := os.Stat("/proc/" + pid); errors.Is(err, os.ErrNotExist) {
				fmt.Println(document)
				return 0
			}
			time.Sleep(5 * time.Millisecond)
		}
		fmt.Fprintln(os.Stderr, "the orphan is still a zombie")
		return 4
	},
	"middle": func([]string) int {
		grandchild := exec.Command(os.Args[0], "program", "print", "0", "")
		if err := grandchild.Start(); err != nil {
			return 3
		}
		fmt.Println(grandchild.Process.Pid)
		return 0 // without waiting
	},
	// die SIGNAL [FILE TEXT]: writes TEXT to FILE, then kills itself.
	"die": func(args []string) int {
		if len(args) == 3 {
			if err := os.WriteFile(args[1], []byte(args[2]), 0o644); err != nil {
				return 3
			}
		}
		number, _ := strconv.Atoi(args[0])
		_ = syscall.Kill(os.Getpid(), syscall.Signal(number))
		time.Sleep(time.Hour)
		return 0
	},
}

// run is one run of the runner as a process of its own.
type run struct {
	envelope result.Envelope
	log      string
	code     int
}

// runProgram runs the runner on one of the programs above. flags come before the program; when is called with the runner's
// process once the log holds "ready".
func runProgram(t *testing.T, flags []string, program []string, when func(*os.Process)) run {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return runCommand(t, flags, append([]string{self, "program"}, program...), when)
}

func runCommand(t *testing.T, flags, command []string, when func(*os.Process)) run {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	message := filepath.Join(t.TempDir(), "termination-log")
	args := append([]string{"exec", "--format", "Assay", "--timeout", "60s", "--termination-log", message, "--root", t.TempDir()}, flags...)
	cmd := exec.Command(self, append(append(args, "--"), command...)...)
	log := &watcher{word: "ready", found: make(chan struct{})}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if when != nil {
		select {
		case <-log.found:
			when(cmd.Process)
		case <-time.After(30 * time.Second):
			t.Error("the program did not get ready")
		}
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	text, err := os.ReadFile(message)
	if err != nil {
		t.Fatalf("no termination message: %v; the log:\n%s", err, log.text.String())
	}
	e, err := result.Decode(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return run{envelope: e, log: log.text.String(), code: cmd.ProcessState.ExitCode()}
}

// watcher is a log that tells when a word has come.
type watcher struct {
	text  bytes.Buffer
	word  string
	found chan struct{}
	told  bool
}

var _ io.Writer = (*watcher)(nil)

func (w *watcher) Write(data []byte) (int, error) {
	n, err := w.text.Write(data)
	if !w.told && strings.Contains(w.text.String(), w.word) {
		w.told = true
		close(w.found)
	}
	return n, err
}
