// The same work for several GPUs at the same time.
#pragma once

#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "common/program.hpp"

namespace assay::cuda {

// Throws the first HardwareFault, else the first error: a GPU that failed must not be excused by what its neighbour met.
inline void rethrow_worst(const std::vector<std::exception_ptr>& errors) {
  std::exception_ptr first;
  for (const auto& error : errors) {
    if (!error) continue;
    try {
      std::rethrow_exception(error);
    } catch (const HardwareFault&) {
      throw;
    } catch (...) {
      if (!first) first = error;
    }
  }
  if (first) std::rethrow_exception(first);
}

// Calls work(0) ... work(count - 1), each on a thread of its own. When all are done, throws the worst error.
template <typename Work>
void on_all(std::size_t count, Work work) {
  std::vector<std::exception_ptr> errors(count);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      try {
        work(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  rethrow_worst(errors);
}

}  // namespace assay::cuda
