// Collects what the verification of a program's data found and turns it into the check `dataIntegrity`.
#pragma once

#include <cstddef>
#include <string>

#include "common/cuda/pattern.hpp"
#include "common/document.hpp"

namespace assay::cuda {

class Integrity {
 public:
  // where: "writeBandwidth gpu0->gpu1"
  void expect(const std::string& where, const Mismatch& mismatch) {
    expect(where, mismatch.none(), mismatch.none() ? "" : describe(mismatch));
  }

  void expect(const std::string& where, bool ok, const std::string& what) {
    ++verified_;
    if (ok) return;
    ++wrong_;
    if (wrong_ <= kShown) message_ += (message_.empty() ? "" : "; ") + where + ": " + what;
  }

  void report(Document& doc) const {
    const std::string more = wrong_ > kShown ? "; and " + std::to_string(wrong_ - kShown) + " more" : "";
    doc.check("dataIntegrity", wrong_ == 0 && verified_ > 0, verified_ == 0 ? "nothing was verified" : message_ + more);
  }

 private:
  static constexpr std::size_t kShown = 3;  // the document has to stay small
  std::size_t verified_ = 0;
  std::size_t wrong_ = 0;
  std::string message_;
};

}  // namespace assay::cuda
