// How large an HPL problem is and how it is laid out. Pure: numbers in, numbers and text out.
#pragma once

#include <cstdint>
#include <string>

namespace assay::hpl {

// P rows by Q columns of processes, P <= Q, as square as the number of ranks allows.
struct Grid {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};
Grid grid_of(std::int64_t ranks);

// The largest order whose matrix of doubles fits into that share of the memory, a multiple of the block size (at least one).
std::int64_t order_for(std::int64_t memory_bytes, double fraction, std::int64_t block);

struct Problem {
  std::int64_t order = 0;
  std::int64_t block = 0;
  Grid grid;
};

struct Options {
  double memory_fraction = 0.8;
  std::int64_t order = 0;
  std::int64_t block = 192;
  std::int64_t ranks = 0;
};

// The problem for that memory of all ranks together. Throws CannotRun when the order that was asked for does not fit into it.
Problem problem_for(const Options& options, std::int64_t memory_bytes, std::int64_t ranks);

// "hpl: N=9600 NB=192 P=2 Q=3", for people.
std::string describe(const Problem& problem);

// HPL's input file, in its fixed order of lines.
std::string input_file(const Problem& problem);

}  // namespace assay::hpl
