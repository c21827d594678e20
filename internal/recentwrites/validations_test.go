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
