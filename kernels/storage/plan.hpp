// How large a file fio may write, and what it does with it. Pure: numbers in, numbers and text out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::storage {

struct Options {
  std::string folder = "/tmp";
  std::int64_t bytes = std::int64_t{4} << 30;
  double seconds = 15;  // of each measurement
};

// The size that was asked for, but at most half of what is free, in whole MiB. Throws CannotRun where less than 16 MiB remain.
std::int64_t file_bytes(std::int64_t asked, std::int64_t free);

// fio's arguments: a file is written and read back with checksums; then sequential and random access to another one is measured, one after
// the other, past the page cache. fio's report goes to the file `report`, and both files into `folder`.
std::vector<std::string> fio(const std::string& folder, const std::string& report, std::int64_t bytes, double seconds);

}  // namespace assay::storage
