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
	var err error
	if m.sum, err = logs.Number(test.Sum.String()); err != nil {
		return result.Bad("the sum of %s: %w", result.Quote(test.Name), err)
	}
	if m.values, err = test.values(); err != nil {
		return err
	}
	if gpus := len(m.values[0]); strings.Contains(m.key, "_bidirectional_") && len(m.values) == 3*gpus {
		m.key, m.values = m.key+"_total", m.values[2*gpus:] // after the matrices of the two directions
	}
	r.matrices = append(r.matrices, m)
	return nil
}

func (t *nvbTestcase) values() ([][]float64, error) {
	var rows [][]float64
	for _, cells := range t.Matrix {
		if len(cells) == 0 || len(cells) != len(t.Matrix[0]) {
			return nil, result.Bad("the rows of the matrix of %s differ in length", result.Quote(t.Name))
		}
		row, err := nvbValues(cells)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, result.Bad("the test %s passed without a matrix", result.Quote(t.Name))
	}
	return rows, nil
}
