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

// OfNodes names the part that so many nodes make together, as SizeOf reads it.
func OfNodes(n int) string {
	if n == 1 {
		return "1node"
	}
	return strconv.Itoa(n) + "nodes"
}
