package message

import "time"

func init() {
	const affinity = "0/5 nodes are available: 1 node(s) had untolerated taint {repair: }, 4 node(s) didn't match Pod's node affinity/selector."
	const busy = "0/5 nodes are available: 1 Insufficient nvidia.com/gpu."
	const job = "g-mpibench-0123456789abcdef"
	worker := Worker("1", "gpu-2")
	nodes := []string{"gpu-1", "gpu-2", "gpu-3", "gpu-4", "gpu-5"}
	samples = append(samples,
		sample{"ResultDue", ResultDue()},
		sample{"NoResult", NoResult()},
		sample{"ProgramExited", ProgramExited(1, "cudaErrorNoDevice: no CUDA-capable device is detected\n")},
		sample{"ProgramExited", ProgramExited(137, "")},
		sample{"OutOfMemory", OutOfMemory()},
		sample{"ContainerNotStarted", ContainerNotStarted("exec /assay/runner: no such file or directory")},
		sample{"InstallFailed", InstallFailed("install-runner", 1, "read-only file system")},
		sample{"PodEndedSilently", PodEndedSilently()},
		sample{"PodDeadline", PodDeadline()},
		sample{"EndedByKubelet", EndedByKubelet("Evicted", "The node was low on resource: memory.")},
		sample{"PodHangs", PodHangs(2*time.Minute, 10*time.Minute)},
		sample{"NotStartedInTime", NotStartedInTime(30*time.Minute, "gpu-1")},
		sample{"ContainerWaits", ContainerWaits("registry.example/stream:1", "ErrImagePull", "manifest unknown", false)},
		sample{"ContainerWaits", ContainerWaits("registry.example/runner:1", "ErrImagePull", "manifest unknown", true)},
		sample{"WaitsForScheduler", WaitsForScheduler(busy)},
		sample{"Unschedulable", Unschedulable("gpu-1", affinity)},
		sample{"Worker", worker},
		sample{"Worker", Worker("1", "")},
		sample{"Worker", Worker("", "gpu-2")},
		sample{"OfWorker", OfWorker(worker, Unschedulable("", affinity))},
		sample{"WorkerNotPlaced", WorkerNotPlaced(Worker("1", ""), nodes[:1], time.Minute, WaitsForScheduler(busy))},
		sample{"WorkerNotPlaced", WorkerNotPlaced(Worker("1", ""), nodes[:3], time.Minute, WaitsForScheduler(busy))},
		sample{"WorkerDeaf", WorkerDeaf(worker, time.Minute)},
		sample{"WorkerFailed", WorkerFailed(worker, WorkerExited(255))},
		sample{"UnknownWorkerFailed", UnknownWorkerFailed(nodes)},
		sample{"UnknownWorkerFailed", UnknownWorkerFailed(nil)},
		sample{"WorkerReplaced", WorkerReplaced()},
		sample{"WorkerDeleted", WorkerDeleted()},
		sample{"WorkerExited", WorkerExited(137)},
		sample{"WorkersExist", WorkersExist(3, 8)},
		sample{"WorkersExist", WorkersExist(8, 8)},
		sample{"EventsUnread", EventsUnread("Forbidden")},
		sample{"OperatorComplains", OperatorComplains(WorkersExist(0, 8), "MPIJobFailed: configmaps \"g\" already exists")},
		sample{"JobRejected", JobRejected(WorkersExist(0, 8), "FailedCreate: pods \"g-worker-0\" is forbidden: exceeded quota: small")},
		sample{"OperatorSilent", OperatorSilent(WorkersExist(0, 8), time.Minute)},
		sample{"LauncherGone", LauncherGone()},
		sample{"PodNotBelieved", PodNotBelieved(StrangeNode(job+"-worker-0", job, "gpu-9"))},
		sample{"FalseLauncher", FalseLauncher("miner", job, job+"-launcher-")},
		sample{"FalseWorker", FalseWorker(job+"-worker-9", job, job+"-worker-", 8)},
		sample{"StrangeNode", StrangeNode(job+"-worker-0", job, "gpu-9")},
		sample{"TwoOnOneNode", TwoOnOneNode(job+"-worker-0", job+"-worker-1", job, "gpu-1")},
		sample{"GroupOfTooManyNodes", GroupOfTooManyNodes(1025, 1024)},
		sample{"NodeNamesTooLong", NodeNamesTooLong(1000, 312000, 250000)},
	)
}
