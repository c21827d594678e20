package message

import "time"

func init() {
	samples = append(samples,
		sample{"NodeRecreated", NodeRecreated()},
		sample{"NodeDeleted", NodeDeleted()},
		sample{"NodeNotFound", NodeNotFound()},
		sample{"NodeNotReady", NodeNotReady(time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC))},
		sample{"NodeCordoned", NodeCordoned()},
		sample{"NodeReserved", NodeReserved("node-role.kubernetes.io/control-plane")},
		sample{"NodeLeaving", NodeLeaving("karpenter.sh/disrupted")},
		sample{"WaitsToBecomeReady", WaitsToBecomeReady()},
		sample{"WaitsForItsGroup", WaitsForItsGroup()},
		sample{"WaitsForItsTurn", WaitsForItsTurn(4)},
		sample{"WaitsForNode", WaitsForNode("node-2", NodeInGroup())},
		sample{"WaitsForNode", WaitsForNode("node-2", NodeHasPod("stream-0123456789abcdef", true))},
		sample{"BusyNodeOfGroup", BusyNodeOfGroup("node-2", "waiting for run nightly, which is measuring this node")},
		sample{"NodeInGroup", NodeInGroup()},
		sample{"NodeHasPod", NodeHasPod("stream-0123456789abcdef", false)},
		sample{"NodeLacksGroupLabel", NodeLacksGroupLabel("example.com/rack", "group.within")},
		sample{"GroupTooSmall", GroupTooSmall(2, 1, "", "")},
		sample{"GroupTooSmall", GroupTooSmall(4, 3, "example.com/rack", "r7")},
		sample{"FirstAttempt", FirstAttempt()},
		sample{"Confirmation", Confirmation(2)},
		sample{"AttemptStored", AttemptStored(1)},
		sample{"GroupNotWanted", GroupNotWanted()},
		sample{"RunSuspended", RunSuspended()},
		sample{"RunOverdue", RunOverdue()},
	)
}
