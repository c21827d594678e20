package v1alpha1

// Condition types of a ValidationRun. Finished says that it is over, Succeeded how it ended; Reconciling and Stalled are
// present only while True, as kstatus expects.
const (
	ConditionFinished    = "Finished"
	ConditionSucceeded   = "Succeeded"
	ConditionReconciling = "Reconciling"
	ConditionStalled     = "Stalled"
	ConditionSuspended   = "Suspended"
)

// Condition types of a ValidationPolicy. Ready says that it is understood and enforced, Satisfied that every selected node holds a valid
// pass; it has Reconciling, Stalled and Suspended as a run has them.
const (
	ConditionReady     = "Ready"
	ConditionSatisfied = "Satisfied"
)

// NodeConditionValidated is the condition Assay sets on a Node: True after a passing run, False after a failing one.
const NodeConditionValidated = "assay.dev/Validated"

// Reasons of a run's conditions.
const (
	// ReasonPassed: every node passed.
	ReasonPassed = "Passed"
	// ReasonNodesFailed: at least one node failed, and its confirmations agreed.
	ReasonNodesFailed = "NodesFailed"
	// ReasonGroupsFailed: a link or a set of nodes failed, and no single node is to blame.
	ReasonGroupsFailed = "GroupsFailed"
	// ReasonInconclusive: at least one node could not be measured and none failed.
	ReasonInconclusive = "Inconclusive"
	// ReasonNoMatchingNodes: no node was there to measure.
	ReasonNoMatchingNodes = "NoMatchingNodes"
	// ReasonDeadlineExceeded: activeDeadlineSeconds passed before all nodes were measured.
	ReasonDeadlineExceeded = "DeadlineExceeded"
	// ReasonBreakerOpen: more nodes failed than may be tainted, or most failed alike, so that the measurement is more suspect than they are.
	ReasonBreakerOpen = "BreakerOpen"
	// ReasonInvalid: the spec refers to what does not exist.
	ReasonInvalid = "Invalid"
	// ReasonUnreadable: something that the run rests on cannot be read; the message says what.
	ReasonUnreadable = "Unreadable"
	// ReasonRunning: nodes are being measured.
	ReasonRunning = "Running"
	// ReasonWaiting: nothing can be measured now; the message says what the run waits for.
	ReasonWaiting = "Waiting"
	// ReasonSuspended: spec.suspend is true.
	ReasonSuspended = "Suspended"
)

// Reasons of a policy's conditions, beside Invalid and Suspended.
const (
	// ReasonEnforced: the policy is understood, and acts.
	ReasonEnforced = "Enforced"
	// ReasonGateConflict: another policy has a gate with the same taint for the same node; neither opens it there.
	ReasonGateConflict = "GateConflict"
	// ReasonGateNotAllowed: the administrator does not allow the gate's taint.
	ReasonGateNotAllowed = "GateNotAllowed"
	// ReasonAllValid: every selected node holds a valid pass.
	ReasonAllValid = "AllValid"
	// ReasonNodesNotValid: some selected nodes hold no valid pass.
	ReasonNodesNotValid = "NodesNotValid"
	// ReasonNoNodes: no node is selected.
	ReasonNoNodes = "NoNodes"
)

// Reasons why a node is due, which name the policy's runs, and reasons of nodes that need attention beside those of attempts and nodes.
const (
	// ReasonNeverValidated: the node has never passed the suite.
	ReasonNeverValidated = "NeverValidated"
	// ReasonExpired: its pass is older than validForSeconds.
	ReasonExpired = "Expired"
	// ReasonRenewal: its pass is still valid, and about to expire.
	ReasonRenewal = "Renewal"
	// ReasonChanged: it changed in a way that revalidateOn names.
	ReasonChanged = "Changed"
	// ReasonRequested: the annotation assay.dev/validate-now asks for it.
	ReasonRequested = "Requested"
	// ReasonRetry: it failed or could not be measured, and is measured again.
	ReasonRetry = "Retry"
	// ReasonFailed: it was measured and did not pass.
	ReasonFailed = "Failed"
	// ReasonUnfit: a conviction stands, by a benchmark that is perhaps none of the suite.
	ReasonUnfit = "Unfit"
	// ReasonUnmeasured: it could not be measured.
	ReasonUnmeasured = "Unmeasured"
	// ReasonOutsideWindow: it is due, and schedule allows no run now.
	ReasonOutsideWindow = "OutsideWindow"
	// ReasonOverBudget: it is due, and gpuSecondsPerDay leaves too little for it now.
	ReasonOverBudget = "OverBudget"
)

