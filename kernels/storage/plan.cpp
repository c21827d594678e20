#include "storage/plan.hpp"

#include <algorithm>
#include <cmath>

#include "common/program.hpp"

namespace assay::storage {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kLeastBytes = 16 * kMiB;
constexpr std::int64_t kVerifiedBytes = 256 * kMiB;

}  // namespace

std::int64_t file_bytes(std::int64_t asked, std::int64_t free, std::int64_t capacity, double kept_free) {
  const auto kept = static_cast<std::int64_t>(kept_free * static_cast<double>(capacity));
  const std::int64_t room = std::min(free / 2, free - kept);  // of both files
  const std::int64_t bytes = std::min(asked, room - std::min(room / 2, kVerifiedBytes)) / kMiB * kMiB;
  if (bytes < kLeastBytes) {
    throw CannotRun("the file system has " + std::to_string(free / kMiB) + " of " + std::to_string(capacity / kMiB) +
                    " MiB free: half of that may be used, " + std::to_string(kept / kMiB) + " MiB stay free, and at least " +
                    std::to_string(kLeastBytes / kMiB) + " MiB are needed");
  }
  return bytes;
}

std::vector<std::string> fio(const std::string& report, std::int64_t bytes, double seconds) {
  const auto milliseconds = std::to_string(static_cast<std::int64_t>(std::lround(seconds * 1000))) + "ms";
  std::vector<std::string> words = {"fio", "--output-format=json", "--output=" + report, "--ioengine=libaio", "--direct=1",
                                    "--name=verify", "--filename=verified", "--size=" + std::to_string(std::min(bytes, kVerifiedBytes)),
                                    "--rw=write", "--bs=1m", "--iodepth=16", "--verify=crc32c", "--verify_fatal=1"};
  const auto measure = [&](const std::string& name, const std::string& pattern, const std::string& block, const std::string& depth) {
    for (const auto& word : {"--name=" + name, std::string("--stonewall"), std::string("--filename=measured"), "--size=" + std::to_string(bytes),
                             "--rw=" + pattern, "--bs=" + block, "--iodepth=" + depth, "--runtime=" + milliseconds, std::string("--time_based")}) {
      words.push_back(word);
    }
  };
  measure("sequentialWrite", "write", "1m", "16");
  // Else fio only reserves the file. What was never written is read at the speed of memory, so that a slow disk would look fast.
  words.push_back("--overwrite=1");
  measure("sequentialRead", "read", "1m", "16");
  measure("randomRead", "randread", "4k", "32");
  measure("randomWrite", "randwrite", "4k", "32");
  return words;
}

}  // namespace assay::storage
