package cases

import "time"

// What a webhook says to a write.
const (
	SaysForbidden = "it is forbidden"
	SaysNoCode    = "no, without a code"
	SaysNothing   = "nothing in time"
)

// What a webhook puts into pods.
const (
	AddsLabel      = "a label"
	AddsToleration = "a toleration"
	AddsSelector   = "a node selector"
	AddsSidecar    = "a sidecar"
	AddsInit       = "an init container"
)

// webhooks of others are asked about what is written, and refuse or change it, or do not answer.
func (g generator) webhooks() {
	g.c.Admission = g.one(2)
	for range 1 + g.IntN(3) {
		h := Happening{At: g.at(8 * time.Minute), For: 20*time.Second + g.at(5*time.Minute)}
		switch g.IntN(5) {
		case 0, 1:
			h.What, h.How, h.Kind = "a webhook refuses", pick(g, SaysForbidden, SaysNoCode, SaysNothing), pick(g, "Node", "Node", "NodeValidation", "NodeHistory")
			if !g.one(3) {
				h.Name = g.node()
			}
		case 2:
			h.What, h.How = "a webhook refuses", pick(g, SaysForbidden, SaysNoCode, SaysNothing)
			h.Kind = pick(g, "Pod", "Pod", "MPIJob", "NetworkPolicy", "ControllerRevision", "ValidationResult", "ValidationRun", "ResourceClaimTemplate", "DeviceTaintRule", "Job")
			h.Verb = pick(g, "create", "create", "update", "delete", "")
		case 3:
			h.What, h.How = "a webhook puts into pods", pick(g, AddsLabel, AddsToleration, AddsSelector, AddsSidecar, AddsSidecar, AddsInit)
		case 4:
			h.What = "a webhook labels nodes"
		}
		g.add(h)
	}
}