// Reasons of a policy's events.
const (
	// ReasonRunCreated: the policy created a run.
	ReasonRunCreated = "RunCreated"
	// ReasonGateOpened: a node passed, and its gate was opened.
	ReasonGateOpened = "GateOpened"
	// ReasonGateKept: a node failed or could not be judged, and its gate stays closed.
	ReasonGateKept = "GateKept"
	// ReasonGateClosed: a node waits at its gate to be measured.
	ReasonGateClosed = "GateClosed"
	// ReasonGateStuck: a node is gated for longer than timeoutSeconds.
	ReasonGateStuck = "GateStuck"
	// ReasonGateOpenedByHand: somebody else opened the gate of a node without a valid pass.
	ReasonGateOpenedByHand = "GateOpenedByHand"
	// ReasonOverdue: a node is due for longer than overdueSeconds.
	ReasonOverdue = "Overdue"
)

// Reasons of attempts, benchmarks and nodes.
const (
	// ReasonMeasured: the program ran and its data was verified.
	ReasonMeasured = "Measured"
	// ReasonBelowExpectation: a rule was broken, and every confirmation agreed.
	ReasonBelowExpectation = "BelowExpectation"
	// ReasonWrongData: a data check of the program failed.
	ReasonWrongData = "WrongData"
	// ReasonDevicesUnusable: the program was given devices and could use none.
	ReasonDevicesUnusable = "DevicesUnusable"
	// ReasonDevicesMissing: the node offers fewer devices than it has.
	ReasonDevicesMissing = "DevicesMissing"
	// ReasonDisturbed: something else used the devices while they were measured.
	ReasonDisturbed = "Disturbed"
	// ReasonNotComparable: the program measured something smaller than what the expectation was made for.
	ReasonNotComparable = "NotComparable"
	// ReasonInterrupted: a signal stopped the program before it had measured everything.
	ReasonInterrupted = "Interrupted"
	// ReasonNotConfirmed: a rule was broken, but a confirmation did not agree.
	ReasonNotConfirmed = "NotConfirmed"
	// ReasonNotJudged: it was measured, but there was nothing to compare an expected headline metric with.
	ReasonNotJudged = "NotJudged"
	// ReasonNotOverRDMA: NCCL used sockets between nodes that have RDMA.
	ReasonNotOverRDMA = "NotOverRDMA"
	// ReasonMeasurementMissing: the program did not report an expected metric.
	ReasonMeasurementMissing = "MeasurementMissing"
	// ReasonImagePullFailed: the image could not be pulled.
	ReasonImagePullFailed = "ImagePullFailed"
	// ReasonUnschedulable: the scheduler could not place the pod.
	ReasonUnschedulable = "Unschedulable"
	// ReasonOOMKilled: the program ran out of memory.
	ReasonOOMKilled = "OOMKilled"
	// ReasonNoOutput: the program ended without a result.
	ReasonNoOutput = "NoOutput"
	// ReasonBadOutput: the output could not be read.
	ReasonBadOutput = "BadOutput"
	// ReasonOutputTooLarge: the result does not fit a termination message.
	ReasonOutputTooLarge = "OutputTooLarge"
	// ReasonProgramFailed: the program ended with an error.
	ReasonProgramFailed = "ProgramFailed"
	// ReasonTimedOut: the program did not end within timeoutSeconds.
	ReasonTimedOut = "TimedOut"
	// ReasonCannotRunHere: the program was started and said that this node cannot run it.
	ReasonCannotRunHere = "CannotRunHere"
	// ReasonDriverTooOld: the node's driver is too old for the program.
	ReasonDriverTooOld = "DriverTooOld"
	// ReasonPodStartFailed: the container could not be started.
	ReasonPodStartFailed = "PodStartFailed"
	// ReasonEvicted: the pod was evicted or lost.
	ReasonEvicted = "Evicted"
	// ReasonNotStored: the node was measured, and the API server would not store the result.
	ReasonNotStored = "NotStored"
	// ReasonNodeNotFound: no node has this name.
	ReasonNodeNotFound = "NodeNotFound"
	// ReasonNodeDeleted: the node was deleted during the run.
	ReasonNodeDeleted = "NodeDeleted"
	// ReasonNodeRecreated: a node of the same name but another UID took the node's place during the run.
	ReasonNodeRecreated = "NodeRecreated"
	// ReasonNodeNotReady: the node is not Ready.
	ReasonNodeNotReady = "NodeNotReady"
	// ReasonNodeCordoned: the node was cordoned by someone else.
	ReasonNodeCordoned = "NodeCordoned"
	// ReasonNodeReserved: a taint of the node keeps it for Kubernetes itself, for example the control plane.
	ReasonNodeReserved = "NodeReserved"
	// ReasonNodeLeaving: a taint of the node says that an autoscaler is removing it.
	ReasonNodeLeaving = "NodeLeaving"
	// ReasonNodeBusy: another pod or run holds the node's devices.
	ReasonNodeBusy = "NodeBusy"
	// ReasonNeedsNotMet: the node lacks what the benchmark needs.
	ReasonNeedsNotMet = "NeedsNotMet"
	// ReasonImageNotProvided: the benchmark's image is the site's to provide, and nobody has.
	ReasonImageNotProvided = "ImageNotProvided"
	// ReasonSharedDevices: the node offers slices of its devices (time-slicing, MPS or MIG); only whole devices are measured.
	ReasonSharedDevices = "SharedDevices"
	// ReasonMPIOperatorMissing: the cluster does not know MPIJobs.
	ReasonMPIOperatorMissing = "MPIOperatorMissing"
	// ReasonMPIOperatorSilent: the MPI Operator does not react to an MPIJob.
	ReasonMPIOperatorSilent = "MPIOperatorSilent"
	// ReasonMPIJobRejected: the MPI Operator, or the API server on its behalf, refused the MPIJob or its pods.
	ReasonMPIJobRejected = "MPIJobRejected"
	// ReasonWorkerLost: a worker pod of an MPIJob ended, was deleted or was replaced before the job was done.
	ReasonWorkerLost = "WorkerLost"
	// ReasonPodNotBelieved: a pod of an MPIJob has a name or a node that the MPIJob cannot have asked for.
	ReasonPodNotBelieved = "PodNotBelieved"
	// ReasonSuspect: measured below expectation together with other nodes; it is not known which of them is slow.
	ReasonSuspect = "Suspect"
	// ReasonNotGrouped: there was no other node to measure this one with.
	ReasonNotGrouped = "NotGrouped"
	// ReasonGroupTooLarge: the group has more nodes than one MPIJob can be made for.
	ReasonGroupTooLarge = "GroupTooLarge"
	// ReasonNodeTestsFailed: the node did not pass what comes before the group benchmarks.
	ReasonNodeTestsFailed = "NodeTestsFailed"
)

