package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestParseStatReadsPastAHostileCommandName(t *testing.T) {
	stat := "42 (a) R 1 (b) S 1 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 1000 10\n"
	state, start, err := parseStat(stat)
	if err != nil || state != 'S' || start != 98765 {
		t.Errorf("got %c, %d, %v", state, start, err)
	}
	for _, broken := range []string{"", "42 (a", "42 (a) S 1 2"} {
		if _, _, err := parseStat(broken); err == nil {
			t.Errorf("parseStat(%q) accepted it", broken)
		}
	}
}

func TestARecycledPIDIsNotTheSameProcess(t *testing.T) {
	self, err := Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pid", "self")
	if err := self.Save(file); err != nil {
		t.Fatal(err)
	}
	if _, alive := Load(file); !alive {
		t.Error("the running process was not recognised")
	}
	earlier := Identity{PID: self.PID, Start: self.Start - 1}
	if err := earlier.Save(file); err != nil {
		t.Fatal(err)
	}
	// If Stop took the pid for an identity, this test would end here.
	if err := Stop(file, time.Second); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the stale pid file was kept")
	}
}

func TestStopEndsWhatStartStarted(t *testing.T) {
	dir := t.TempDir()
	pidFile := filepath.Join(dir, "pid")
	id, err := Start(Spec{
		Name: "sleep", Path: "/bin/sleep", Args: []string{"60"}, Log: filepath.Join(dir, "log"), PIDFile: pidFile,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, alive := Load(pidFile); !alive {
		t.Error("it does not run after Start")
	}
	if err := Stop(pidFile, time.Second); err != nil {
		t.Error(err)
	}
	if id.Alive() {
		t.Error("it runs after Stop")
	}
}

func TestLoadTakesGarbageForDead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	for _, content := range []string{"", "x", "1 1", "-1 5", "0 0"} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if id, alive := Load(file); alive {
			t.Errorf("%q was taken for process %v", content, id)
		}
	}
}
