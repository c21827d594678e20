// Package localcluster holds the sources that clusterctl builds its programs
// from, so that clusterctl alone, wherever it lies, can build them.
package localcluster

import "embed"

// Sources is enough of this module to build cmd/localcluster and cmd/pause.
//
//go:embed go.mod go.sum cmd/localcluster cmd/pause
var Sources embed.FS