// Reasons of events.
const (
	// ReasonTaintAdded: a failed node was tainted.
	ReasonTaintAdded = "TaintAdded"
	// ReasonTaintRemoved: a passing run lifted the taint.
	ReasonTaintRemoved = "TaintRemoved"
	// ReasonNoticeLost: the webhook could not be told of something.
	ReasonNoticeLost = "NoticeLost"
	// ReasonTaintAdopted: the taint of a quarantine had no mark, and has it now.
	ReasonTaintAdopted = "TaintAdopted"
	// ReasonTaintRefused: the API server will not let a failed node be tainted.
	ReasonTaintRefused = "TaintRefused"
	// ReasonDeviceRuleFailed: a DeviceTaintRule cannot be what the quarantine of its device asks for.
	ReasonDeviceRuleFailed = "DeviceRuleFailed"
	// ReasonStarted: a run has started.
	ReasonStarted = "Started"
	// ReasonLaunchFailed: a benchmark could not be started; it is tried again.
	ReasonLaunchFailed = "LaunchFailed"
	// ReasonProfileUnreadable: a HardwareProfile cannot be read; the others apply.
	ReasonProfileUnreadable = "ProfileUnreadable"
	// ReasonNodeFailed: a node failed.
	ReasonNodeFailed = "NodeFailed"
	// ReasonNodeNotMeasured: a node was to be measured and could not be.
	ReasonNodeNotMeasured = "NodeNotMeasured"
)

