#include "common/cuda/neighbours.hpp"

#include <algorithm>
#include <iterator>

namespace assay::cuda {
namespace {

constexpr unsigned kHidden = 0;  // no process has this pid
constexpr std::uint64_t kLeastHidden = std::uint64_t{128} << 20;  // a CUDA context alone takes 520 MiB of an H200
constexpr std::uint64_t kLeastChange = std::uint64_t{32} << 20;
constexpr std::size_t kMostNamed = 3;

// More outliers than any healthy run had: docs/catalogue-gpu.md has the measurement.
constexpr double kHealthyOutlierShare = 0.1;
constexpr std::size_t kLeastOutliers = 6;

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

// The server that shares a GPU out to clients: they are the neighbours, it is not.
bool is_broker(const GpuProcess& process) { return process.name.rfind("nvidia-cuda-mps", 0) == 0; }

std::string named_hidden(const std::set<unsigned>& host_pids) {
  if (host_pids.empty()) return "a process that cannot be seen from this container";
  std::string pids;
  std::size_t count = 0;
  for (const unsigned pid : host_pids) {
    if (++count <= kMostNamed) pids += (pids.empty() ? "" : ", ") + std::to_string(pid);
  }
  if (count > kMostNamed) pids += " and " + std::to_string(count - kMostNamed) + " more";
  return (count == 1 ? "a process outside this container (pid " : "processes outside this container (pids ") + pids + " on the host)";
}

std::string named(unsigned pid, const std::string& name, const std::set<unsigned>& host_pids) {
  if (pid == kHidden) return named_hidden(host_pids);
  return (name.empty() ? "a process" : name) + " (pid " + std::to_string(pid) + ")";
}

bool are_outliers_many(const Document::Outliers& found) {
  return found.outliers >= kLeastOutliers &&
         static_cast<double>(found.outliers) > kHealthyOutlierShare * static_cast<double>(found.samples);
}

std::string counted(const Document::Outliers& found) {
  return std::to_string(found.outliers) + " of " + std::to_string(found.samples) + " samples are outliers";
}

}  // namespace

std::optional<std::uint64_t> hidden_bytes(const Occupancy& occupancy) {
  if (!occupancy.processes || !occupancy.used_bytes) return std::nullopt;
  std::uint64_t known = 0;
  for (const auto& process : *occupancy.processes) {
    if (!process.bytes) return std::nullopt;
    known += *process.bytes;
  }
  return *occupancy.used_bytes > known ? *occupancy.used_bytes - known : 0;
}

std::string holders(const Occupancy& occupancy, unsigned own_pid) {
  std::vector<GpuProcess> all = occupancy.processes.value_or(std::vector<GpuProcess>{});
  std::set<unsigned> outside = occupancy.at_work;
  outside.erase(own_pid);
  for (const auto& process : all) outside.erase(process.pid);
  all.erase(std::remove_if(all.begin(), all.end(), [&](const GpuProcess& one) { return one.pid == own_pid; }), all.end());
  if (const auto hidden = hidden_bytes(occupancy); hidden >= kLeastHidden) all.push_back({kHidden, "", hidden});
  std::sort(all.begin(), all.end(), [](const GpuProcess& a, const GpuProcess& b) { return a.bytes > b.bytes; });
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), kMostNamed); ++i) {
    text += (text.empty() ? "" : ", ") + named(all[i].pid, all[i].name, outside) + " holds " +
            (all[i].bytes ? mebibytes(*all[i].bytes) : "memory, nobody says how much");
  }
  return text;
}

Neighbours::Neighbours(std::string gpu, unsigned own_pid, const Occupancy& at_start, bool shares_memory)
    : gpu_(std::move(gpu)), own_pid_(own_pid), shares_memory_(shares_memory), readable_(at_start.processes.has_value()) {
  see_hidden(at_start);
}

void Neighbours::look(const Occupancy& occupancy) {
  if (!occupancy.processes) return;
  const auto& processes = *occupancy.processes;
  const auto is_own = [&](const GpuProcess& one) { return one.pid == own_pid_; };
  // Where the driver does not even show this process, its list says nothing: what was there before this process's context counts.
  if (std::none_of(processes.begin(), processes.end(), is_own)) return;
  ++looks_;
  shared_ = false;
  outside_.insert(occupancy.at_work.begin(), occupancy.at_work.end());
  outside_.erase(own_pid_);
  for (const auto& process : processes) {
    if (is_own(process) || is_broker(process)) continue;
    see(process.pid, process.name, process.bytes);
    shared_ = true;
  }
  for (const auto& one : seen_) outside_.erase(one.first);  // also those of this container that have ended
  if (!shares_memory_) return see_hidden(occupancy);
  shared_ = shared_ || seen_.count(kHidden) > 0;
}

