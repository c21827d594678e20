package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// screen shows progress: on a terminal the last line is rewritten, elsewhere each new line is printed once.
type screen struct {
	w        io.Writer
	terminal bool
	width    int
	last     string
}

func (s *screen) print(line string) {
	if s.terminal && s.last != "" {
		fmt.Fprint(s.w, "\r\033[K")
	}
	fmt.Fprintln(s.w, line)
	s.last = ""
}

func (s *screen) status(line string) {
	if line == s.last {
		return
	}
	if !s.terminal {
		fmt.Fprintln(s.w, line)
		s.last = line
		return
	}
	shown := line
	if s.width > 4 && len(shown) >= s.width {
		shown = shown[:s.width-4] + "..."
	}
	fmt.Fprint(s.w, "\r\033[K"+shown)
	s.last = line
}

// finish leaves the cursor on a line of its own.
func (s *screen) finish() {
	if s.terminal && s.last != "" {
		fmt.Fprintln(s.w)
	}
	s.last = ""
}

// watchRun shows a run until it is over and returns it.
func watchRun(ctx context.Context, c client.WithWatch, name string, s *screen) (*v1alpha1.ValidationRun, error) {
	defer s.finish()
	var p progress
	var last *v1alpha1.ValidationRun
	err := follow(ctx, c, name, func(run *v1alpha1.ValidationRun) bool {
		last = run
		for _, line := range p.news(run) {
			s.print(line)
		}
		if over(run) {
			return true
		}
		s.status(now(run, s.terminal))
		return false
	})
	return last, err
}

// follow calls seen with each state of a run until that returns true. A watch that the server ends is begun again.
func follow(ctx context.Context, c client.WithWatch, name string, seen func(*v1alpha1.ValidationRun) bool) error {
	run := &v1alpha1.ValidationRun{}
	if err := c.Get(ctx, client.ObjectKey{Name: name}, run); err != nil {
		return fmt.Errorf("reading run %s: %w", name, err)
	}
	uid := run.UID
	for !seen(run) {
		next, err := nextState(ctx, c, run)
		if err != nil {
			return fmt.Errorf("watching run %s: %w", name, err)
		}
		if next.UID != uid {
			return fmt.Errorf("run %s was deleted and created again", name)
		}
		run = next
	}
	return nil
}

var errDeleted = errors.New("it was deleted")

// rewatchDelay is the pause after a watch that brought nothing.
const rewatchDelay = time.Second

// nextState waits for a state newer than the one given.
func nextState(ctx context.Context, c client.WithWatch, run *v1alpha1.ValidationRun) (*v1alpha1.ValidationRun, error) {
	selector := &client.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", run.Name)}
	w, err := c.Watch(ctx, &v1alpha1.ValidationRunList{}, selector)
	if err != nil {
		return nil, err
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case event, open := <-w.ResultChan():
			next, isRun := event.Object.(*v1alpha1.ValidationRun)
			switch {
			case !open || !isRun:
				return reread(ctx, c, run.Name)
			case event.Type == watch.Deleted:
				return nil, errDeleted
			case next.Name == run.Name && next.ResourceVersion != run.ResourceVersion:
				return next, nil
			}
		}
	}
}

func reread(ctx context.Context, c client.Client, name string) (*v1alpha1.ValidationRun, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(rewatchDelay):
	}
	run := &v1alpha1.ValidationRun{}
	err := c.Get(ctx, client.ObjectKey{Name: name}, run)
	if client.IgnoreNotFound(err) == nil && err != nil {
		return nil, errDeleted
	}
	return run, err
}
