#include "common/stop.hpp"

#include <csignal>

namespace assay {
namespace {

volatile std::sig_atomic_t received = 0;

void remember(int signal) { received = signal; }

void handle_by(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGTERM, SIGINT}) sigaction(signal, &action, nullptr);
}

}  // namespace

WatchForStop::WatchForStop() {
  received = 0;
  handle_by(remember);
}

WatchForStop::~WatchForStop() { handle_by(SIG_DFL); }

bool stop_requested() { return received != 0; }

std::string stop_signal() {
  switch (received) {
    case 0: return "";
    case SIGINT: return "SIGINT";
    default: return "SIGTERM";
  }
}

void throw_if_stopped() {
  if (stop_requested()) throw Stopped("stopped by " + stop_signal());
}

}  // namespace assay
