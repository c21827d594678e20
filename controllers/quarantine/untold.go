package quarantine

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// untold is what a write to a node has to tell, as long as nobody knows whether it came through.
type untold struct {
	// before and after the write: the mark of the taint that the node carries.
	before, after string
	tell          func()
}

// worn is the mark of the taint that a node carries; empty: it carries none of ours.
func worn(node *corev1.Node) string {
	if !taint.Marked(node) {
		return ""
	}
	return taint.MarkOn(node)
}

// telling does a write of a node, and tells of the taint that it puts or takes once that has come through. The API server may have applied a write of which the answer got lost: then the
// watch shows it, and may do so before the write has failed.
func (k *Keeper) telling(read, next *corev1.Node, tell func(), write func() error) error {
	if worn(read) == worn(next) {
		return write()
	}
	tell = sync.OnceFunc(tell)
	k.untold.Set(next.Name, untold{worn(read), worn(next), tell})
	err := write()
	if err == nil {
		tell()
	}
	if err == nil || controllers.IsDenied(err) || apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		k.forgetUntold(next.Name)
	}
	return err
}

// tellLate tells of a write that the watch shows, if its answer got lost.
func (k *Keeper) tellLate(before, now client.Object) {
	was, known := before.(*corev1.Node)
	is, there := now.(*corev1.Node)
	if known && !there {
		k.forgetUntold(was.Name)
	}
	if !known || !there {
		return
	}
	if u, waits := k.untold.Get(is.Name); waits && worn(was) == u.before && worn(is) == u.after {
		u.tell()
		k.forgetUntold(is.Name)
	}
}

func (k *Keeper) forgetUntold(node string) {
	k.untold.Keep(func(name string) bool { return name != node })
}
