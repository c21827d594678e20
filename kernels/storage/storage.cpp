// Measures a file system by fio: makes a folder of its own in it, lets fio write and read two files there, removes the folder, and prints
// fio's own report unchanged on stdout. It touches nothing else.
#include <filesystem>
#include <iostream>

#include "common/args.hpp"
#include "common/host/folder.hpp"
#include "common/host/process.hpp"
#include "common/program.hpp"
#include "storage/plan.hpp"

namespace {

namespace fs = std::filesystem;
using namespace assay;

int run(const storage::Options& options, std::ostream& out) {
  if (!fs::is_directory(options.folder)) throw CannotRun(options.folder + " is no folder: mount the file system there");
  const TemporaryFolder folder("storage", options.folder);
  const fs::space_info space = fs::space(folder.path());
  const std::int64_t bytes =
      storage::file_bytes(options.bytes, static_cast<std::int64_t>(space.available), static_cast<std::int64_t>(space.capacity), options.kept_free);
  std::cerr << "storage: a file of " << (bytes >> 20) << " MiB in " << folder.path().string() << ", four times " << options.seconds << " s" << std::endl;
  const TemporaryFolder reports("storage-report");
  const fs::path report = reports.path() / "fio.json";
  const int code = run_to_end({storage::fio(report.string(), bytes, options.seconds), folder.path()});
  if (code == kNotInstalled) throw CannotRun("fio is not installed");
  return pass_on(report, "fio", code, out);
}

}  // namespace

int main(int argc, char** argv) {
  storage::Options options;
  Args args("storage", "A file system by fio: sequential and random, reads and writes, past the page cache, and data that is verified; prints "
                       "fio's own report. Writes only into a folder that it makes, and removes that.");
  args.text("--folder", options.folder, "a folder of the file system that is measured");
  args.bytes(options.bytes, 16 << 20, std::int64_t{1} << 42, "size of the file that is measured; at most half of what is free is used");
  args.number("--keep-free", options.kept_free, 0, 0.99, "share of the file system that stays free");
  args.number("--seconds", options.seconds, 0.1, 3600, "time of each of the four measurements");
  if (const auto code = args.parse(argc, argv)) return *code;
  return run_reporter("storage", std::cout, std::cerr, [&](std::ostream& report) { return run(options, report); });
}
