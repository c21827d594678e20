package recentwrites

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestAnOlderReadDoesNotReplaceAWrite: the answer to a read may come in after that to a write which was made later.
func TestAnOlderReadDoesNotReplaceAWrite(t *testing.T) {
	validation := func(version string) *v1alpha1.NodeValidation {
		v := &v1alpha1.NodeValidation{}
		v.Name, v.ResourceVersion = "a", version
		return v
	}
	for sentence, c := range map[string]struct{ read, want string }{
		"the read is older": {"9", "10"}, "the read is the same": {"10", "10"}, "the read is newer": {"11", "11"},
	} {
		t.Run(sentence, func(t *testing.T) {
			w, _ := testWrites()
			w.Wrote(validation("10"))
			if got := w.Validations.Add(validation(c.read), true); got.ResourceVersion != c.want {
				t.Errorf("version %s is returned, want %s", got.ResourceVersion, c.want)
			}
			if got := w.Validations.Like(validation("8")); got == nil || got.ResourceVersion != c.want {
				t.Errorf("%+v is remembered, want version %s", got, c.want)
			}
		})
	}
}

// TestWhatIsTrimmedIsStillAwaited: a pass that acts on thousands of nodes keeps no history of most, and still knows what it wrote of them.
func TestWhatIsTrimmedIsStillAwaited(t *testing.T) {
	w, _ := testWrites()
	v := &v1alpha1.NodeValidation{Message: "whole"}
	v.Name, v.ResourceVersion = "a", "10"
	w.Wrote(v)
	w.Validations.Trim("unknown", nil)
	w.Validations.Trim("a", func(v *v1alpha1.NodeValidation) *v1alpha1.NodeValidation {
		v = v.DeepCopy()
		v.Message = "trimmed"
		return v
	})
	w.Validations.Keep("run", nil)
	before := &v1alpha1.NodeValidation{}
	before.Name, before.ResourceVersion = "a", "9"
	if got := w.Validations.Like(before); got == nil || got.ResourceVersion != "10" || got.Message != "trimmed" {
		t.Errorf("while the cache shows what was before, %+v is known", got)
	}
}
