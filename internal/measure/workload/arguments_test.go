package workload

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// withParameters has one parameter of each type.
func withParameters(command ...string) *v1alpha1.Benchmark {
	b := &v1alpha1.Benchmark{}
	b.Name = "stream"
	b.Spec.Command = command
	b.Spec.Parameters = []v1alpha1.ParameterSpec{
		{Name: "repetitions", Type: v1alpha1.ParameterInteger, Default: "10", Minimum: "1", Maximum: "1e3"},
		{Name: "fraction", Type: v1alpha1.ParameterNumber, Default: "0.5", Minimum: "0.1", Maximum: "0.9"},
		{Name: "verify", Type: v1alpha1.ParameterBoolean, Default: "true"},
		{Name: "mode", Type: v1alpha1.ParameterEnum, Default: "quick", Values: []string{"quick", "long"}},
	}
	return b
}

func set(name, value string) []v1alpha1.ParameterValue {
	return []v1alpha1.ParameterValue{{Name: name, Value: value}}
}

func TestArguments(t *testing.T) {
	cases := map[string]struct {
		command []string
		set     []v1alpha1.ParameterValue
		want    []string
	}{
		"defaults are used where nothing is set": {
			[]string{"/bin/stream", "--reps=$(repetitions)", "$(mode)"}, nil, []string{"/bin/stream", "--reps=10", "quick"}},
		"a value replaces the default, everywhere": {
			[]string{"p", "$(repetitions)", "a$(repetitions)b$(repetitions)"}, set("repetitions", "42"), []string{"p", "42", "a42b42"}},
		"the minimum may be reached":      {[]string{"$(repetitions)"}, set("repetitions", "1"), []string{"1"}},
		"the maximum may be reached":      {[]string{"$(repetitions)"}, set("repetitions", "1000"), []string{"1000"}},
		"a number may be written shortly": {[]string{"$(fraction)"}, set("fraction", "2e-1"), []string{"2e-1"}},
		"a boolean is a word":             {[]string{"--verify=$(verify)"}, set("verify", "false"), []string{"--verify=false"}},
		"an enum is one of its values":    {[]string{"$(mode)"}, set("mode", "long"), []string{"long"}},
		"what a shell would act on stays one argument": {
			[]string{"p", "; rm -rf / && `id` | $HOME > *"}, nil, []string{"p", "; rm -rf / && `id` | $HOME > *"}},
		"an argument may be empty, or hold newlines and quotes": {
			[]string{"p", "", "a\n'b'\"c\""}, nil, []string{"p", "", "a\n'b'\"c\""}},
		"a long argument is passed whole": {[]string{strings.Repeat("x", 64<<10)}, nil, []string{strings.Repeat("x", 64<<10)}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			got, err := Arguments(withParameters(c.command...), c.set)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("other arguments (-want +got):\n%s", diff)
			}
		})
	}
}

// TestArgumentsRefused: whatever is not exactly a value of the parameter's type is refused, with words that say why.
func TestArgumentsRefused(t *testing.T) {
	huge := strings.Repeat("9", 64<<10)
	cases := map[string]struct{ name, value, message string }{
		"an unknown parameter":            {"sizes", "1", `benchmark stream has no parameter "sizes"; it has repetitions, fraction, verify, mode`},
		"an integer with a command":       {"repetitions", "1; rm -rf /", "is not an integer"},
		"an integer with an expansion":    {"repetitions", "$(fraction)", "is not an integer"},
		"an integer with a newline":       {"repetitions", "1\n", "is not an integer"},
		"an integer with a NUL":           {"repetitions", "1\x00", "is not an integer"},
		"an integer of 64 KiB":            {"repetitions", huge, "is not an integer"},
		"an integer with a fraction":      {"repetitions", "1.5", "is not an integer"},
		"an integer with a plus":          {"repetitions", "+5", "is not an integer"},
		"an empty integer":                {"repetitions", "", "is not an integer"},
		"an integer below its minimum":    {"repetitions", "0", "it must be at least 1"},
		"an integer above its maximum":    {"repetitions", "1001", "it must be at most 1e3"},
		"a negative integer":              {"repetitions", "-1", "it must be at least 1"},
		"a number that is none":           {"fraction", "NaN", "is not a number"},
		"an infinite number":              {"fraction", "inf", "is not a number"},
		"a number out of range":           {"fraction", "1e999", "is not a number"},
		"a number with a command":         {"fraction", "0.5`id`", "is not a number"},
		"a number above its maximum":      {"fraction", "0.91", "it must be at most 0.9"},
		"a hexadecimal number":            {"fraction", "0x1p-1", "is not a number"},
		"a number with underscores":       {"fraction", "0_0.5", "is not a number"},
		"a boolean in capitals":           {"verify", "TRUE", "write true or false"},
		"a boolean as a digit":            {"verify", "1", "write true or false"},
		"an enum's value with more to it": {"mode", "quick --evil", "choose one of quick, long"},
		"an enum's value with a newline":  {"mode", "quick\n", "choose one of quick, long"},
		"an empty enum":                   {"mode", "", "choose one of quick, long"},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			got, err := Arguments(withParameters("p", "$(repetitions)", "$(fraction)", "$(verify)", "$(mode)"), set(c.name, c.value))
			if err == nil {
				t.Fatalf("accepted as %q", got)
			}
			if !strings.Contains(err.Error(), c.message) {
				t.Errorf("refused with %.200q, want %q in it", err, c.message)
			}
		})
	}
}

