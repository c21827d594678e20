#include "inventory/facts.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace assay::inventory {

void tell(const std::vector<Part>& parts, Document& doc) {
  std::vector<std::string> names;
  for (const Part& part : parts) {
    for (const auto& [name, value] : part.facts_) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  for (const std::string& name : names) {
    for (const Part& part : parts) {
      for (const auto& [known, value] : part.facts_) {
        if (known == name) doc.fact(name, part.at_, value);
      }
    }
  }
}

std::string distinct(const std::vector<std::string>& values) {
  std::vector<std::string> seen;
  std::string text;
  for (const std::string& value : values) {
    if (std::find(seen.begin(), seen.end(), value) != seen.end()) continue;
    seen.push_back(value);
    text += (text.empty() ? "" : ", ") + value;
  }
  return text;
}

std::string bounded(const std::string& text) {
  constexpr std::size_t kMost = 128;
  if (text.size() <= kMost) return text;
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  char end[16];
  std::snprintf(end, sizeof end, "...%08x", static_cast<unsigned>(hash));
  return text.substr(0, kMost - 11) + end;
}

}  // namespace assay::inventory
