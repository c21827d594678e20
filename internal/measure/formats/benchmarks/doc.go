// Package benchmarks reads the output of benchmarks that others wrote: HPL,
// STREAM, the NCCL tests, nvbandwidth, perftest, OSU, fio and their like.
package benchmarks
