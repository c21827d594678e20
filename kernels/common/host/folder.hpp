// A folder for the files of another program, gone with this object.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace assay {

class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& program, const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string name = (parent / ("assay-" + program + "-XXXXXX")).string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(std::string("making a folder: ") + std::strerror(errno));
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace assay
