// The process that stands between a program of ours and one that it starts, and leaves only after everything that came of that.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>

namespace assay {

// What this process must hold back (pthread_sigmask) from before the fork on, or a signal may arrive that nobody heeds.
sigset_t keeper_signals();

// Makes this process, a fresh child of `parent`, the keeper of what `start` makes of a child of its own. A SIGTERM is passed on to that child,
// which has the grace to end; so has what it leaves behind, once that was sent a SIGTERM. Then, or as soon as the parent is gone, comes
// SIGKILL for all descendants, in whatever session they are. Exits with the child's exit code, or with 128 and the signal that ended it.
[[noreturn]] void keep(pid_t parent, std::chrono::milliseconds grace, const std::function<void()>& start);

}  // namespace assay
