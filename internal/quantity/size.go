package quantity

import (
	"regexp"
	"strconv"
)

// sizes of what works on a problem together: 4gpu, 16ranks, nodes2.
var countedPart = regexp.MustCompile(`^(?:(\d{1,6})(gpu|rank|node|thread)s?|(gpu|rank|node|thread)s(\d{1,6}))$`)

// SizeOf reads the name of a part that says how many worked together: 4 and "gpu" of "4gpu". ok is false where it says no such thing.
func SizeOf(at string) (size int, of string, ok bool) {
	f := countedPart.FindStringSubmatch(at)
	if f == nil {
		return 0, "", false
	}
	size, err := strconv.Atoi(f[1] + f[4])
	return size, f[2] + f[3], err == nil
}

// sizes of messages: 8B, 64KiB, 1GiB.
var (
	bytesPart   = regexp.MustCompile(`^(\d{1,6})(B|KiB|MiB|GiB)$`)
	bytesFactor = map[string]float64{"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
)

// BytesOf reads the name of a part that is the size of a message. ok is false where it is none.
func BytesOf(at string) (bytes float64, ok bool) {
	f := bytesPart.FindStringSubmatch(at)
	if f == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(f[1], 64)
	return n * bytesFactor[f[2]], err == nil
}

// OfNodes names the part that so many nodes make together, as SizeOf reads it.
func OfNodes(n int) string {
	if n == 1 {
		return "1node"
	}
	return strconv.Itoa(n) + "nodes"
}
