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
  double kept_free = 0.2;  // of the file system: a kubelet removes images where less than 15 % of its own is free, and evicts pods
};

// The size that was asked for, in whole MiB, but so that it and what is verified take at most half of what is free, and leave this share
// of the file system's capacity free. Throws CannotRun where less than 16 MiB remain.
std::int64_t file_bytes(std::int64_t asked, std::int64_t free, std::int64_t capacity, double kept_free);

// fio's arguments: a file is written and read back with checksums; then sequential and random access to another one, which was written from
// end to end, is measured, one after the other, past the page cache. fio's report goes to the file `report`, and both files into
// the folder that fio is started in: it takes a colon in the name of a folder for the end of it.
std::vector<std::string> fio(const std::string& report, std::int64_t bytes, double seconds);

}  // namespace assay::storage
