// The kernels of hpl-gpu and hpl-mxp, compiled for the host, beside the plain loops of the host's backend.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>

#include "hpl-gpu/base.hpp"
#include "hpl-gpu/generator.hpp"
#include "hpl-gpu/kernels.hpp"
#include "hpl-mxp/kernels.hpp"
#include "tests/hplgpu/backend.hpp"

namespace assay::hplgpu {
namespace {

// Memory that the processes of a cooperative launch see.
double* allocate(std::size_t doubles) {
  void* memory = nullptr;
  cudaMalloc(&memory, doubles * sizeof(double));
  return static_cast<double*>(memory);
}

double distance(const Matrix& a, const Matrix& b) {
  double most = 0;
  for (std::int64_t j = 0; j < a.columns; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) most = std::max(most, std::abs(*a.at(i, j) - *b.at(i, j)));
  }
  return most;
}

// The same panel twice: one for the kernels, one for the host's backend.
class Twins {
 public:
  Twins(std::int64_t rows, std::int64_t width) : kernels{allocate(Panel::doubles(rows, width)), rows, width} {
    host = {backend->allocate(Panel::doubles(rows, width)), rows, width};
    queue_generate(kernels.matrix(), 3, rows, nullptr);
    backend->generate(host.matrix(), 3, rows);
    settle();
  }

  void settle() { backend->take_phases(); }

  void expect_same() {
    settle();
    EXPECT_LT(distance(kernels.matrix(), host.matrix()), 1e-12);
    EXPECT_TRUE(std::equal(kernels.pivots(), kernels.pivots() + 3 * kernels.width, host.pivots())) << "pivots and what follows from them";
  }

