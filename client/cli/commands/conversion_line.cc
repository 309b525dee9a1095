#include "client/cli/commands/conversion_line.h"

#include "bvhmill/base/status.h"
#include "bvhmill/encode/report_json.h"
#include "client/cli/batch.h"
#include "client/cli/ui/json_text.h"

namespace bvhmill::client {

std::string ConversionLine(const std::string& path, const ConvertResult& result,
                           const std::vector<std::string>& outputs) {
  const bool is_read = HasReport(result);
  const absl::Status& status = FirstFailure(result);
  const std::string message(MessageOf(status));
  return JsonObject(
      {{"file", JsonPath(path)},
       {"status", JsonQuote(absl::StatusCodeToString(status.code()))},
       {"message", status.ok() ? "null" : JsonQuote(message)},
       {"outputs", JsonArray(outputs, JsonPath)},
       {"report", is_read ? ReportJson(result.report) : "null"},
       {"info", is_read ? ClipInfoJson(result.info) : "null"}});
}

}  // namespace bvhmill::client
