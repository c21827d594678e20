// Package docs is the documentation, for the tests that compare it with what the programs do.
package docs

import "embed"

// Pages are the documents of this folder and their pictures, by path.
//
//go:embed *.md pictures
var Pages embed.FS
