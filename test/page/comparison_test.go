package page_test

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/reader/compare"
	"github.com/assay-dev/assay/internal/reader/page"
	"github.com/assay-dev/assay/test/page/runs"
)

// compared are two simulated runs, as the program compares them.
var compared = sync.OnceValue(func() *compare.Comparison { return runs.Compared(runs.Upgraded(16)) })

func comparison(t *testing.T) []byte {
	t.Helper()
	return writeComparison(t, compared())
}

func hostileComparison(t *testing.T, attack string) []byte {
	t.Helper()
	c := runs.Compared(runs.Upgraded(4))
	fill(reflect.ValueOf(c).Elem(), attack, true)
	return writeComparison(t, c)
}

func writeComparison(t *testing.T, c *compare.Comparison) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := page.WriteComparison(&out, c); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// rising says whether values in GB/s and TB/s never fall.
func rising(t *testing.T, values string) bool {
	t.Helper()
	last := 0.0
	for _, text := range strings.Split(values, ",") {
		number, unit, _ := strings.Cut(text, " ")
		v, err := strconv.ParseFloat(number, 64)
		if err != nil {
			t.Fatal(err)
		}
		factor, known := map[string]float64{"MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12, "GFLOP/s": 1e9, "TFLOP/s": 1e12, "PFLOP/s": 1e15}[unit]
		if !known {
			t.Fatalf("the unit of %q is not known", text)
		}
		if v*factor < last {
			return false
		}
		last = v * factor
	}
	return true
}