func TestNoParameterIsSetWhereThereIsNone(t *testing.T) {
	b := withParameters("p")
	b.Spec.Parameters = nil
	_, err := Arguments(b, set("repetitions", "1"))
	if want := `benchmark stream has no parameter "repetitions"; it has none`; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestBadBenchmarks(t *testing.T) {
	cases := map[string]struct {
		change  func(*v1alpha1.Benchmark)
		message string
	}{
		"a default outside its bounds": {func(b *v1alpha1.Benchmark) { b.Spec.Parameters[0].Default = "0" },
			"Benchmark stream has a bad default: parameter repetitions is 0: it must be at least 1"},
		"a placeholder that no parameter fills": {func(b *v1alpha1.Benchmark) { b.Spec.Command = []string{"p", "$(HOME)"} },
			"Benchmark stream uses $(HOME) in its command, but declares no such parameter"},
		"a bound that is no number": {func(b *v1alpha1.Benchmark) { b.Spec.Parameters[0].Maximum = "many" },
			"it must be at most many"},
		"a type of tomorrow": {func(b *v1alpha1.Benchmark) { b.Spec.Parameters[0].Type = "String" },
			`parameter repetitions has the unknown type "String"`},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			b := withParameters("p")
			c.change(b)
			_, err := Arguments(b, nil)
			if err == nil || !strings.Contains(err.Error(), c.message) {
				t.Errorf("got error %v, want %q in it", err, c.message)
			}
		})
	}
}

// TestConfiguration: only what is alike has the same hash.
func TestConfiguration(t *testing.T) {
	base := func() *v1alpha1.Benchmark {
		b := withParameters("p")
		b.Spec.Image, b.Spec.Env = "registry.example/stream@sha256:1", []v1alpha1.EnvVar{{Name: "A", Value: "1"}}
		return b
	}
	reference := Configuration(base(), []string{"p", "1 2"}, base().Spec.Image)
	if again := Configuration(base(), []string{"p", "1 2"}, base().Spec.Image); again != reference {
		t.Errorf("the same configuration has two hashes: %s and %s", reference, again)
	}
	other := map[string]func(*v1alpha1.Benchmark) []string{
		"another image":       func(b *v1alpha1.Benchmark) []string { b.Spec.Image += "2"; return []string{"p", "1 2"} },
		"another argument":    func(*v1alpha1.Benchmark) []string { return []string{"p", "1 3"} },
		"arguments cut apart": func(*v1alpha1.Benchmark) []string { return []string{"p", "1", "2"} },
		"another environment": func(b *v1alpha1.Benchmark) []string { b.Spec.Env[0].Value = "2"; return []string{"p", "1 2"} },
	}
	for sentence, change := range other {
		t.Run(sentence, func(t *testing.T) {
			b := base()
			argv := change(b)
			if got := Configuration(b, argv, b.Spec.Image); got == reference {
				t.Errorf("has the same hash %s", got)
			}
		})
	}
}
