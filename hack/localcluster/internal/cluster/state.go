// Package cluster starts, repairs, breaks and removes local clusters. Every
// step is idempotent: what runs is recognised and left alone, and what a crash
// left behind is found by its name.
package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
	"github.com/assay-dev/assay/hack/localcluster/internal/network"
)

// Params are what a cluster is asked to be.
type Params struct {
	// Nodes is how many real nodes run pods.
	Nodes int `json:"nodes"`
	// KwokNodes is how many nodes are only pretended.
	KwokNodes int `json:"kwokNodes"`
	// KwokStages is a folder of stage files beside kwok's own; a stage of the
	// same name replaces kwok's.
	KwokStages string `json:"kwokStages,omitempty"`
	// NoMPI leaves out the MPI Operator and its kind.
	NoMPI bool `json:"noMPI,omitempty"`
}

func (p Params) String() string {
	out := fmt.Sprintf("%d nodes, %d kwok nodes", p.Nodes, p.KwokNodes)
	if p.NoMPI {
		out += ", no MPI Operator"
	}
	return out
}

// Check returns an error for what cannot be started.
func (p Params) Check() error {
	switch {
	case p.Nodes < 0 || p.Nodes > layout.MaxNodes:
		return fmt.Errorf("nodes %d: want 0 to %d", p.Nodes, layout.MaxNodes)
	case p.KwokNodes < 0 || p.KwokNodes > 10000:
		return fmt.Errorf("kwok nodes %d: want 0 to 10000", p.KwokNodes)
	case p.Nodes+p.KwokNodes == 0:
		return errors.New("a cluster without any node: set nodes or kwok nodes")
	case p.KwokStages != "" && p.KwokNodes == 0:
		return errors.New("kwok stages without kwok nodes")
	}
	return nil
}

// State is what is written down about a cluster.
type State struct {
	Params
	Subnet int `json:"subnet"`
	// Programs is the folder of the programs that it runs.
	Programs string `json:"programs"`
	// Prepared says that every file, the network and the cgroups were made.
	Prepared bool `json:"prepared"`
	// Degraded maps a node to the cores that all its pods share.
	Degraded map[string]float64 `json:"degraded,omitempty"`
	// Limits of the network between pods.
	Limits []network.Limit `json:"limits,omitempty"`
	// Joined are the nodes that joined after the cluster was made.
	Joined []Joined `json:"joined,omitempty"`
	// Drivers are the DRA drivers of nodes, by node.
	Drivers map[string]Driver `json:"drivers,omitempty"`
}

// Joined is a node that joined, with what its kubelet registers it with.
type Joined struct {
	Index int `json:"index"`
	// Labels and Taints as the kubelet's flags take them.
	Labels string `json:"labels,omitempty"`
	Taints string `json:"taints,omitempty"`
}

// load returns nil without an error where there is no cluster.
func load(name string) (*State, error) {
	path := layout.Cluster{Name: name}.StateFile()
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var s State
	if err := json.Unmarshal(content, &s); err != nil {
		// A half-written file: whoever asks treats the cluster as half-made.
		return &State{}, nil
	}
	return &s, nil
}

func (s *State) save(name string) error {
	content, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	path := layout.Cluster{Name: name}.StateFile()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", append(content, '\n'), 0o644); err != nil {
		return fmt.Errorf("saving the state of cluster %s: %w", name, err)
	}
	return os.Rename(path+".new", path)
}

// anyCluster says whether the machine has any local cluster.
func anyCluster() bool {
	found, err := filepath.Glob(layout.Cluster{Name: "*"}.StateFile())
	return err == nil && len(found) > 0
}
