package cases

// Lasting is how often a fault comes that lasts for a time.
const Lasting = 10000

// The terms that runs set for themselves.
const (
	// TermsTooHard: healthy nodes do not meet them.
	TermsTooHard = "with bounds that nothing meets"
	// TermsHard: only slow nodes do not meet them, nor what the Benchmark asks.
	TermsHard = "with harder bounds"
	// TermsEasy: slow nodes meet them.
	TermsEasy = "with bounds that all meet"
	// TermsSmall: it measures something else, which is slower.
	TermsSmall = "with a size of its own"
)

// What a kubelet lies about. What it says of its own node may convict or clear that node, and no other one.
const (
	LiesOutput   = "output" // what programs leave
	LiesIdentity = "pods"   // labels, annotations and status of its pods
	LiesStatus   = "status" // what the node is and has
)

// The pods of somebody else that look like ours.
const (
	StrangerElsewhere  = "in another namespace"
	StrangerNamedAlike = "by the name of an attempt"
	StrangerOwnedAlike = "with a run as its owner"
	StrangerWorker     = "with an MPIJob as its owner"
)

// The ways in which a node divides its GPUs among pods. Nobody may measure a part as if it were a whole one.
const (
	SharesTime   = "time-slicing"
	SharesSingle = "MIG of one size"
	SharesMixed  = "MIG of several sizes"
	SharesSome   = "MIG of one of its GPUs"
	SharesSoon   = "MIG that is being set up"
)

// What a driver says in its slices that is not so.
const (
	PoolOfOther  = "that its pool is another node's"
	UUIDsOfOther = "that its devices are another node's"
	UUIDTwice    = "that two devices have one UUID"
	NoUUIDs      = "nothing of UUIDs"
)

// What somebody edits of a rule.
const (
	EditsDevice = "its device"
	EditsTaint  = "its taint"
	EditsLabel  = "its label"
	EditsNotes  = "its annotations"
	EditsTheirs = "what is theirs"
)

// How nodes join, or are replaced.
const (
	// BySlices: a DRA driver publishes the devices of a node.
	BySlices = "by slices"
	// WithMore GPUs comes the machine that takes the place of another one.
	WithMore = "with one more GPU"
	// WithOthers: they are of another product, and fewer.
	WithOthers = "with fewer GPUs of another kind"
)

// What somebody edits of a policy.
const (
	PolicyBenchmarks = "its benchmarks"
	PolicyTaint      = "its taint"
	PolicyGate       = "its gate"
	PolicyPace       = "when it measures"
	PolicyNodes      = "its nodes"
	PolicyRuns       = "its runs"
	// PolicyAnew: it is deleted, and made again at once with another spec.
	PolicyAnew = "as a whole"
)

// The taints of runs, policies and nodes that are not the usual one.
const (
	OtherKey    = "assay.dev/slow"
	OtherEffect = "PreferNoSchedule"
	// Gated is the Node that joins.
	Gated = "gated"
)

// What somebody edits of a Benchmark: bounds that healthy nodes break, that only slow nodes break, as before, or that slow nodes meet; what it measures with; which
// nodes it is for; whether it is in the suite; and all of it, as it was shipped.
const (
	BoundTooHard        = "to a bound that nothing meets"
	BoundHard           = "to a harder bound"
	BoundSoft           = "to a bound that slow nodes meet"
	BenchmarkParameters = "to other parameters"
	BenchmarkNeeds      = "to need more devices, or slots"
	BenchmarkSuite      = "to be in no suite"
	BenchmarkShipped    = "to what was shipped"
)

// ProfileDevices is what somebody makes a HardwareProfile say beside the bounds, and PolicyTerms what somebody edits of a policy: its own terms.
const (
	ProfileDevices = "to more devices than nodes have"
	PolicyTerms    = "its terms"
)

// AllSay is what the programs leave on nodes whose kubelets lie alike.
const (
	AllSayHalf  = "half of what it measured"
	AllSayTwice = "twice what it measured"
)

// What a webhook strips of Assay's labels and annotations.
const (
	StripsNodes = "nodes"
	StripsPods  = "pods"
)

// Clocks that jump, and where to.
const (
	ServerJumps = "the API server's clock jumps"
	LeaderJumps = "the leader's clock jumps"
	NodeJumps   = "the clock jumps on"
	Forwards    = "forwards"
	Back        = "back"
)
