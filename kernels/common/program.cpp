#include "common/program.hpp"

#include <ostream>

namespace assay {

int run_program(const std::string& benchmark, std::ostream& out, std::ostream& err,
                const std::function<void(Document&)>& body) {
  Document doc(benchmark);
  try {
    body(doc);
  } catch (const CannotRun& reason) {
    err << benchmark << ": cannot run here: " << reason.what() << std::endl;
    doc.skip(reason.what());
  } catch (const std::exception& error) {
    err << benchmark << ": " << error.what() << std::endl;
    doc.check("completed", false, error.what());
  }
  return doc.finish(out);
}

}  // namespace assay
