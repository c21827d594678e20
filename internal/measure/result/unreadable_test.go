package result

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestStored(t *testing.T) {
	const meta = `"metadata":{"name":"r","resourceVersion":"7"},"run":{"name":"run","uid":"u"}`
	for sentence, c := range map[string]struct {
		text string
		want string // its benchmarks with how often each was tried
		node string
	}{
		"a result":                 {`{` + meta + `,"node":{"name":"a"},"benchmarks":[{"name":"x","verdict":"Pass","attempts":[{"number":1},{"number":2}]}]}`, "x/2/", "a"},
		"a node's, garbled":        {`{` + meta + `,"node":{"name":"a"},"benchmarks":[{"name":"x","attempts":[{"number":99999999999}]}]}`, "hbm/1/Unreadable p2p/1/Unreadable", "a"},
		"a group's, garbled":       {`{` + meta + `,"group":{"nodes":[{"name":"a"}]},"benchmarks":[{"name":"nccl","attempts":"none"}]}`, "nccl/1/Unreadable", ""},
		"nothing tells what it is": {`{` + meta + `,"node":7}`, "", ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			v, err := Stored([]byte(c.text), []string{"hbm", "p2p"})
			if err != nil {
				if c.want != "" || !strings.HasPrefix(err.Error(), "r: json: ") {
					t.Errorf("error %v", err)
				}
				return
			}
			var got []string
			for _, b := range v.Benchmarks {
				got = append(got, b.Name+"/"+string(rune('0'+len(b.Attempts)))+"/"+b.Attempts[0].Reason)
			}
			if strings.Join(got, " ") != c.want || v.Node.Name != c.node || v.ResourceVersion != "7" || v.Run.UID != "u" {
				t.Errorf("%q of node %q, version %s, run %s", got, v.Node.Name, v.ResourceVersion, v.Run.UID)
			}
			if v.Verdict == v1alpha1.VerdictPass {
				t.Error("it passed")
			}
		})
	}
}
