#include "mpibench/last_words.hpp"

#include <signal.h>
#include <unistd.h>

namespace assay::mpibench {
namespace {

struct Line {
  int file;
  std::string text;
};

Line last_words{STDOUT_FILENO, ""};
Line last_complaint{STDERR_FILENO, ""};

// Nothing here allocates, locks or throws: the process is in whatever state the fault left it in.
void speak(int) {
  for (const Line* line : {&last_complaint, &last_words}) {
    if (write(line->file, line->text.data(), line->text.size()) < 0) continue;
  }
  _exit(1);
}

}  // namespace

void leave_last_words(const std::string& words, const std::string& complaint) {
  last_words.text = words;
  last_complaint.text = complaint;
  struct sigaction action {};
  action.sa_handler = speak;
  for (const int signal : {SIGSEGV, SIGBUS}) sigaction(signal, &action, nullptr);
}

}  // namespace assay::mpibench
