// The problem classes of the NAS Parallel Benchmarks (NAS-95-020 and its later classes), with the published values that verify them.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::npb {

const std::vector<std::string>& class_names();  // "S" to "D"

struct CgClass {
  std::int64_t order;
  int nonzeros;  // of each random vector
  int iterations;
  double shift;
  double zeta;
};
const CgClass& cg_class(const std::string& name);

struct IsClass {
  int keys_log2;
  int max_key_log2;
  int buckets_log2;
  std::array<std::int64_t, 5> index;
  std::array<std::int64_t, 5> rank;  // as it would be in an iteration 0
  std::array<int, 5> step;           // by which the rank changes with every iteration
};
const IsClass& is_class(const std::string& name);

struct MgClass {
  int levels;  // the grid has 2^levels points in each direction
  int iterations;
  std::array<double, 4> smoother;
  double norm;
};
const MgClass& mg_class(const std::string& name);

struct FtClass {
  int nx, ny, nz;
  std::vector<std::complex<double>> checksums;  // one for each iteration
};
const FtClass& ft_class(const std::string& name);

// How many ranks a kernel ("cg", "mg", "is", "ft") can use at most for a class: each needs a row, two points along each axis, a bucket, or a plane.
std::int64_t most_ranks(const std::string& kernel, const std::string& problem_class);

// How far off a value is, relative to the published one; infinite where it is not a number.
double relative_error(double computed, double published);
double relative_error(std::complex<double> computed, std::complex<double> published);

}  // namespace assay::npb
