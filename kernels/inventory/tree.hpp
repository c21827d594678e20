// The files by which the kernel describes the machine. Paths hang under a root so that tests can make up a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::inventory {

class Tree {
 public:
  explicit Tree(std::string root = "") : root_(std::move(root)) {}

  // Whether this is the machine that the program runs on.
  bool is_real() const { return root_.empty(); }

  // A file's text without the white space around it; empty where it cannot be read.
  std::string text(const std::string& path) const;
  // A file's bytes as they are.
  std::string bytes(const std::string& path) const;
  // The number that a file begins with, decimal or with 0x.
  std::optional<std::int64_t> number(const std::string& path) const;
  // Names in a folder, sorted.
  std::vector<std::string> list(const std::string& path) const;
  // The number behind a prefix, of those names in a folder that have one ("cpu" of "cpu12"), ascending.
  std::vector<int> numbered(const std::string& path, const std::string& prefix) const;
  bool exists(const std::string& path) const;
  // Whether this program may open a file, which is not read: a log may have nothing to say yet, and then a read would wait.
  bool readable(const std::string& path) const;
  // The last part of what a link points to; empty where there is none.
  std::string target(const std::string& path) const;

 private:
  std::string root_;
};

}  // namespace assay::inventory
