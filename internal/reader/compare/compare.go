// Package compare says how two sets of measurements differ: metric by metric, by how much, how sure that is, and what else differs between
// them. It is pure, and judges no node: what is slow on both sides is no difference.
package compare

import (
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Schema names the shape of a Comparison as JSON. Fields may be added to it; none changes its name or its meaning.
const Schema = "assay.dev/comparison/v1"

// Comparison of B with A: a positive difference means that B has the greater values.
type Comparison struct {
	Schema string `json:"schema"`
	A      About  `json:"a"`
	B      About  `json:"b"`
	// Confidence of the intervals, each for its own row: 0.95.
	Confidence float64 `json:"confidence"`
	// Tested rows: the significance of each is corrected for so many. Unlisted ones count apart.
	Tested int `json:"tested"`
	// Configuration that differs, beside what was compared.
	Configuration []Difference `json:"configuration,omitempty"`
	// Rows by benchmark, metric and kind of part, in the order they ran.
	Rows []Row `json:"rows"`
	// Benchmarks each on average, in the order of the rows.
	Benchmarks []Mean `json:"benchmarks,omitempty"`
	// Overall is the mean of the benchmarks, each counted once. Nil: nothing can be compared.
	Overall *Mean `json:"overall,omitempty"`
}

// About one side.
type About struct {
	// Name as the user called it.
	Name string `json:"name"`
	// Runs it is made of; none where it was read from the past of the nodes.
	Runs []Run `json:"runs,omitempty"`
	// Remembered runs: those that nodes have in their past.
	Remembered int `json:"remembered,omitempty"`
	// Nodes and Groups of nodes that measured something that counts.
	Nodes  int `json:"nodes"`
	Groups int `json:"groups,omitempty"`
	// Unpaired nodes have parts that the other side lacks, where the same parts are compared in pairs: these parts are left out.
	Unpaired int `json:"unpaired,omitempty"`
	// From the first measurement To the last. Nil: not known.
	From *time.Time `json:"from,omitempty"`
	To   *time.Time `json:"to,omitempty"`
	// LeftOut are the attempts that do not count, by why.
	LeftOut LeftOut `json:"leftOut"`
}

// Run that a side is made of.
type Run struct {
	Cluster string `json:"cluster,omitempty"`
	Name    string `json:"name"`
	// UID tells it from its namesakes.
	UID string `json:"uid,omitempty"`
	// Unfinished says that it goes on, so that its side may change.
	Unfinished bool `json:"unfinished,omitempty"`
}

// LeftOut counts attempts that do not count.
type LeftOut struct {
	// WrongData counts those whose data was wrong, so that their speed says nothing.
	WrongData int `json:"wrongData"`
	// Disturbed counts those beside which something else used the devices or stopped the program.
	Disturbed int `json:"disturbed"`
	// Unmeasured counts those that brought no values.
	Unmeasured int `json:"unmeasured"`
}

// Difference of the configuration: a fact, a version or a parameter that is not the same on both sides.
type Difference struct {
	// Benchmark it belongs to. Empty: the nodes.
	Benchmark string `json:"benchmark,omitempty"`
	// Name of the fact, or one of the names below.
	Name string `json:"name"`
	// A and B: the values, the most frequent one first.
	A []Share `json:"a"`
	B []Share `json:"b"`
}

// Share of the nodes, or of their parts, that have a value.
type Share struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// Outcome of a row.
type Outcome string

// The outcomes.
const (
	// Better and Worse: B differs from A, beyond chance and beyond the metric's noise.
	Better Outcome = "Better"
	Worse  Outcome = "Worse"
	// Differs likewise, where nothing says which way is better.
	Differs Outcome = "Differs"
	// Same means that noise explains the difference, if there is any. That is no proof that there is none.
	Same Outcome = "Same"
	// TooFew values to tell, or values that have no ratio.
	TooFew Outcome = "TooFew"
	// NotComparable means that the sides measured something else.
	NotComparable Outcome = "NotComparable"
)

// Row is one metric of one kind of part.
type Row struct {
	Benchmark string `json:"benchmark"`
	Metric    string `json:"metric"`
	// Kind of part: its name without indices, such as gpu, gpu->gpu or group. Empty: the node.
	Kind string `json:"kind,omitempty"`
	// Unit of the values. Empty: the sides do not agree.
	Unit string `json:"unit,omitempty"`
	// Better direction. Empty: not known.
	Better v1alpha1.Direction `json:"better,omitempty"`
	// Headline metric of its benchmark.
	Headline bool `json:"headline,omitempty"`
	// Unlisted says that its Benchmark does not list the metric, so that it is recorded, and never judged. Such rows are corrected for their own number.
	Unlisted bool `json:"unlisted,omitempty"`
	// NotInA: B are the parts that pairing leaves out, because A lacks them, and A are all of its own. Options ask for such rows.
	NotInA  bool    `json:"notInA,omitempty"`
	A       Summary `json:"a"`
	B       Summary `json:"b"`
	Outcome Outcome `json:"outcome"`
	// Why it is Same, TooFew or NotComparable, or Worse without an Estimate, in words.
	Why string `json:"why,omitempty"`
	// Estimate of the difference. Nil: there is none.
	Estimate *Estimate `json:"estimate,omitempty"`
	// Parts with their values, where Options ask for them.
	Parts []Part `json:"parts,omitempty"`
}

// Summary of the values of one side.
type Summary struct {
	// Parts that have a value, on so many Nodes or groups.
	Parts int `json:"parts"`
	Nodes int `json:"nodes"`
	// Median, Min and Max in the row's unit. Nil: there is no value.
	Median *float64 `json:"median,omitempty"`
	Min    *float64 `json:"min,omitempty"`
	Max    *float64 `json:"max,omitempty"`
}

// Test that tells a difference from chance.
type Test string

// The tests.
const (
	// SignedRank is Wilcoxon's permutation test of the same units, measured on both sides.
	SignedRank Test = "signed-rank"
	// MannWhitney is the rank test of different units.
	MannWhitney Test = "Mann-Whitney"
	// NoiseT is Student's t-test with no less scatter than the metric's noise, for units too few for the ranks to speak.
	NoiseT Test = "t"
)

// Unit of resampling: what is independent of its like.
type Unit string

// The units.
const (
	UnitNode  Unit = "node"
	UnitPart  Unit = "part"
	UnitGroup Unit = "group"
)

// Estimate of how much B differs from A.
type Estimate struct {
	// Percent by which the values of B are greater, from Low to High with the comparison's confidence.
	Percent float64 `json:"percent"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	// DecidingLow and DecidingHigh are the interval at the level at which the row was decided, as one of several (Holm): 0 is inside where
	// chance explains the difference, and not elsewhere.
	DecidingLow  float64 `json:"decidingLow"`
	DecidingHigh float64 `json:"decidingHigh"`
	// P is the probability of such a difference by chance; Corrected for all rows that were tested (Holm).
	P         float64 `json:"p"`
	Corrected float64 `json:"corrected"`
	Test      Test    `json:"test"`
	// Paired says that the same units were measured on both sides. UnitsA equals UnitsB then, and others are left out.
	Paired bool `json:"paired"`
	Unit   Unit `json:"unit"`
	UnitsA int  `json:"unitsA"`
	UnitsB int  `json:"unitsB"`
	// FloorPercent is the metric's noise from run to run: what is smaller is no difference.
	FloorPercent float64 `json:"floorPercent"`
}

// Part is one part of one node, or of a group, on one side or both.
type Part struct {
	// Nodes that it belongs to; of one that is called otherwise on the other side, its name in A.
	Nodes []string `json:"nodes"`
	At    string   `json:"at,omitempty"`
	// A and B are its values. Nil: not measured, or not the same part.
	A *float64 `json:"a,omitempty"`
	B *float64 `json:"b,omitempty"`
	// Percent by which B is greater than A. Nil: one is missing, or A is 0.
	Percent *float64 `json:"percent,omitempty"`
}

// Mean of the ratios of the headline metrics, each turned so that more is better.
type Mean struct {
	// Benchmark whose rows these are. Empty: all of them.
	Benchmark string `json:"benchmark,omitempty"`
	// Percent by which B is better (negative: worse): the geometric mean.
	Percent float64 `json:"percent"`
	// Rows that count, and what came of them.
	Rows   int `json:"rows"`
	Better int `json:"better"`
	Worse  int `json:"worse"`
	Same   int `json:"same"`
}

// Options of a comparison.
type Options struct {
	// NotInA compares the parts that pairing leaves out with all of A, in rows of their own.
	NotInA bool
	// Parts are listed with their values. There may be very many of them.
	Parts bool
	// PartsThatDiffer are listed with their values: those of the rows that do.
	PartsThatDiffer bool
	// AcrossConfigurations compares what ran with other images, commands or parameters, too.
	AcrossConfigurations bool
}