// Labels and annotations.
const (
	// LabelRunName on pods and results: the run's name.
	LabelRunName = "assay.dev/run"
	// LabelRunUID on pods and results: the run's UID.
	LabelRunUID = "assay.dev/run-uid"
	// LabelBenchmark on pods: the Benchmark's name.
	LabelBenchmark = "assay.dev/benchmark"
	// LabelManagedBy on everything Assay creates; the value is ManagedByValue. Benchmark pods repel each other by it.
	LabelManagedBy = "app.kubernetes.io/managed-by"
	// ManagedByValue is the value of LabelManagedBy.
	ManagedByValue = "assay"
	// LabelVerdict on nodes: passed or failed.
	LabelVerdict = "assay.dev/verdict"
	// LabelJob on the pods of an MPIJob: its name.
	LabelJob = "assay.dev/job"
	// LabelJobRole on the pods of an MPIJob: launcher or worker.
	LabelJobRole = "assay.dev/job-role"
	// JobRoleLauncher and JobRoleWorker are the values of LabelJobRole.
	JobRoleLauncher = "launcher"
	// JobRoleWorker marks the pod of one node of a group.
	JobRoleWorker = "worker"
	// AnnotationNodes on MPIJobs: the nodes measured, as JSON.
	AnnotationNodes = "assay.dev/nodes"
	// AnnotationRound on MPIJobs: the round of the tournament.
	AnnotationRound = "assay.dev/round"
	// AnnotationNode on pods: the node measured. On DeviceTaintRules: the node of the device.
	AnnotationNode = "assay.dev/node"
	// AnnotationNodeUID on pods: UID of the node measured.
	AnnotationNodeUID = "assay.dev/node-uid"
	// AnnotationAttempt on pods: number of the attempt.
	AnnotationAttempt = "assay.dev/attempt"
	// LabelQuarantined on NodeValidations that have a quarantine: the value is "true".
	LabelQuarantined = "assay.dev/quarantined"
	// LabelConvicted on NodeValidations of nodes that something convicts, tainted or not: the value is "true".
	LabelConvicted = "assay.dev/convicted"
	// AnnotationQuarantine on nodes that carry Assay's taint, and on their NodeValidations: which taint it is, and which quarantine it rests on. On
	// DeviceTaintRules: the id of that quarantine.
	AnnotationQuarantine = "assay.dev/quarantine"
	// AnnotationDevice on DeviceTaintRules: UUID of the device that is out of service.
	AnnotationDevice = "assay.dev/device"
	// AnnotationConvictions on NodeValidations: by which rules which runs convicted the node, and when, as JSON.
	AnnotationConvictions = "assay.dev/convictions"
	// LabelSuite before the name of a suite is a label of Benchmarks: it puts them into that suite too, whatever its value.
	LabelSuite = "suite.assay.dev/"
	// LabelPolicy on runs: the policy that created them. LabelPolicyReason: why.
	LabelPolicy       = "assay.dev/policy"
	LabelPolicyReason = "assay.dev/reason"
	// LabelOverdue on nodes that are overdue: the policy that says so.
	LabelOverdue = "assay.dev/overdue"
	// AnnotationValidateNow on policies: any new value makes all nodes due once.
	AnnotationValidateNow = "assay.dev/validate-now"
	// AnnotationGate on nodes: who opened the gate, when and why, as JSON.
	AnnotationGate = "assay.dev/gate"
	// AnnotationConfiguration on pods: hash of the image, command and environment that the Benchmark names; on MPIJobs of the fabric, too.
	AnnotationConfiguration = "assay.dev/configuration"
	// AnnotationMachine on pods and MPIJobs: what each of their nodes was when they were created, as 8 hexadecimal digits.
	AnnotationMachine = "assay.dev/machine"
	// AnnotationGPUs on pods: how many GPUs they hold.
	AnnotationGPUs = "assay.dev/gpus"
	// FinalizerCleanup keeps a ValidationRun until nothing of it is left in the cluster.
	FinalizerCleanup = "assay.dev/cleanup"
	// DefaultGateKey is the key of the taint on nodes that are not validated yet where a policy names none.
	DefaultGateKey = "assay.dev/unvalidated"
	// DefaultTaintKey is the key of the taint on unfit nodes where a run names none.
	DefaultTaintKey = "assay.dev/unfit"
)
