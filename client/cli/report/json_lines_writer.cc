#include <memory>
#include <string>

#include "bvhmill/encode/report_json.h"
#include "client/cli/report/renderings.h"
#include "client/cli/ui/json_text.h"

namespace bvhmill::client {
namespace {

// One JSON object for each clip; docs/schema/validate.schema.json is its
// schema.
class JsonLinesWriter final : public ReportWriter {
 public:
  std::string Render(const ClipFinding& clip) const override {
    const ConvertResult& result = clip.result;
    return JsonObject(
               {{"file", JsonPath(clip.path)},
                {"error", clip.error.empty() ? "null" : JsonQuote(clip.error)},
                {"report", clip.is_read ? ReportJson(result.report) : "null"},
                {"info", clip.is_read ? ClipInfoJson(result.info) : "null"},
                {"measures",
                 result.measures ? MeasuresJson(*result.measures) : "null"},
                {"passes", JsonBool(clip.passes)},
                {"known_issues", std::to_string(clip.known_issues)}}) +
           "\n";
  }
};

}  // namespace

std::unique_ptr<ReportWriter> MakeJsonLinesWriter() {
  return std::make_unique<JsonLinesWriter>();
}

}  // namespace bvhmill::client
