// Package localcluster holds the sources that clusterctl builds its programs
// from, so that clusterctl alone, wherever it lies, can build them.
package localcluster

import "embed"

// Sources is enough of this module to build the programs of a cluster.
//
//go:embed go.mod go.sum cmd/localcluster cmd/pause cmd/coredns cmd/dra-driver
var Sources embed.FS
