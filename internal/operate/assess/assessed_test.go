package assess

import "github.com/assay-dev/assay/internal/operate/assess/observe"

// assessed is what a pass makes of its input, without histories.
func assessed(in observe.Input) (Output, error) {
	c, err := Collect(in)
	if err != nil {
		return Output{}, err
	}
	return Run(c), nil
}
