#include "lammps/log.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>

namespace assay::lammps {
namespace {

bool starts_with(const std::string& text, const std::string& start) { return text.compare(0, start.size(), start) == 0; }

std::optional<State> state_of(const std::string& line) {
  State state;
  if (std::sscanf(line.c_str(), "assay state %lf %lf %lf", &state.temperature, &state.potential, &state.total) != 3) return std::nullopt;
  return state;
}

std::optional<Loop> loop_of(const std::string& line, std::int64_t& ranks) {
  Loop loop;
  const int read = std::sscanf(line.c_str(), "Loop time of %lf on %" SCNd64 " procs for %" SCNd64 " steps with %" SCNd64 " atoms",
                               &loop.seconds, &ranks, &loop.steps, &loop.atoms);
  if (read != 4 || !(loop.seconds > 0) || loop.steps <= 0 || loop.atoms <= 0) return std::nullopt;
  return loop;
}

// The last column of a row of the table of times.
std::optional<double> share_of(const std::string& line) {
  double share = 0;
  const auto bar = line.rfind('|');
  if (bar == std::string::npos || std::sscanf(line.c_str() + bar + 1, "%lf", &share) != 1) return std::nullopt;
  return share;
}

// Reads line by line. What is timed is the last loop between a measured state and `assay end`.
class Reader {
 public:
  void line(const std::string& text) {
    if (log.version.empty() && starts_with(text, "LAMMPS (")) log.version = text.substr(8, text.find(')') - 8);
    if (starts_with(text, "ERROR") && log.error.empty()) log.error = text.substr(0, 200);
    if (starts_with(text, "assay case ")) begin(text.substr(11));
    if (log.cases.empty()) return;
    if (starts_with(text, "assay state ")) (measured_ ? log.cases.back().measured : log.cases.back().reference) = state_of(text);
    if (starts_with(text, "assay end")) log.cases.back().loop = loop_;
    if (starts_with(text, "Loop time of ")) loop_ = loop_of(text, log.ranks);
    if (loop_ && starts_with(text, "Pair ")) loop_->pair_share = share_of(text);
    if (loop_ && starts_with(text, "Comm ")) loop_->communication_share = share_of(text);
  }
  Log log;

 private:
  void begin(const std::string& what) {
    const std::string name = what.substr(0, what.find(' '));
    measured_ = what == name + " measured";
    if (log.cases.empty() || log.cases.back().name != name) log.cases.push_back({name, {}, {}, {}});
    loop_.reset();
  }
  bool measured_ = false;
  std::optional<Loop> loop_;
};

}  // namespace

Log read_log(std::istream& in) {
  Reader reader;
  for (std::string line; std::getline(in, line);) reader.line(line);
  return reader.log;
}

bool blew_up(const std::string& error) {
  static const std::array<const char*, 6> signs = {"Lost atoms", "Non-numeric", "Out of range atoms", "missing on proc", "Bad FENE bond",
                                                   "Shake determinant"};
  for (const char* sign : signs) {
    if (error.find(sign) != std::string::npos) return true;
  }
  return false;
}

}  // namespace assay::lammps
