package nodes

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/output"
)

// The fleet is read again after so many times what reading it took, so that a large one is not read all the time; and not at once.
const (
	pauseTimes = 10
	pauseLeast = 2 * time.Second
)

// follow shows the fleet, and then nodes to which something happens, until it is interrupted. An API server that does not answer is asked again.
func (f nodesFlags) follow(cmd *cobra.Command, c client.Client) error {
	if f.format != output.Table && f.format != output.Wide {
		return errors.New("-w shows a table that goes on: leave out -w, or -o " + f.format)
	}
	ctx, out, notes := cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	shown := map[string]happened{}
	var away time.Time // since when the server does not answer
	for first := true; ; {
		began := time.Now()
		rows, err := readFleet(ctx, c, f, began, notes)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			if err := f.showNews(out, rows, shown, first); err != nil {
				return err
			}
			first, away = false, time.Time{}
			notes = io.Discard // what the user may not read was said
		case first || cluster.Lasting(err):
			return err
		case away.IsZero():
			away = began
			fmt.Fprintf(cmd.ErrOrStderr(), "the API server does not answer, and is asked again: %s\n", output.Clean(err.Error()))
		case began.Sub(away) > cluster.Patience:
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(max(f.pause, pauseTimes*time.Since(began))):
		}
	}
}

// happened is what is shown again when it differs. What is typical moves with every measurement of another node.
type happened struct {
	state, message, taint, run string
	proved                     int64
	gated                      bool
}

// showNews shows the nodes that are not as they were shown; the first time, all.
func (f nodesFlags) showNews(w io.Writer, rows []*fleetNode, shown map[string]happened, first bool) error {
	var news []*fleetNode
	for _, n := range rows {
		is := happened{state: n.State, message: n.Message, taint: n.tainted(), run: n.LastRun, gated: n.Gated}
		if n.ProvedAt != nil {
			is.proved = n.ProvedAt.Unix()
		}
		if was, there := shown[n.Name]; !there || was != is {
			shown[n.Name] = is
			news = append(news, n)
		}
	}
	now := time.Now()
	switch {
	case first:
		return listOf(rows, now).Write(w, f.format)
	case len(news) == 0:
		return nil
	}
	fmt.Fprintf(w, "\n%s\n", now.Format(time.TimeOnly))
	list := listOf(news, now)
	list.Below = ""
	return list.Write(w, f.format)
}
