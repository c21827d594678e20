package cluster

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/hack/localcluster/internal/daemon"
	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
	"github.com/assay-dev/assay/hack/localcluster/internal/limits"
)

// needs says what a daemon takes of the machine, by its name or the beginning of it. Inotify instances were counted on Kubernetes 1.37.2; memory
// leaves out the program itself, which all of them share. Whatever is not listed takes otherNeeds.
var needs = map[string]limits.Need{
	"kubelet-":        {InotifyInstances: 6, InotifyWatches: 500, Threads: 50, Memory: 70},
	"containerd-":     {InotifyInstances: 2, InotifyWatches: 100, Threads: 100, Memory: 50, Disk: 300},
	etcd:              {Threads: 20, Memory: 60, Disk: 200},
	apiServer:         {InotifyInstances: 6, InotifyWatches: 100, Threads: 20, Memory: 350},
	controllerManager: {InotifyInstances: 5, InotifyWatches: 100, Threads: 20, Memory: 80},
}

var otherNeeds = limits.Need{InotifyInstances: 2, InotifyWatches: 20, Threads: 20, Memory: 50, Disk: 10}

func needOf(name string) limits.Need {
	if need, ok := needs[name]; ok {
		return need
	}
	for prefix, need := range needs {
		if strings.HasSuffix(prefix, "-") && strings.HasPrefix(name, prefix) {
			return need
		}
	}
	return otherNeeds
}

// makeRoom raises the machine's limits for those of the daemons that do not run yet, or says what is missing before anything starts.
func (m *Manager) makeRoom(names ...string) error {
	var all limits.Need
	for _, name := range names {
		if _, alive := daemon.Load(m.PIDFile(name)); !alive {
			all = all.Plus(needOf(name))
		}
	}
	if all == (limits.Need{}) {
		return nil
	}
	if err := limits.Raise(all, layout.StateRoot, layout.RaisedLimits, m.step); err != nil {
		return fmt.Errorf("%w: %w", ErrCannotRun, err)
	}
	return nil
}
