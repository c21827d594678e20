package result

import (
	"fmt"
	"strings"
	"testing"
)

// TestHostileCurves: a curve that cannot be one is refused, with the size that is wrong.
func TestHostileCurves(t *testing.T) {
	part := func(at string) string { return fmt.Sprintf(`{"at":%q,"value":1}`, at) }
	many := func(n int) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = part(fmt.Sprintf("%dgpu", i+1))
		}
		return strings.Join(parts, ",")
	}
	tests := map[string]struct{ parts, refused string }{
		"a curve":                    {part("1gpu") + "," + part("2gpu") + "," + part("2nodes"), ""},
		"as many sizes as are kept":  {many(64), ""},
		"one more":                   {many(65), "rate has 65 sizes, at most 64 are allowed"},
		"10,000 sizes":               {many(10000), "rate has 10000 parts, at most 1024 are allowed"},
		"size 0":                     {part("1gpu") + "," + part("0gpu"), `rate at "0gpu": a size is 1 or more`},
		"a size twice":               {part("2gpu") + "," + part("2gpu"), `rate at "2gpu" appears twice`},
		"a size twice by two names":  {part("2gpu") + "," + part("02gpu"), `rate at "2gpu" and at "02gpu": these are the same size`},
		"a size twice by two forms":  {part("2nodes") + "," + part("nodes2"), `rate at "2nodes" and at "nodes2": these are the same size`},
		"a name that moves a cursor": {`{"at":"2gpu\u001b[2J","value":1}`, "a part of rate holds the unprintable character U+001B"},
		"not a number":               {`{"at":"2gpu","value":NaN}`, "which is not a finite number"},
		"infinite":                   {`{"at":"2gpu","value":1e999}`, "1e999"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			output := `{"schema":"assay.dev/result/v1","benchmark":"nbody","measurements":[{"name":"rate","unit":"TFLOP/s","better":"higher","parts":[` + tt.parts + `]}]}`
			_, err := read(output)
			switch {
			case tt.refused == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused)):
				t.Errorf("got %v, want: %s", err, tt.refused)
			}
		})
	}
}
