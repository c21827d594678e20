package hack

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What a script puts into the cache is trusted by the next one that finds it: it appears by one rename within one folder, or not at all.
func TestWhatIsFetchedOnceAppearsAsAWhole(t *testing.T) {
	for script, want := range map[string][]string{
		"prometheus.sh": {"prometheus", "promtool"},
		"hpl-source.sh": {"README.txt", "hpl/testing/ptest/HPL_pddriver.c"},
	} {
		t.Run(script, func(t *testing.T) {
			stubs, folder := t.TempDir(), filepath.Join(t.TempDir(), "cache", "it")
			stub(t, stubs, "apt-get", `case " $* " in *" indextargets "*) echo "http://mirror.example.com/debian/ main" ;; *) touch prometheus_1_all.deb ;; esac`)
			stub(t, stubs, "dpkg-deb", `mkdir -p "$3/usr/bin"; touch "$3"/usr/bin/{prometheus,promtool}; chmod +x "$3"/usr/bin/*`)
			stub(t, stubs, "apt-helper", `file="${@: -2:1}"; cd "$(dirname "$file")"
				mkdir -p hpcc/hpl/testing/ptest; touch hpcc/README.txt hpcc/hpl/testing/ptest/HPL_pddriver.c; tar -czf "$file" hpcc; rm -r hpcc`)
			content, err := os.ReadFile(filepath.Join("setup", script)) // read here, so that go test notices a change
			if err != nil {
				t.Fatal(err)
			}
			run := func() error {
				cmd := exec.Command("bash", "-c", string(content), script, folder)
				cmd.Env = append(os.Environ(), "PATH="+stubs+":"+os.Getenv("PATH"))
				return cmd.Run()
			}
			// The machine goes down as the first thing is put in place, or in the midst of a copy to another file system.
			stub(t, stubs, "mv", `kill -KILL $PPID`)
			if err := run(); err == nil {
				t.Fatal("the script moves nothing: what does this test interrupt?")
			}
			if _, err := os.Stat(folder); err == nil {
				t.Errorf("%s is there before it is whole", folder)
			}
			stub(t, stubs, "mv", `
				[[ $# -eq 3 && $1 == -T && "$3" == "`+folder+`" && "$2" == "$3".partial-* && ! -e "$3" ]] || { echo "mv $*: no rename of a whole folder" >&2; exit 1; }
				exec /bin/mv "$@"`)
			if err := run(); err != nil {
				t.Fatal(err)
			}
			for _, file := range want {
				if _, err := os.Stat(filepath.Join(folder, file)); err != nil {
					t.Error(err)
				}
			}
			if err := os.RemoveAll(stubs); err != nil { // nothing is fetched again
				t.Fatal(err)
			}
			if err := run(); err != nil {
				t.Error(err)
			}
		})
	}
}

// stub puts a program of that name in the place of the machine's own.
func stub(t *testing.T, folder, name, script string) {
	t.Helper()
	write(t, filepath.Join(folder, name), "#!/usr/bin/env bash\n"+script+"\n")
}

// write a file that may be started, and its folder.
func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}
