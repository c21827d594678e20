package message

import "fmt"

// NodeKept is for a node with a taint that Kubernetes, or whoever made the node, puts there and takes away.
func NodeKept(taint string) string {
	return fmt.Sprintf("measured once its taint %s is gone, which no benchmark pod tolerates", taint)
}
