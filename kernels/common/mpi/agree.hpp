// What the ranks of an MPI program settle together. All ranks call these, in the same order.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/program.hpp"
#include "common/stop.hpp"

namespace assay::mpi {

inline int rank_in(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

inline int rank_on_host() {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  const int rank = rank_in(host);
  MPI_Comm_free(&host);
  return rank;
}

// Text of a fixed size, as it travels; longer text is cut.
using Text = std::array<char, 512>;
inline Text text_of(const std::string& text) {
  Text fixed{};
  text.copy(fixed.data(), fixed.size() - 1);
  return fixed;
}

// What the first rank that complains says, with its number; empty where no rank complains. The same on all ranks.
inline std::string first_complaint(const std::string& own) {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int candidate = own.empty() ? size : rank_in(MPI_COMM_WORLD);
  int first = size;
  MPI_Allreduce(&candidate, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == size) return "";
  Text text = text_of(own);
  MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, first, MPI_COMM_WORLD);
  return "rank " + std::to_string(first) + ": " + text.data();
}

// How many ranks have this name.
inline int ranks_with(const std::string& name) {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const Text own = text_of(name);
  std::vector<Text> all(static_cast<std::size_t>(size));
  MPI_Allgather(own.data(), static_cast<int>(own.size()), MPI_CHAR, all.data(), static_cast<int>(own.size()), MPI_CHAR, MPI_COMM_WORLD);
  return static_cast<int>(std::count(all.begin(), all.end(), own));
}

// How a step ended, the worst last.
enum Outcome : int { kDone, kCannotRun, kNotComparable, kStopped, kFailed, kDriverTooOld, kDevicesUnusable, kHardwareFault };

template <typename Step>
Outcome outcome_of(Step&& step, std::string& complaint) {
  const auto ended = [&](Outcome outcome, const std::exception& why) {
    complaint = why.what();
    return outcome;
  };
  try {
    step();
    return kDone;
  } catch (const CannotRun& why) {
    return ended(kCannotRun, why);
  } catch (const NotComparable& why) {
    return ended(kNotComparable, why);
  } catch (const Stopped& why) {
    return ended(kStopped, why);
  } catch (const DriverTooOld& why) {
    return ended(kDriverTooOld, why);
  } catch (const DevicesUnusable& why) {
    return ended(kDevicesUnusable, why);
  } catch (const HardwareFault& why) {
    return ended(kHardwareFault, why);
  } catch (const std::exception& why) {
    return ended(kFailed, why);
  }
}

// A step that may fail on some ranks only: where it does, all throw the worst of what was thrown. So the first rank can name the
// reason in its document, and none is left waiting for another. The step itself must not wait for others.
template <typename Step>
void together(Step&& step) {
  std::string complaint;
  const int own = outcome_of(step, complaint);
  int worst = kDone;
  MPI_Allreduce(&own, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (worst == kDone) return;
  const std::string first = first_complaint(own == worst ? complaint : "");
  switch (worst) {
    case kCannotRun: throw CannotRun(first);
    case kNotComparable: throw NotComparable(first);
    case kStopped: throw Stopped(first);
    case kDriverTooOld: throw DriverTooOld(first);
    case kDevicesUnusable: throw DevicesUnusable(first);
    case kHardwareFault: throw HardwareFault(first);
    default: throw std::runtime_error(first);
  }
}

}  // namespace assay::mpi
