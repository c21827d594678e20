package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
)

// rewatchDelay is the pause after a watch that the server ended.
const rewatchDelay = time.Second

// follow calls seen with each state of a run until that returns true. A watch that the server ends is begun again.
func follow(ctx context.Context, c client.WithWatch, name string, seen func(*v1alpha1.ValidationRun) bool) error {
	run, err := readRun(ctx, c, name)
	if err != nil {
		return err
	}
	uid := run.UID
	for !seen(run) {
		next, err := nextState(ctx, c, run)
		switch {
		case ctx.Err() != nil:
			return errors.New(message.WatchInterrupted(name))
		case err != nil:
			return fmt.Errorf("%s: %w", message.CommandWatching(name), err)
		case next == nil:
			return errors.New(message.WatchDeleted(name))
		case next.UID != uid:
			return errors.New(message.WatchReplaced(name))
		}
		run = next
	}
	return nil
}

// nextState waits for a state newer than the one given; nil where the run was deleted.
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
				return nil, nil
			case next.Name == run.Name && next.ResourceVersion != run.ResourceVersion:
				return next, nil
			}
		}
	}
}

// reread reads the run after a pause; nil where it was deleted.
func reread(ctx context.Context, c client.Client, name string) (*v1alpha1.ValidationRun, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(rewatchDelay):
	}
	run := &v1alpha1.ValidationRun{}
	err := c.Get(ctx, client.ObjectKey{Name: name}, run)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return run, err
}
