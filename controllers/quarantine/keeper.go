// Package quarantine does to nodes what was judged of them: it stores what is known of a node, taints it or lifts its taint, and lets its condition
// and label say so. It also mends what a leader that stopped in between has left. It decides nothing of this by itself: internal/operate/taint does.
package quarantine

import (
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/controllers/webhook"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// +kubebuilder:rbac:groups=assay.dev,resources=nodevalidations,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups=assay.dev,resources=nodehistories,verbs=get;list;create;update
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups="",resources=nodes/status,verbs=patch

// Keeper keeps nodes as their records say. A process has one, for all of its runs.
type Keeper struct {
	client.Client
	// Live reads past the cache: a taint is only ever written onto what the node carries at that moment.
	Live     client.Reader
	Recorder events.EventRecorder
	Clock    clock.PassiveClock
	// Policy bounds what runs may do to nodes.
	Policy taint.Policy
	// KnownFleet is told what nodes reached; nil: nobody asks.
	KnownFleet *controllers.KnownFleet
	// Devices that DRA drivers publish; nil: nobody asks.
	Devices *controllers.Devices
	Metrics *metrics.Recorder
	Webhook *webhook.Sender
	// Recent writes of this process.
	Recent *recentwrites.Writes
	// Taints is held while the budgets are counted and a taint written or lifted.
	Taints sync.Locker

	// announcements of quarantines that this process knows of.
	announcements announcements
	// untold writes, by the names of nodes.
	untold controllers.SyncMap[untold]
	moving atomic.Bool
}

// Pass over a run, as far as its nodes are concerned. Its functions are called for several nodes at once.
type Pass struct {
	Run *v1alpha1.ValidationRun
	Now time.Time
	// Nodes of the cluster, as they were read.
	Nodes []*corev1.Node
	// Quarantined are the NodeValidations of nodes that are to carry the taint, by name. Older releases neither marked their taints, nor listed them
	// as those of convicted nodes.
	Quarantined map[string]*v1alpha1.NodeValidation
	// Out is what was judged.
	Out *assess.Output
	// Memory of the run.
	Memory *Memory
	// Stored is a result as the cluster has it; false: not with all that its verdict rests on.
	Stored func(*v1alpha1.ValidationResult) (*v1alpha1.ValidationResult, bool)
	// Note what was found out about a node.
	Note func(node string, change func(*assess.NodeWritten))
}

// pass is one that is under way.
type pass struct {
	*Keeper
	Pass
	mu sync.Mutex
	// budget as it was counted last; nil: it was not. Held under Keeper.Taints.
	budget *budget
}
