package quantity

import "testing"

func TestSizeOf(t *testing.T) {
	tests := map[string]struct {
		size int
		of   string
		ok   bool
	}{
		"4gpu":       {4, "gpu", true},
		"16ranks":    {16, "rank", true},
		"nodes2":     {2, "node", true},
		"0gpu":       {0, "gpu", true},
		OfNodes(1):   {1, "node", true},
		OfNodes(128): {128, "node", true},
		"gpu4":       {},
		"gpu0->gpu1": {},
		"64KiB":      {},
		"4gpu ":      {},
		"1234567gpu": {},
		"-4gpu":      {},
		"4gpu\n8gpu": {},
		"node":       {},
		"":           {},
	}
	for at, want := range tests {
		if size, of, ok := SizeOf(at); size != want.size || of != want.of || ok != want.ok {
			t.Errorf("%q: %d %q %v, want %+v", at, size, of, ok, want)
		}
	}
}
