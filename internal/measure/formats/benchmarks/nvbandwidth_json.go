package benchmarks

import (
	"encoding/json"
	"strings"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// nvbJSON is what nvbandwidth -j prints, as far as it is read: later versions add fields.
type nvbJSON struct {
	NVBandwidth *struct {
		Version   string        `json:"version"`
		Error     string        `json:"error"`
		Testcases []nvbTestcase `json:"testcases"`
	} `json:"nvbandwidth"`
}

type nvbTestcase struct {
	Name        string      `json:"name"`
	Status      string      `json:"status"`
	Error       string      `json:"error"`
	Description string      `json:"bandwidth_description"`
	Matrix      [][]string  `json:"bandwidth_matrix"`
	Sum         json.Number `json:"sum"`
}

func (r *nvbReport) readJSON(output []byte) error {
	var document nvbJSON
	if err := result.DecodeOthers(output, &document); err != nil {
		return result.Bad("expected nvbandwidth's JSON and nothing else on stdout: %w", err)
	}
	root := document.NVBandwidth
	if root == nil {
		return result.Bad("the JSON has no object \"nvbandwidth\": it is another program's")
	}
	r.Version = root.Version
	if strings.Contains(root.Error, nvbWrongPattern) {
		r.wrong = append(r.wrong, "nvbandwidth")
	} else if root.Error != "" {
		return result.Bad("nvbandwidth reports an error: %s", result.Quote(root.Error))
	}
	for _, test := range root.Testcases {
		if err := r.add(test); err != nil {
			return err
		}
	}
	return nil
}

func (r *nvbReport) add(test nvbTestcase) error {
	if !nvbKey.MatchString(test.Name) {
		return result.Bad("the test's name %s is garbled", result.Quote(test.Name))
	}
	switch {
	case test.Status == "Waived":
		r.waived++
		return nil
	case strings.Contains(test.Error, nvbWrongPattern):
		r.wrong = append(r.wrong, test.Name)
		return nil
	case test.Status == "Running" && len(r.wrong) > 0: // the test that found it
		r.wrong[0] = test.Name
		return nil
	case test.Status != "Passed":
		return result.Bad("the test %s has status %s: %s", result.Quote(test.Name), result.Quote(test.Status), result.Quote(test.Error))
	}
	m := nvbMatrix{key: test.Name, description: test.Description}
	m.sum = r.Figure(logs.Number, test.Sum.String(), "the sum of %s: %w", result.Quote(test.Name))
	for _, cells := range test.Matrix {
		if len(cells) == 0 || len(cells) != len(test.Matrix[0]) {
			return result.Bad("the rows of the matrix of %s differ in length", result.Quote(test.Name))
		}
		m.values = append(m.values, r.row(cells))
	}
	if len(m.values) == 0 {
		return result.Bad("the test %s passed without a matrix", result.Quote(test.Name))
	}
	if gpus := len(m.values[0]); strings.Contains(m.key, "_bidirectional_") && len(m.values) == 3*gpus {
		m.key, m.values = m.key+"_total", m.values[2*gpus:] // after the matrices of the two directions
	}
	r.matrices = append(r.matrices, m)
	return nil
}
