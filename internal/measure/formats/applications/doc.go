// Package applications reads the logs of applications that are run as
// benchmarks: GROMACS, LAMMPS, NAMD, WRF and Fluent.
package applications
