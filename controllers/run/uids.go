package run

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// uids of the runs that exist, by name: nothing else tells whose memory to drop once a run is gone without its finalizer.
type uids struct {
	mu     sync.Mutex
	byName map[string]types.UID
}

// see a run, or, with an empty UID, that there is none of this name. It returns the UID of one that is gone; empty: of none.
func (u *uids) see(name string, uid types.UID) (gone types.UID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if before := u.byName[name]; before != uid {
		gone = before
	}
	if uid == "" {
		delete(u.byName, name)
		return gone
	}
	if u.byName == nil {
		u.byName = map[string]types.UID{}
	}
	u.byName[name] = uid
	return gone
}
