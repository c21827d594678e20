package devicerule

import "fmt"

func notAllowed(why string) string {
	return "no device of this node is tainted: its annotation assay.dev/quarantine has a taint that no run may use: " + why
}

func publishedTwice(uuid string) string {
	return fmt.Sprintf("the node's ResourceSlices have UUID %s twice, so nobody knows which device is meant, and both are tainted: look into its DRA driver", uuid)
}

func poolOfOthers(uuid, pool string) string {
	return fmt.Sprintf("device %s is not tainted: pool %s has the name of another node, or slices of one, and a rule would be about the devices there too: "+
		"look for who publishes it (kubectl get resourceslices), and have the DRA driver name its pool as the node is named", uuid, pool)
}
