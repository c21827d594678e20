package campaign

// lasting is how often a fault comes that lasts for a time.
const lasting = 10000

// The terms that runs set for themselves.
const (
	// termsTooHard: healthy nodes do not meet them.
	termsTooHard = "with bounds that nothing meets"
	// termsHard: only slow nodes do not meet them, nor what the Benchmark asks.
	termsHard = "with harder bounds"
	// termsEasy: slow nodes meet them.
	termsEasy = "with bounds that all meet"
	// termsSmall: it measures something else, which is slower.
	termsSmall = "with a size of its own"
)

// What a kubelet lies about. What it says of its own node may convict or clear that node, and no other one.
const (
	output   = "output" // what programs leave
	identity = "pods"   // labels, annotations and status of its pods
	status   = "status" // what the node is and has
)

// The pods of somebody else that look like ours.
const (
	elsewhere  = "in another namespace"
	namedAlike = "by the name of an attempt"
	ownedAlike = "with a run as its owner"
	workerToo  = "with an MPIJob as its owner"
)

// The ways in which a node divides its GPUs among pods, and what feature discovery says of each. Nobody may measure a part as if it were a whole one.
const (
	sharesTime   = "time-slicing"
	sharesSingle = "MIG of one size"
	sharesMixed  = "MIG of several sizes"
	sharesSome   = "MIG of one of its GPUs"
	sharesSoon   = "MIG that is being set up"
)

// What a driver says in its slices that is not so.
const (
	poolOfOther  = "that its pool is another node's"
	uuidsOfOther = "that its devices are another node's"
	uuidTwice    = "that two devices have one UUID"
	noUUIDs      = "nothing of UUIDs"
)

// What somebody edits of a rule.
const (
	itsDevice = "its device"
	itsTaint  = "its taint"
	itsLabel  = "its label"
	itsNotes  = "its annotations"
	theirs    = "what is theirs"
)

// bySlices: a DRA driver publishes the devices of a node.
const bySlices = "by slices"

// withMore GPUs comes the machine that takes the place of another one.
const withMore = "with one more GPU"
