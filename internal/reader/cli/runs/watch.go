package runs

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/completion"
	"github.com/assay-dev/assay/internal/reader/cli/manual"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/cli/reports"
	"github.com/assay-dev/assay/internal/reader/report"
)

// WatchCommand is `kubectl assay watch`.
func WatchCommand(connect cluster.Connect) *cobra.Command {
	return manual.Of(&cobra.Command{
		Use:               "watch RUN",
		Short:             "Follow a run until it is over",
		Args:              oneRun,
		ValidArgsFunction: completion.FirstArgument(completion.Runs(connect)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := connect()
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			return show(cmd.Context(), c, args[0], out, newScreen(out))
		},
	})
}

// show a run until it is over, and then how it ended, in words and by the error.
func show(ctx context.Context, c client.WithWatch, name string, out io.Writer, s *screen) error {
	run, err := watchRun(ctx, c, name, s)
	if err != nil {
		return err
	}
	found := report.New(report.Input{Run: run})
	for _, line := range reports.Conclusion(&found) {
		fmt.Fprintln(out, line)
	}
	return output.Ended(run)
}

// redraw is how often a terminal is drawn anew while nothing happens: the time that has passed is part of what it shows.
const redraw = time.Second

// watchRun shows a run until it is over and returns it.
func watchRun(ctx context.Context, c client.WithWatch, name string, s *screen) (*v1alpha1.ValidationRun, error) {
	defer s.finish()
	if s.terminal() {
		return watchLive(ctx, c, name, s)
	}
	var p progress
	var last *v1alpha1.ValidationRun
	err := follow(ctx, c, name, func(run *v1alpha1.ValidationRun) bool {
		last = run
		s.print(p.news(run)...)
		if over(run) {
			return true
		}
		s.status(now(run))
		return false
	}, func(err error) { s.print(awayNote(err)) })
	return last, err
}

// awayNote is what is shown while the API server does not answer.
func awayNote(err error) string {
	return fmt.Sprintf("the API server does not answer, and is asked again for up to %s: %s", message.Duration(cluster.Patience), output.Clean(err.Error()))
}

// watchLive does so on a terminal.
func watchLive(ctx context.Context, c client.WithWatch, name string, s *screen) (*v1alpha1.ValidationRun, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	states, lost, ended := make(chan *v1alpha1.ValidationRun), make(chan error, 1), make(chan error, 1)
	go func() {
		ended <- follow(ctx, c, name, func(run *v1alpha1.ValidationRun) bool {
			select {
			case states <- run:
			case <-ctx.Done():
			}
			return over(run)
		}, func(err error) {
			select {
			case lost <- err:
			case <-ctx.Done():
			}
		})
	}()
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	var p progress
	var l live
	draw := func(news []string) {
		width, height := s.size()
		s.draw(news, l.block(time.Now(), width, height))
	}
	for {
		select {
		case run := <-states:
			l.take(run, time.Now())
			l.learn(ctx, c)
			draw(p.news(l.run))
		case err := <-lost:
			draw([]string{awayNote(err)})
		case <-tick.C:
			if l.run != nil {
				draw(nil)
			}
		case err := <-ended:
			return l.run, err
		}
	}
}

// oneRun asks for the name of a run.
func oneRun(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("expected one argument, the name of a run, and got %d: %s RUN", len(args), cmd.CommandPath())
	}
	return nil
}

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
