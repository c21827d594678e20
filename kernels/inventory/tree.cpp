#include "inventory/tree.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace assay::inventory {
namespace {

namespace fs = std::filesystem;

bool only_digits(const std::string& text) {
  return !text.empty() && text.size() < 9 && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

std::string Tree::bytes(const std::string& path) const {
  std::ifstream file(root_ + path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

std::string Tree::text(const std::string& path) const {
  const std::string all = bytes(path);
  const auto first = all.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return all.substr(first, all.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<std::int64_t> Tree::number(const std::string& path) const {
  const std::string content = text(path);
  char* end = nullptr;
  const std::int64_t value = std::strtoll(content.c_str(), &end, content.compare(0, 2, "0x") == 0 ? 16 : 10);
  if (end == content.c_str()) return std::nullopt;
  return value;
}

std::vector<std::string> Tree::list(const std::string& path) const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(root_ + path, error), end; !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<int> Tree::numbered(const std::string& path, const std::string& prefix) const {
  std::vector<int> numbers;
  for (const std::string& name : list(path)) {
    if (name.compare(0, prefix.size(), prefix) != 0 || !only_digits(name.substr(prefix.size()))) continue;
    numbers.push_back(std::stoi(name.substr(prefix.size())));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

bool Tree::exists(const std::string& path) const {
  std::error_code error;
  return fs::exists(root_ + path, error);
}

bool Tree::readable(const std::string& path) const {
  const int file = ::open((root_ + path).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  ::close(file);
  return true;
}

std::string Tree::target(const std::string& path) const {
  std::error_code error;
  return fs::read_symlink(root_ + path, error).filename().string();
}

}  // namespace assay::inventory
