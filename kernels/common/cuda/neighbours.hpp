// Who else is on a GPU while it is measured, and whether they used it. Host code without CUDA: it is fed with what was read.
//
// The driver lists the processes of the same container. One outside of it shows by memory that nobody accounts for, and its pid on the host
// among those that lately used the GPU. The driver does not say what a neighbour uses beside a busy program: of two, only the one that takes more is listed. So a neighbour is one that keeps
// the GPU busy while this program lets it rest, that comes or goes or allocates during the measurement, or that is there while
// far more samples are outliers than on GPUs of one's own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/document.hpp"

namespace assay::cuda {

struct GpuProcess {
  unsigned pid = 0;
  std::string name;
  std::optional<std::uint64_t> bytes;  // of the GPU's memory; absent: the driver does not say
};

// One look at a GPU. Absent: the driver does not say.
struct Occupancy {
  std::optional<std::vector<GpuProcess>> processes;  // those that this process may see, itself among them
  std::optional<std::uint64_t> used_bytes;           // of the GPU's memory, by whomever
  std::set<unsigned> at_work;  // whoever used it lately: pids of this container, and for processes outside of it those of the host
};

// Memory that no visible process accounts for: the driver's own is 8 to 14 MiB. Absent where it is not known of all processes.
std::optional<std::uint64_t> hidden_bytes(const Occupancy& occupancy);

// "python3 (pid 812) holds 2470 MiB": of all but `own_pid`, the largest first; empty where nobody does.
std::string holders(const Occupancy& occupancy, unsigned own_pid);

class Neighbours {
 public:
  // at_start: before this process had a context on the GPU. shares_memory: with other processes of its job, as NCCL does for each pair
  // of them: the driver says of none that it holds these buffers. Then only memory that nobody held at the start tells of a hidden process.
  Neighbours(std::string gpu, unsigned own_pid, const Occupancy& at_start, bool shares_memory = false);

  // Before, between and after samples.
  void look(const Occupancy& occupancy);

  // In the last look. Then it is worth to let the GPU rest for a moment and to see what it does.
  bool is_shared() const { return shared_; }

  // How busy the GPU was while this program let it rest.
  void rested(unsigned busy_percent);

  // Whether anything could be read at all.
  bool is_readable() const { return readable_; }

  const std::string& gpu() const { return gpu_; }

  // Who disturbed the measurement, and how that is known; empty where nobody did. outliers: of this GPU.
  std::string disturbance(const Document::Outliers& outliers) const;

  // Who was there; empty where nobody was.
  std::string present() const;

 private:
  struct Seen {
    std::string name;
    unsigned first_look;
    unsigned last_look;
    unsigned looks;
    std::optional<std::uint64_t> least_bytes;
    std::optional<std::uint64_t> most_bytes;
  };
  void see(unsigned pid, const std::string& name, const std::optional<std::uint64_t>& bytes);
  void see_hidden(const Occupancy& occupancy);
  std::uint64_t hidden_change() const;
  std::string describe(unsigned pid, const Seen& seen) const;
  std::string movement(unsigned pid, const Seen& seen) const;

  std::string gpu_;
  unsigned own_pid_;
  bool shares_memory_;
  bool readable_ = false;
  bool shared_ = false;
  unsigned looks_ = 0;
  unsigned most_busy_percent_ = 0;
  std::map<unsigned, Seen> seen_;  // by pid; kHidden: whoever cannot be seen
  std::set<unsigned> outside_;              // pids on the host
  std::multiset<std::uint64_t> hidden_;     // of all looks, enough for a process or not
};

// Check `undisturbed`, and a note about each neighbour that kept still. Nothing where no GPU could be read.
void report_neighbours(const std::vector<Neighbours>& neighbours, Document& doc);

}  // namespace assay::cuda
