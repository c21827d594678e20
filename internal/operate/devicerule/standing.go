package devicerule

import (
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/assay-dev/assay/internal/measure/dra"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// Standing is how the rules of a node are, for who only looks at them.
type Standing struct {
	// Devices that are out of service, by UUID. Unpublished are those of them that no slice of the node has.
	Devices, Unpublished []string
	// Plan is what the operator has still to do. It is idle in the long run, and its problems are those that it tells.
	Plan *Plan
}

// Of a node; nil: there is none of that name. Whether its taint is one that may be put on a device is no matter here.
func Of(node *corev1.Node, at *dra.Places, existing []*resourcev1.DeviceTaintRule) Standing {
	if node == nil {
		return Standing{Plan: Make(nil, nil, taint.Policy{}, existing)}
	}
	devices, t := taint.MarkedDevices(node)
	s := Standing{Devices: devices, Plan: Make(node, at, taint.Policy{AllowNoExecute: true, AllowedKeys: []string{t.Key}}, existing)}
	for _, uuid := range devices {
		if len(at.Of(uuid)) == 0 && at.Disputed(uuid) == "" {
			s.Unpublished = append(s.Unpublished, uuid)
		}
	}
	return s
}