  std::unique_ptr<Backend> backend = make_host_backend(make_host_links(1), 0, 16);
  Panel kernels, host;
};

TEST(HplGpuKernels, GenerateHplsNumbers) {
  const Twins twins(130, 70);
  EXPECT_EQ(distance(twins.kernels.matrix(), twins.host.matrix()), 0);
}

// One block of rows or several, with rows that do not share out evenly, and as many columns as the rows leave.
class Factors : public testing::TestWithParam<BaseCase::Share> {};

TEST_P(Factors, ColumnsAndSwapsTheOthers) {
  BaseCase base;
  for (const auto& [rows, width, count] : {std::tuple{30, 30, 16}, std::tuple{64, 24, 7}, std::tuple{301, 40, 16}, std::tuple{500, 20, 9}, std::tuple{16, 16, 16}}) {
    Twins twins(rows, width);
    for (std::int64_t first = 0, columns = 0; first < width; first += columns) {
      columns = std::min<std::int64_t>({count, base.width_for(rows, GetParam()), width - first});
      ASSERT_GT(columns, 0);
      base.queue(twins.kernels, first, columns, GetParam(), nullptr);
      queue_swap_in_panel(twins.kernels, first, columns, nullptr);
      twins.backend->factor_columns(twins.host, first, columns);
    }
    queue_trace(twins.kernels, nullptr);
    twins.backend->trace_swaps(twins.host);
    twins.expect_same();
  }
}

INSTANTIATE_TEST_SUITE_P(HplGpuKernels, Factors, testing::Values(BaseCase::Share::All, BaseCase::Share::Some),
                         [](const auto& info) { return info.param == BaseCase::Share::All ? "OnAll" : "OnSome"; });

// What is no number is never a pivot, equal candidates give the lowest row, and a column of zeros is its own pivot.
TEST(HplGpuKernels, ChooseTheSamePivotWhateverTheValues) {
  BaseCase base;
  Twins twins(300, 4);
  for (const Panel& panel : {twins.kernels, twins.host}) {
    const Matrix all = panel.matrix();
    for (std::int64_t i = 0; i < 300; ++i) *all.at(i, 0) = i % 100 == 50 ? -0.75 : 0.25;
    for (std::int64_t i = 0; i < 300; ++i) *all.at(i, 1) = *all.at(i, 2) = 0;
    *all.at(120, 0) = std::nan("");
  }
  base.queue(twins.kernels, 0, 4, BaseCase::Share::All, nullptr);
  twins.backend->factor_columns(twins.host, 0, 4);
  twins.settle();
  EXPECT_EQ(twins.kernels.pivots()[0], 50);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(twins.kernels.pivots()[i], twins.host.pivots()[i]) << i;
}

TEST(HplGpuKernels, WidthIsWhatSharedMemoryHolds) {
  const BaseCase base;
  EXPECT_EQ(base.width_for(300, BaseCase::Share::All), 16);
  EXPECT_EQ(base.width_for(1000, BaseCase::Share::All), 8) << "200 rows of 8 doubles are 12.5 KiB";
  EXPECT_EQ(base.width_for(1000, BaseCase::Share::Some), 2) << "on two of the five multiprocessors";
  EXPECT_EQ(base.width_for(3000, BaseCase::Share::Some), 2) << "on all five, where two have no room";
  EXPECT_EQ(base.width_for(100'000, BaseCase::Share::Some), 0);
}

TEST(HplGpuKernels, SwapRowsOfTheUpdate) {
  BaseCase base;
  Twins twins(200, 40);
  for (std::int64_t first = 0; first < 40; first += 10) {
    base.queue(twins.kernels, first, 10, BaseCase::Share::All, nullptr);
    queue_swap_in_panel(twins.kernels, first, 10, nullptr);
    twins.backend->factor_columns(twins.host, first, 10);
  }
  queue_trace(twins.kernels, nullptr);
  twins.backend->trace_swaps(twins.host);
  const Matrix a{allocate(200 * 33), 200, 200, 33}, top{allocate(48 * 33), 48, 40, 33};
  const Matrix host_a{twins.backend->allocate(200 * 33), 200, 200, 33}, host_top{twins.backend->allocate(48 * 33), 48, 40, 33};
  queue_generate(a, 1000, 200, nullptr);
  twins.backend->generate(host_a, 1000, 200);
  queue_swap(twins.kernels, a, top, nullptr);
  twins.backend->swap_rows(twins.host, host_a, host_top);
  queue_small_solve(twins.kernels.matrix().top(40), top, nullptr);
  twins.backend->solve_lower(twins.host.matrix().top(40), host_top);
  twins.settle();
  EXPECT_EQ(distance(a, host_a), 0);
  EXPECT_LT(distance(top, host_top), 1e-12);
}

TEST(HplGpuKernels, MakeAnIdentity) {
  const Matrix to{allocate(304 * 40), 304, 300, 40};
  queue_generate(to, 0, 300, nullptr);
  queue_identity(to, nullptr);
  for (std::int64_t column = 0; column < 40; ++column) {
    for (std::int64_t row = 0; row < 300; ++row) ASSERT_EQ(*to.at(row, column), row == column ? 1 : 0) << row << ", " << column;
  }
}

TEST(HplGpuKernels, AddUpAndCompare) {
  Twins twins(100, 20);
  auto* const words = reinterpret_cast<std::uint64_t*>(allocate(2));
  const auto count = static_cast<std::size_t>(twins.kernels.ld() * 20);
  queue_checksum(twins.kernels.data, count, words, nullptr);
  twins.backend->write_checksum(twins.host);
  twins.settle();
  EXPECT_EQ(words[0], *twins.host.checksum());
  queue_compare(words, twins.host.checksum(), words + 1, nullptr);
  EXPECT_EQ(words[1], 0u);
  queue_flip(twins.kernels.data + 7, nullptr);
  words[0] = 0;
  queue_checksum(twins.kernels.data, count, words, nullptr);
  queue_compare(words, twins.host.checksum(), words + 1, nullptr);
  EXPECT_EQ(words[1], 1u);
}

TEST(HplGpuKernels, MultiplyTheMatrixMadeAnew) {
  const auto backend = make_host_backend(make_host_links(1), 0, 16);
  const std::int64_t order = 150;
  double *x = allocate(order), *sums = allocate(4 * order);
  for (std::int64_t i = 0; i < order; ++i) x[i] = 0.01 * static_cast<double>(i);
  queue_row_sums({20, 0, 30}, order, x, sums, sums + order, nullptr);
  backend->add_row_sums({20, 0, 30}, order, x, sums + 2 * order, sums + 3 * order);
  backend->take_phases();
  EXPECT_LT(distance({sums, order, order, 2}, {sums + 2 * order, order, order, 2}), 1e-12);
}

TEST(HplMxpKernels, FactorASmallBlock) {
  using hplmxp::Floats;
  std::vector<float> values(64 * 50), lu;
  std::vector<double> diagonal(50, 25);
  const Floats a{values.data(), 64, 50, 50};
  hplmxp::queue_generate(a, diagonal.data(), nullptr);
  EXPECT_EQ(*a.at(3, 3), 25.0F);
  EXPECT_EQ(*a.at(2, 5), static_cast<float>(number_of(state_at(2, 5, 50))));
  lu = values;
  hplmxp::queue_base({lu.data(), 64, 50, 50}, nullptr);
  const Floats f{lu.data(), 64, 50, 50};
  for (std::int64_t i = 0; i < 50; ++i) {
    for (std::int64_t j = 0; j < 50; ++j) {
      double product = i <= j ? static_cast<double>(*f.at(i, j)) : 0;  // L's diagonal is 1
      for (std::int64_t k = 0; k < std::min(i, j + 1); ++k) product += static_cast<double>(*f.at(i, k)) * static_cast<double>(*f.at(k, j));
      ASSERT_NEAR(product, *a.at(i, j), 1e-5) << i << ", " << j;
    }
  }
}

TEST(HplMxpKernels, RoundWhatTheyStore) {
  std::vector<float> from{1.0F, 1.0F / 3, 1e-6F, -2.5F}, to(4);
  std::vector<hplmxp::Half> rounded(4);
  hplmxp::queue_store({from.data(), 2, 2, 2}, {to.data(), 2, 2, 2}, {rounded.data(), 2, 2, 2}, 1024, nullptr);
  EXPECT_EQ(to, from);
  EXPECT_EQ(rounded[0].bits, 0x6400) << "1024";
  EXPECT_EQ(rounded[1].bits, 0x5d55) << "341.25";
  EXPECT_EQ(rounded[3].bits, 0xe900) << "-2560";
}

}  // namespace
}  // namespace assay::hplgpu
