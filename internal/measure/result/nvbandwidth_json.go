package result

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
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

func readNVBJSON(output []byte) (nvbReport, error) {
	var document nvbJSON
	if err := decodeOthers(output, &document); err != nil {
		return nvbReport{}, bad("expected nvbandwidth's JSON and nothing else on stdout: %w", err)
	}
	root := document.NVBandwidth
	if root == nil {
		return nvbReport{}, bad("the JSON has no object \"nvbandwidth\": it is another program's")
	}
	r := nvbReport{version: root.Version}
	if strings.Contains(root.Error, nvbWrongPattern) {
		r.wrong = append(r.wrong, "nvbandwidth")
	} else if root.Error != "" {
		return nvbReport{}, bad("nvbandwidth reports an error: %s", quote(root.Error))
	}
	for _, test := range root.Testcases {
		if err := r.add(test); err != nil {
			return nvbReport{}, err
		}
	}
	return r, nil
}

func (r *nvbReport) add(test nvbTestcase) error {
	if !nvbKey.MatchString(test.Name) {
		return bad("the test's name %s is garbled", quote(test.Name))
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
		return bad("the test %s has status %s: %s", quote(test.Name), quote(test.Status), quote(test.Error))
	}
	m := nvbMatrix{key: test.Name, description: test.Description}
	var err error
	if m.sum, err = parseNumber(test.Sum.String()); err != nil {
		return bad("the sum of %s: %w", quote(test.Name), err)
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
			return nil, bad("the rows of the matrix of %s differ in length", quote(t.Name))
		}
		row, err := nvbValues(cells)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, bad("the test %s passed without a matrix", quote(t.Name))
	}
	return rows, nil
}

// decodeOthers reads the JSON of another program, as strictly as our own but for fields that we do not know.
func decodeOthers(data []byte, target any) error {
	if !utf8.Valid(data) {
		return bad("not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	var whole json.RawMessage
	if err := dec.Decode(&whole); err != nil {
		return explain(data, err)
	}
	if rest := bytes.TrimSpace(data[dec.InputOffset():]); len(rest) > 0 {
		return bad("something follows the document: %s", quote(string(rest[:min(len(rest), 200)])))
	}
	if err := checkKeys(numberDecoder(whole), 0); err != nil {
		return err
	}
	if err := numberDecoder(whole).Decode(target); err != nil {
		return explain(data, err)
	}
	return nil
}
