package runs

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
)

// rewatchDelay is the pause after a watch that the server ended, and after each time that it did not answer.
const rewatchDelay = time.Second

// follow calls seen with each state of a run until that returns true. A watch that the server ends is begun again, and a server that
// does not answer is asked again; away is told why, once.
func follow(ctx context.Context, c client.WithWatch, name string, seen func(*v1alpha1.ValidationRun) bool, away func(error)) error {
	run, err := cluster.Run(ctx, c, name)
	if err != nil {
		return err
	}
	uid := run.UID
	for !seen(run) {
		next, err := nextState(ctx, c, run, away)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("interrupted, but the run goes on: kubectl assay watch %s shows it again", name)
		case err != nil:
			return fmt.Errorf("watching run %s: %w", name, err)
		case next == nil:
			return fmt.Errorf("run %s was deleted before it was over", name)
		case next.UID != uid:
			return fmt.Errorf("run %[1]s was deleted and created again: kubectl assay watch %[1]s shows the new one", name)
		}
		run = next
	}
	return nil
}

// nextState waits for a state newer than the one given; nil where the run was deleted.
func nextState(ctx context.Context, c client.WithWatch, run *v1alpha1.ValidationRun, away func(error)) (*v1alpha1.ValidationRun, error) {
	selector := &client.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", run.Name)}
	w, err := c.Watch(ctx, &v1alpha1.ValidationRunList{}, selector)
	switch {
	case err != nil && cluster.Lasting(err):
		return nil, err
	case err != nil:
		return reread(ctx, c, run.Name, away)
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
				return reread(ctx, c, run.Name, away)
			case event.Type == watch.Deleted:
				return nil, nil
			case next.Name == run.Name && next.ResourceVersion != run.ResourceVersion:
				return next, nil
			}
		}
	}
}

// reread reads the run after a pause, and after more of them where the server does not answer; nil where it was deleted.
func reread(ctx context.Context, c client.Client, name string, away func(error)) (*v1alpha1.ValidationRun, error) {
	var since time.Time // when the server did not answer for the first time
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(rewatchDelay):
		}
		run := &v1alpha1.ValidationRun{}
		err := c.Get(ctx, client.ObjectKey{Name: name}, run)
		switch {
		case apierrors.IsNotFound(err):
			return nil, nil
		case err == nil || cluster.Lasting(err) || ctx.Err() != nil:
			return run, err
		case since.IsZero():
			since = time.Now()
			away(err)
		case time.Since(since) > cluster.Patience:
			return nil, fmt.Errorf("the API server has not answered for %s, but the run goes on, and kubectl assay watch %s shows it again: %w",
				message.Duration(cluster.Patience), name, err)
		}
	}
}
