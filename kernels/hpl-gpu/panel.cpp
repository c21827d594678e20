#include "hpl-gpu/panel.hpp"

#include <algorithm>

namespace assay::hplgpu {
namespace {

class Recursion {
 public:
  Recursion(Backend& backend, const Panel& panel) : backend_(backend), panel_(panel), base_(backend.base_width(panel.rows)) {}

  // Factors columns [first, first + count), which all earlier ones have already updated.
  void factor(std::int64_t first, std::int64_t count) {
    if (count <= base_) {
      backend_.factor_columns(panel_, first, count);
      return;
    }
    const std::int64_t left = left_half(count);
    const std::int64_t right = count - left;
    const std::int64_t middle = first + left;
    factor(first, left);  // has swapped the right half's rows too
    const Matrix all = panel_.matrix();
    const Matrix right_top = all.part(first, middle, left, right);
    backend_.solve_lower(all.part(first, first, left, left), right_top);
    const std::int64_t rows_below = panel_.rows - middle;
    if (rows_below > 0) {
      backend_.subtract_product(all.part(middle, middle, rows_below, right), all.part(middle, first, rows_below, left), right_top);
    }
    factor(middle, right);
  }

 private:
  // Whole base cases.
  std::int64_t left_half(std::int64_t count) const {
    const std::int64_t bases = (count + base_ - 1) / base_;
    return std::min(count, (bases + 1) / 2 * base_);
  }

  Backend& backend_;
  const Panel& panel_;
  std::int64_t base_;
};

}  // namespace

void factor_panel(Backend& backend, const Panel& panel) {
  Recursion(backend, panel).factor(0, panel.width);
  backend.trace_swaps(panel);
}

}  // namespace assay::hplgpu
