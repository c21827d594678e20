package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/assay-dev/assay/hack/bench/corpus"
)

// command lets a program judge: it reads the cases as lines of JSON, without their labels, and prints an answer for each.
func command(line string, cases []corpus.Case) (answers []corpus.Answer, err error) {
	var given bytes.Buffer
	lines := json.NewEncoder(&given)
	for _, c := range cases {
		c.Label = nil
		if err := lines.Encode(c); err != nil {
			return nil, err
		}
	}
	words := strings.Fields(line)
	program := exec.Command(words[0], words[1:]...)
	program.Stdin, program.Stderr = &given, os.Stderr
	printed, err := program.Output()
	if err != nil {
		return nil, fmt.Errorf("running the rule %q: %w", line, err)
	}
	byID := map[int]corpus.Answer{}
	for read := json.NewDecoder(bytes.NewReader(printed)); ; {
		var a corpus.Answer
		if err := read.Decode(&a); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("reading answer %d of the rule %q: %w", len(byID)+1, line, err)
		}
		byID[a.ID] = a
	}
	for _, c := range cases {
		a, answered := byID[c.ID]
		if !answered {
			return nil, fmt.Errorf("the rule %q has no answer to case %d: print {\"id\": %d, \"failed\": []} where no node failed", line, c.ID, c.ID)
		}
		answers = append(answers, a)
	}
	return answers, nil
}
