// The ranks that factor a matrix together, as one rank sees them: threads of this process, or processes that mpirun started. All ranks
// call these functions, in the same order.
#pragma once

#include <functional>
#include <stdexcept>
#include <vector>

namespace assay::hplgpu {

// What a rank throws that waits for one that failed: the reason is that one's.
struct Abandoned : std::runtime_error {
  Abandoned() : std::runtime_error("another rank failed") {}
};

class Team {
 public:
  virtual ~Team() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // A step that may fail on some ranks: all throw where one does. The step itself must not wait for others. It is a meeting point too.
  virtual void together(const std::function<void()>& step) = 0;
  virtual double sum(double value) = 0;
  virtual double max(double value) = 0;
  virtual void broadcast_from_first(void* data, std::size_t bytes) = 0;

  // Another rank failed and will not come: whatever waits for it may give up.
  virtual bool is_broken() const { return false; }

  // Everybody's value, by rank.
  std::vector<double> gather(double own) {
    std::vector<double> all;
    for (int i = 0; i < size(); ++i) all.push_back(sum(i == rank() ? own : 0));
    return all;
  }
};

// Calls work(team) for each of `ranks` on a thread of its own, and throws the worst error when all have ended: a rank that fails ends the
// others' waiting.
void run_threads(int ranks, const std::function<void(Team&)>& work);

}  // namespace assay::hplgpu
