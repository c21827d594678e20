// What a process still prints when MPI kills it by touching memory that it cannot: an MPI that says that it takes GPU memory may
// have chosen a transport that does not, and reads GPU addresses with the processor.
#pragma once

#include <string>

namespace assay::mpibench {

// From now on, a segmentation fault writes `words` to stdout, `complaint` to stderr, and ends the process with exit code 1.
void leave_last_words(const std::string& words, const std::string& complaint);

}  // namespace assay::mpibench
