package message

import "fmt"

// NodeKeptByKubernetes is for a node with a taint that Kubernetes itself puts there and takes away.
func NodeKeptByKubernetes(taint string) string {
	return fmt.Sprintf("measured once Kubernetes has removed its taint %s from the node", taint)
}
