// The order in which memory is swept. Host code only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace assay::burn {

// Where the next slice begins, and what the memory holds: every sweep writes another pattern than the one before, so that every
// cell takes both values.
class SweepPosition {
 public:
  SweepPosition(std::size_t words, std::size_t slice) : words_(words), slice_(slice) {}

  std::size_t first() const { return first_; }
  std::size_t count() const { return std::min(slice_, words_ - first_); }
  std::uint64_t sweeps() const { return sweeps_; }  // complete ones

  // The pattern of this sweep's slices before and after their turn: the same words, inverted or not.
  bool is_inverted_before() const { return sweeps_ % 2 == 1; }

  void advance() {
    first_ += count();
    if (first_ < words_) return;
    first_ = 0;
    ++sweeps_;
  }

 private:
  std::size_t words_;
  std::size_t slice_;
  std::size_t first_ = 0;
  std::uint64_t sweeps_ = 0;
};

}  // namespace assay::burn
