#include "common/program.hpp"

#include <cstdio>
#include <optional>
#include <ostream>
#include <sstream>

#include "common/exit_codes.hpp"
#include "common/stop.hpp"

namespace assay {
namespace {

void report_stop(const std::string& benchmark, std::ostream& err, Document& doc) {
  char text[96];
  std::snprintf(text, sizeof text, "stopped by %s after %.1f s, before all was measured", stop_signal().c_str(),
                doc.elapsed_seconds());
  err << benchmark << ": " << text << std::endl;
  doc.check("finished", false, text);
}

// Runs the body. What it throws becomes what the document says of it, and so does a stop. Returns the exit code that the error asks for,
// where that does not follow from the document.
std::optional<int> run_body(const std::string& benchmark, std::ostream& err, Document& doc, const std::function<void()>& body) {
  std::optional<int> code;
  try {
    body();
  } catch (const CannotRun& reason) {
    err << benchmark << ": cannot run here: " << reason.what() << std::endl;
    doc.skip(reason.what());
  } catch (const DriverTooOld& reason) {
    err << benchmark << ": " << reason.what() << std::endl;
    doc.check("completed", false, reason.what());
    code = exit_code::kDriverTooOld;
  } catch (const DevicesUnusable& reason) {
    err << benchmark << ": " << reason.what() << std::endl;
    doc.check("devicesUsable", false, reason.what());
  } catch (const HardwareFault& fault) {
    err << benchmark << ": " << fault.what() << std::endl;
    doc.check("hardware", false, fault.what());
  } catch (const NotComparable& reason) {
    err << benchmark << ": " << reason.what() << std::endl;
    doc.check("comparable", false, reason.what());
  } catch (const Stopped& reason) {
    // Told below, as for bodies that end by themselves when they are told to; unless it was another process that was told.
    if (!stop_requested()) doc.check("finished", false, reason.what());
  } catch (const std::exception& error) {
    err << benchmark << ": " << error.what() << std::endl;
    doc.check("completed", false, error.what());
  }
  if (stop_requested()) report_stop(benchmark, err, doc);
  return code;
}

int finish(Document& doc, std::ostream& out, const std::optional<int>& wanted) {
  const int code = doc.finish(out);
  return wanted && out ? *wanted : code;
}

}  // namespace

int run_program(const std::string& benchmark, std::ostream& out, std::ostream& err,
                const std::function<void(Document&)>& body) {
  const WatchForStop watch;
  Document doc(benchmark);
  const auto wanted = run_body(benchmark, err, doc, [&] { body(doc); });
  return finish(doc, out, wanted);
}

int run_reporter(const std::string& benchmark, std::ostream& out, std::ostream& err,
                 const std::function<int(std::ostream&)>& body, AfterStop after_stop) {
  const WatchForStop watch;
  Document doc(benchmark);
  std::ostringstream report;
  std::optional<int> code;
  const auto wanted = run_body(benchmark, err, doc, [&] { code = body(report); });
  if (code && (!stop_requested() || after_stop == AfterStop::Report)) {
    out << report.str() << std::flush;
    return out ? *code : exit_code::kFailed;
  }
  err << report.str() << std::flush;
  return finish(doc, out, wanted);
}

}  // namespace assay
