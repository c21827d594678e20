package hack

import (
	"os"
	"regexp"
	"testing"
)

// versions are what a go.mod builds with: what it requires, or what replaces that.
func versions(t *testing.T, path string) map[string]string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\t([^\s/]+\.\S+) (v\S+)`).FindAllStringSubmatch(string(content), -1) {
		all[m[1]] = m[2]
	}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) => \S+ (v\S+)`).FindAllStringSubmatch(string(content), -1) {
		if _, required := all[m[1]]; required {
			all[m[1]] = m[2]
		}
	}
	return all
}

// A package is compiled again for each version of it, and of whatever it imports: one that differs costs minutes.
func TestOperatorAndClusterShareTheirModules(t *testing.T) {
	operator, cluster := versions(t, "../go.mod"), versions(t, "localcluster/go.mod")
	shared := 0
	for module, version := range operator {
		other, ok := cluster[module]
		if !ok {
			continue
		}
		shared++
		if other != version {
			t.Errorf("%s: the operator has %s, the local cluster %s: raise the older one by `go get`, then `go mod tidy` in both", module, version, other)
		}
	}
	if shared < 50 {
		t.Errorf("only %d modules in common: is the format of go.mod another one?", shared)
	}
}
