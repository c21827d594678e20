package plan

import (
	"embed"

	"github.com/assay-dev/assay/test/golden"
)

//go:embed testdata
var files embed.FS

var _ = golden.Keep(files)
