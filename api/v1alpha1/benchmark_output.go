package v1alpha1

// OutputFormat names the parser for a program's output.
// +kubebuilder:validation:Enum=Assay;HPL;STREAM;OSU;NVBandwidth;NCCLTests;BabelStream;GPUBurn;GROMACS;LAMMPS;NPB;HPCC;NAMD;PerfTest;WRF;Fluent;FIO;Regex
type OutputFormat string

// The output formats.
const (
	// FormatAssay: one JSON result document on stdout (schema assay.dev/result/v1).
	FormatAssay OutputFormat = "Assay"
	// FormatHPL: the report of netlib HPL, also inside the output of hpcc.
	FormatHPL OutputFormat = "HPL"
	// FormatSTREAM: the table of McCalpin's STREAM, or the STREAM lines of hpcc.
	FormatSTREAM OutputFormat = "STREAM"
	// FormatOSU: the tables of the OSU micro-benchmarks for MPI.
	FormatOSU OutputFormat = "OSU"
	// FormatNVBandwidth: the tables of NVIDIA's nvbandwidth, or its JSON (-j).
	FormatNVBandwidth OutputFormat = "NVBandwidth"
	// FormatNCCLTests: the tables of NVIDIA's nccl-tests.
	FormatNCCLTests OutputFormat = "NCCLTests"
	// FormatBabelStream: the table of BabelStream, or its CSV (--csv).
	FormatBabelStream OutputFormat = "BabelStream"
	// FormatGPUBurn: the progress lines of gpu-burn, and its verdict on each GPU.
	FormatGPUBurn OutputFormat = "GPUBurn"
	// FormatGROMACS: the log of GROMACS' mdrun, of 2018 and later.
	FormatGROMACS OutputFormat = "GROMACS"
	// FormatLAMMPS: what LAMMPS prints, or its log.
	FormatLAMMPS OutputFormat = "LAMMPS"
	// FormatNPB: the result of a NAS Parallel Benchmark, versions 2 and 3.
	FormatNPB OutputFormat = "NPB"
	// FormatHPCC: the summary of the HPC Challenge, hpccoutf.txt.
	FormatHPCC OutputFormat = "HPCC"
	// FormatNAMD: what NAMD 2 and 3 print.
	FormatNAMD OutputFormat = "NAMD"
	// FormatPerfTest: the tables of perftest (ib_write_bw and the like), of one RDMA device or several.
	FormatPerfTest OutputFormat = "PerfTest"
	// FormatWRF: the log of WRF's first rank, rsl.error.0000.
	FormatWRF OutputFormat = "WRF"
	// FormatFluent: the performance timer of ANSYS Fluent, or the rating of its benchmark script.
	FormatFluent OutputFormat = "Fluent"
	// FormatFIO: the JSON of fio (--output-format=json).
	FormatFIO OutputFormat = "FIO"
	// FormatRegex: one regular expression per metric.
	FormatRegex OutputFormat = "Regex"
)

// OutputPattern reads one metric by a regular expression (RE2). Each match in the output is one sample.
type OutputPattern struct {
	// metric the samples belong to; must be one of spec.metrics.
	// +kubebuilder:validation:MaxLength=63
	Metric string `json:"metric"`

	// regexp with one group named value, and optionally one named at (the part).
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.contains('(?P<value>')",message="the regular expression needs a group (?P<value>...) that captures the number"
	Regexp string `json:"regexp"`
}

// Output says how the program's output is read.
// +kubebuilder:validation:XValidation:rule="(self.format == 'Regex') == has(self.patterns)",message="patterns belong to format Regex, and format Regex needs them"
type Output struct {
	// format of the program's output.
	Format OutputFormat `json:"format"`

	// patterns for format Regex.
	// +optional
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Patterns []OutputPattern `json:"patterns,omitempty"`
}
