package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/clitest"
)

// elsewhere is a node of the same name in another cluster, which passed later.
func elsewhere(t *testing.T) []export.Run {
	t.Helper()
	all := node4(t)[:1]
	all[0].Cluster, all[0].Run.Name, all[0].Run.UID = "dc2/eu", "other", "run-99"
	all[0].Results[0].Run.UID = "run-99"
	all[0].Results[0].Benchmarks[0].Attempts[0].LaunchTime.Time = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	return all
}

// A name says nothing of which machine is meant: one that passed must not hide one that is tainted.
func TestNodesOfOneNameInSeveralClusters(t *testing.T) {
	here, there := fileOf(t, node4(t)), fileOf(t, elsewhere(t))
	for _, command := range []string{"explain", "history"} {
		_, err := run(t, noCluster(t), command, "node-4", "-f", here, "-f", there)
		clitest.Fails(t, err, `there is a node "node-4" in several clusters, "dc1", "dc2/eu": write which one you mean, for example "dc1/node-4"`)
		for cluster, file := range map[string]string{"dc1": here, "dc2/eu": there} {
			alone, err := run(t, noCluster(t), command, "node-4", "-f", file)
			if err != nil {
				t.Fatal(err)
			}
			of, err := run(t, noCluster(t), command, cluster+"/node-4", "-f", here, "-f", there)
			if diff := cmp.Diff(alone, of); err != nil || diff != "" {
				t.Errorf("%s %s: error %v, (-its own file +both):\n%s", command, cluster, err, diff)
			}
		}
		_, err = run(t, noCluster(t), command, "dc3/node-4", "-f", here)
		clitest.Fails(t, err, "no run in "+here+` measured a node "dc3/node-4": check the name`)
		_, err = run(t, noCluster(t), command, "dc1/", "-f", here)
		clitest.Fails(t, err, "no node is named: kubectl assay "+command+" NODE")
	}
}

func TestANodeOfTheClusterByItsFullName(t *testing.T) {
	c := cluster.Named{WithWatch: clitest.Cluster(t, interceptor.Funcs{}, objects(node4(t))...), Name: "dc1"}
	bare, err := run(t, c, "explain", "node-4")
	if err != nil {
		t.Fatal(err)
	}
	if full, err := run(t, c, "explain", "dc1/node-4"); err != nil || full != bare {
		t.Errorf("error %v, got\n%s", err, full)
	}
	_, err = run(t, c, "explain", "dc2/node-4")
	clitest.Fails(t, err, `nothing is stored about node "dc2/node-4": check the name, or measure it with "kubectl assay run --nodes" and its name`)
}

func TestARunThatIsInSeveralFilesCountsOnce(t *testing.T) {
	file := fileOf(t, node4(t))
	for _, command := range []string{"explain", "history"} {
		once, err := run(t, noCluster(t), command, "node-4", "-f", file)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := run(t, noCluster(t), command, "node-4", "-f", file, "-f", file)
		if diff := cmp.Diff(once, twice); err != nil || diff != "" {
			t.Errorf("%s: error %v, (-once +twice):\n%s", command, err, diff)
		}
	}
}

// A run may be saved while it goes on, and again when it is over.
func TestOfARunThatWasSavedTwiceItsEndCounts(t *testing.T) {
	early := node4(t)[1:]
	early[0].Run.Status.CompletionTime, early[0].Validations = nil, nil
	early[0].Run.Status.Nodes[0] = v1alpha1.NodeRow{Name: "node-4", Verdict: v1alpha1.VerdictPending}
	early[0].Results = nil
	begun, over := fileOf(t, early), fileOf(t, node4(t))
	want, err := run(t, noCluster(t), "explain", "node-4", "-f", over)
	if err != nil || !strings.Contains(want, "Fail") {
		t.Fatal(err, want)
	}
	for _, files := range [][]string{{begun, over}, {over, begun}} {
		got, err := run(t, noCluster(t), "explain", "node-4", "-f", files[0], "-f", files[1])
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("error %v, (-want +got):\n%s", err, diff)
		}
	}
}
