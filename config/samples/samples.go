// Package samples are the examples of this folder, for the tests that try them.
package samples

import "embed"

// Files are the examples, by path.
//
//go:embed application
var Files embed.FS