void Neighbours::see_hidden(const Occupancy& occupancy) {
  const auto hidden = hidden_bytes(occupancy);
  if (!hidden) return;
  hidden_.insert(*hidden);
  if (*hidden < kLeastHidden) return;
  see(kHidden, "", hidden);
  shared_ = true;
}

void Neighbours::see(unsigned pid, const std::string& name, const std::optional<std::uint64_t>& bytes) {
  auto& seen = seen_.try_emplace(pid, Seen{name, looks_, looks_, 0, bytes, bytes}).first->second;
  seen.last_look = looks_;
  ++seen.looks;
  if (!bytes) return;
  seen.least_bytes = std::min(seen.least_bytes.value_or(*bytes), *bytes);
  seen.most_bytes = std::max(seen.most_bytes.value_or(*bytes), *bytes);
}

// Without the largest and the smallest, which may be readings that this process's own allocations came between.
std::uint64_t Neighbours::hidden_change() const {
  if (hidden_.size() < 4) return 0;
  return *std::prev(hidden_.end(), 2) - *std::next(hidden_.begin());
}

void Neighbours::rested(unsigned busy_percent) { most_busy_percent_ = std::max(most_busy_percent_, busy_percent); }

std::string Neighbours::describe(unsigned pid, const Seen& seen) const {
  return named(pid, seen.name, outside_) + (seen.most_bytes ? " with " + mebibytes(*seen.most_bytes) : "");
}

// What it did during the measurement, by which it must have used the GPU. What cannot be seen is only the difference of two
// readings, which this process's own allocations may come between: one look does not count there, nor does memory that swings about
// what is enough for a process.
std::string Neighbours::movement(unsigned pid, const Seen& seen) const {
  const unsigned doubtful = pid == kHidden ? 1 : 0;
  if (seen.looks <= doubtful) return "";
  if (pid == kHidden && hidden_change() < kLeastHidden) return "";
  if (seen.first_look > 1 + doubtful) return "started";
  if (seen.last_look + doubtful < looks_) return "ended";
  if (pid != kHidden && seen.most_bytes.value_or(0) - seen.least_bytes.value_or(0) >= kLeastChange) return "allocated memory";
  return "";
}

std::string Neighbours::present() const {
  std::string text;
  std::size_t count = 0;
  for (const auto& [pid, seen] : seen_) {
    if (++count <= kMostNamed) text += (text.empty() ? "" : ", ") + describe(pid, seen);
  }
  if (count > kMostNamed) text += " and " + std::to_string(count - kMostNamed) + " more";
  return text.empty() ? "" : gpu_ + ": " + text;
}

std::string Neighbours::disturbance(const Document::Outliers& outliers) const {
  if (seen_.empty()) return "";
  if (most_busy_percent_ > 0) {
    return present() + " kept it busy " + std::to_string(most_busy_percent_) + " % of the time while this program let it rest, " +
           counted(outliers);
  }
  for (const auto& [pid, seen] : seen_) {
    const std::string moved = movement(pid, seen);
    if (!moved.empty()) return gpu_ + ": " + describe(pid, seen) + " " + moved + " during the measurement, " + counted(outliers);
  }
  if (are_outliers_many(outliers)) return present() + " was there while " + counted(outliers);
  return "";
}

void report_neighbours(const std::vector<Neighbours>& neighbours, Document& doc) {
  const auto is_readable = [](const Neighbours& one) { return one.is_readable(); };
  if (std::none_of(neighbours.begin(), neighbours.end(), is_readable)) return;
  std::string message;
  for (const auto& each : neighbours) {
    const std::string by_whom = each.disturbance(doc.outliers_of(each.gpu()));
    if (!by_whom.empty()) {
      message += (message.empty() ? "" : "; ") + by_whom;
    } else if (!each.present().empty()) {
      doc.note(each.present() + " was there and did not use it");
    }
  }
  doc.check("undisturbed", message.empty(), message);
}

}  // namespace assay::cuda
