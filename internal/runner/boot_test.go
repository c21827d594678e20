package runner

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestExecTellsWhichBootItMeasured(t *testing.T) {
	const boot = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"as the kernel writes it":               {map[string]string{"proc/sys/kernel/random/boot_id": boot + "\n"}, boot},
		"a sandbox without the file":            {nil, ""},
		"a sandbox that puts something in it":   {map[string]string{"proc/sys/kernel/random/boot_id": "runsc\n"}, ""},
		"a sandbox that writes it in its style": {map[string]string{"proc/sys/kernel/random/boot_id": "{" + boot + "}"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			writeTree(t, root, test.files)
			got := runProgram(t, []string{"--root", root}, []string{"print", "0", document}, nil).envelope
			if got.BootID != test.want || got.Reason != v1alpha1.ReasonMeasured {
				t.Errorf("boot %q, reason %s %s, want boot %q", got.BootID, got.Reason, got.Message, test.want)
			}
		})
	}
}
