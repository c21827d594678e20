package limits

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// kernelOf is a /proc/sys with these limits.
func kernelOf(t *testing.T, instances int) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, value := range map[string]int{
		"fs/inotify/max_user_instances": instances, "fs/inotify/max_user_watches": 1 << 20, "kernel/pid_max": 1 << 22, "kernel/threads-max": 1 << 22,
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, fmt.Appendln(nil, value), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := sysctls
	sysctls = root
	t.Cleanup(func() { sysctls = before })
	return root
}

func instances() int { return number(limit{name: "fs.inotify.max_user_instances"}.path()) }

func TestRaiseMakesRoomAndRestoreTakesItBack(t *testing.T) {
	kernelOf(t, 128)
	file := filepath.Join(t.TempDir(), "raised.json")
	var told []string
	tell := func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) }
	five := Need{InotifyInstances: 60}
	if err := Raise(five, t.TempDir(), file, tell); err != nil {
		t.Fatal(err)
	}
	if got := instances(); got != 1024 || len(told) != 1 || !strings.HasPrefix(told[0], "raised fs.inotify.max_user_instances from 128 to 1024: ") {
		t.Errorf("%d instances, told %q", got, told)
	}
	if err := Raise(five, t.TempDir(), file, tell); err != nil || len(told) != 1 {
		t.Errorf("a second cluster raises it again: %q, %v", told, err)
	}
	if err := Restore(file); err != nil || instances() != 128 {
		t.Errorf("%d instances after the last cluster, %v", instances(), err)
	}
	if err := Restore(file); err != nil {
		t.Errorf("nothing to restore: %v", err)
	}
}

func TestRestoreKeepsWhatAPersonChanged(t *testing.T) {
	kernelOf(t, 128)
	file := filepath.Join(t.TempDir(), "raised.json")
	if err := Raise(Need{InotifyInstances: 60}, t.TempDir(), file, t.Logf); err != nil {
		t.Fatal(err)
	}
	path := limit{name: "fs.inotify.max_user_instances"}.path()
	if err := os.WriteFile(path, []byte("8192"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Restore(file); err != nil || instances() != 8192 {
		t.Errorf("%d instances, %v", instances(), err)
	}
}

func TestRaiseLowersNothing(t *testing.T) {
	for _, allowed := range []int{100, 1023, 1024, 2000, 5000, 1 << 20} {
		for _, needed := range []int{1, 60, 400, 499, 501, 1 << 18} {
			l := limit{name: "kernel.pid_max", allowed: allowed, used: 10, needed: needed, generous: 1024}
			if l.tight() && l.raised() <= allowed {
				t.Errorf("%d with %d needed becomes %d", allowed, needed, l.raised())
			}
			if l.allowed = l.raised(); l.tight() {
				t.Errorf("%d with %d needed becomes %d, which is tight", allowed, needed, l.allowed)
			}
		}
	}
}

func TestRaiseAfterAPersonChangedItKeepsWhatTheyChanged(t *testing.T) {
	kernelOf(t, 128)
	file := filepath.Join(t.TempDir(), "raised.json")
	path := limit{name: "fs.inotify.max_user_instances"}.path()
	if err := Raise(Need{InotifyInstances: 60}, t.TempDir(), file, t.Logf); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("8192"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Raise(Need{InotifyInstances: 4000}, t.TempDir(), file, t.Logf); err != nil || instances() <= 8192 {
		t.Fatalf("%d instances, %v", instances(), err)
	}
	if err := Restore(file); err != nil || instances() != 8192 {
		t.Errorf("%d instances, %v; want what the person set", instances(), err)
	}
}

func TestWhatCannotBeRaisedIsNamedInOneSentence(t *testing.T) {
	root := kernelOf(t, 10)
	// A folder in the file's place: even root cannot write it.
	file := filepath.Join(root, "raised.json")
	if err := os.Mkdir(file, 0o755); err != nil {
		t.Fatal(err)
	}
	err := Raise(Need{InotifyInstances: 60, Memory: 1 << 40}, t.TempDir(), file, t.Logf)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"fs.inotify.max_user_instances is 10 with ", ", and 60 more are needed (raise it: sysctl -w fs.inotify.max_user_instances=1024)", " MiB of memory are available, and "} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than a line: %q", err)
	}
}

func TestInotifyCountsWhatThisUserHas(t *testing.T) {
	instancesBefore, watchesBefore := inotify("/proc")
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if _, err := unix.InotifyAddWatch(fd, t.TempDir(), unix.IN_CREATE); err != nil {
		t.Fatal(err)
	}
	// Other processes come and go meanwhile.
	if instances, watches := inotify("/proc"); instances < 1 || watches < 1 {
		t.Errorf("%d instances and %d watches after %d and %d", instances, watches, instancesBefore, watchesBefore)
	}
}

func TestMissingNamesEachThingThatNobodyCanRaise(t *testing.T) {
	m := machine{memory: 500, disk: 100, pidsMax: 300, pidsUsed: 200, files: 1024}
	all := strings.Join(missing(m, Need{Memory: 900, Disk: 2000, Threads: 400}, "/var/lib/x"), "\n")
	for _, want := range []string{
		"500 MiB of memory are available, and 900 are needed", "100 MiB are free below /var/lib/x, and 2000 are needed",
		"allows 300 processes with 200 in use, and 400 more are needed", "may open 1024 files, and 4096 are needed",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q lacks %q", all, want)
		}
	}
	if got := missing(machine{memory: 5000, disk: 9000, files: unlimited}, Need{Memory: 900, Disk: 2000, Threads: 400}, "/"); len(got) > 0 {
		t.Errorf("missing on a machine that has everything: %q", got)
	}
}
