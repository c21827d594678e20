#include "gromacs-gpu/log.hpp"

#include <cmath>
#include <cstdlib>
#include <istream>
#include <sstream>
#include <vector>

namespace assay::gromacs {
namespace {

constexpr std::size_t kColumn = 15;          // how wide mdrun prints each energy
constexpr std::size_t kLongestVersion = 64;  // the rest of a garbled line belongs into no document

std::optional<double> number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::string rest = end;
  const bool whole = end != text.c_str() && (rest.empty() || rest == "%" || rest == "%.");
  return whole && std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> all;
  for (std::string word; in >> word;) all.push_back(word);
  return all;
}

// What follows `name` in a line that begins with it.
std::optional<std::string> after(const std::string& line, const std::string& name) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos || line.compare(begin, name.size(), name) != 0) return std::nullopt;
  const std::size_t value = line.find_first_not_of(' ', begin + name.size());
  return value == std::string::npos ? "" : line.substr(value, line.find_last_not_of(" \r") + 1 - value);
}

void read_number(const std::string& line, const std::string& name, std::size_t word, std::optional<double>& value) {
  const auto rest = after(line, name);
  if (!rest) return;
  const auto all = words(*rest);
  value = word < all.size() ? number(all[word]) : std::nullopt;
}

// "PME mesh" or "PME GPU mesh", with a star where ranks of their own do it; the last column is its share.
void read_pme_share(const std::string& line, std::optional<double>& share) {
  for (const char* name : {"PME mesh ", "PME GPU mesh "}) {
    const auto rest = after(line, name);
    if (rest && !words(*rest).empty() && line.find(':') == std::string::npos) share = number(words(*rest).back());
  }
}

class Averages {
 public:
  // Below a line of names stands one of values, in columns.
  void read(const std::string& line, std::optional<double>& temperature) {
    if (line.find("A V E R A G E S") != std::string::npos) begun_ = true;
    if (!begun_) return;
    for (std::size_t at = 0; at + kColumn <= names_.size(); at += kColumn) {
      const auto name = words(names_.substr(at, kColumn));
      if (name != std::vector<std::string>{"Temperature"}) continue;
      const auto value = at < line.size() ? words(line.substr(at, kColumn)) : std::vector<std::string>{};
      temperature = value.size() == 1 ? number(value[0]) : std::nullopt;
    }
    names_ = line;
  }

 private:
  bool begun_ = false;
  std::string names_;
};

}  // namespace

Figures read_log(std::istream& log) {
  Figures figures;
  Averages averages;
  for (std::string line; std::getline(log, line);) {
    averages.read(line, figures.temperature);
    if (const auto version = after(line, "GROMACS version:")) figures.version = version->substr(0, kLongestVersion);
    if (const auto support = after(line, "GPU support:")) figures.gpu_support = support->substr(0, kLongestVersion);
    read_number(line, "There are:", 0, figures.atoms);
    read_number(line, "Performance:", 0, figures.rate);
    read_number(line, "Time:", 1, figures.seconds);
    read_number(line, "Average load imbalance:", 0, figures.imbalance);
    read_number(line, "Average PME mesh/force load:", 0, figures.pme_force_ratio);
    read_number(line, "Conserved energy drift:", 0, figures.drift);
    read_pme_share(line, figures.pme_share);
    // LINCS keeps bonds, and SETTLE rigid water.
    if (line.find("LINCS WARNING") != std::string::npos || line.find("can not be settled.") != std::string::npos) ++figures.constraint_warnings;
    if (after(line, "Finished mdrun on rank 0")) figures.ended = true;
  }
  if (figures.drift) figures.drift = std::fabs(*figures.drift);
  return figures;
}

}  // namespace assay::gromacs
