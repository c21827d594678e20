package result

import (
	"strings"

	"github.com/assay-dev/assay/internal/message"
)

// parseAssay reads the one JSON document that Assay's own programs print on stdout.
func parseAssay(output []byte) (Document, error) {
	var d Document
	if err := decodeStrict(output, &d); err != nil {
		return Document{}, bad("expected one JSON document (schema %s) on stdout and everything else on stderr: %w", Schema, err)
	}
	d.dropUnknownParameters()
	d.mergeChecks()
	return d, nil
}

// dropUnknownParameters takes out parameters that are null, which is how a program writes a setting that is no finite
// number, and says so.
func (d *Document) dropUnknownParameters() {
	for name, value := range d.Parameters {
		if value == nil {
			delete(d.Parameters, name)
			d.Notes = append(d.Notes, message.ParameterWithoutValue(name))
		}
	}
}

// mergeChecks joins checks of one name, which a program makes when it verifies several parts: all of them must be ok.
func (d *Document) mergeChecks() {
	index := map[string]int{}
	var merged []Check
	for _, check := range d.Checks {
		i, known := index[check.Name]
		if !known {
			index[check.Name] = len(merged)
			merged = append(merged, check)
			continue
		}
		if !check.OK && merged[i].OK {
			merged[i] = check
		} else if check.OK == merged[i].OK && check.Message != "" {
			merged[i].Message = strings.TrimPrefix(merged[i].Message+"; "+check.Message, "; ")
		}
	}
	d.Checks = merged
}
