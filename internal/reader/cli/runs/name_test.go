package runs

import "testing"

func TestANameIsMadeOfWhatIsMeasured(t *testing.T) {
	for want, f := range map[string]runFlags{
		"quick-abcde":  {suite: "quick"},
		"stream-abcde": {benchmarks: []string{"stream"}},
		"run-abcde":    {benchmarks: []string{"stream", "hpl"}},
		"nightlyabcde": {suite: "quick", generateName: "nightly"},
		"mine":         {suite: "quick", name: "mine"},
	} {
		f.suffix = func() string { return "abcde" }
		if got := f.runName(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
