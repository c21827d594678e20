// The same work for several GPUs at the same time.
#pragma once

#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace assay::cuda {

// Calls work(0) ... work(count - 1), each on a thread of its own. When all are done, throws the first error.
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
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace assay::cuda
