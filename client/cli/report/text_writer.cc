#include <memory>
#include <string>

#include "client/cli/report/renderings.h"

namespace bvhmill::client {
namespace {

// Lines in the style of a compiler.
class TextWriter final : public ReportWriter {
 public:
  std::string Render(const ClipFinding& clip) const override {
    // The reason that a clip was not read goes to stderr.
    if (!clip.is_read) return {};
    return ReportText(clip.path, clip.result, clip.known_issues, clip.view);
  }
};

}  // namespace

std::unique_ptr<ReportWriter> MakeTextWriter() {
  return std::make_unique<TextWriter>();
}

}  // namespace bvhmill::client
