// Any query is read as options that the API can carry, or is refused with the
// name of one of its parameters.

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "bvhmill/base/status.h"
#include "bvhmill/wire/options.h"
#include "server/http/clip_query.h"
#include "tests/fuzz/bytes.h"

namespace {

using bvhmill::fuzz::Require;

// NAME=VALUE, separated by "&", without percent signs.
std::multimap<std::string, std::string> ParamsOf(std::string_view text) {
  std::multimap<std::string, std::string> params;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const size_t equals = std::min(one.find('='), one.size());
    params.emplace(one.substr(0, equals),
                   one.substr(std::min(one.size(), equals + 1)));
  }
  return params;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  bvhmill::server::ClipQuery query;
  const absl::Status read =
      bvhmill::server::ReadClipQuery(ParamsOf(text), &query);
  if (!read.ok()) {
    Require(absl::IsInvalidArgument(read));
    Require(bvhmill::server::HttpStatusOf(read, false) == 400);
    return 0;
  }
  // What the server would receive is accepted there.
  bvhmill::ConvertOptions again;
  const absl::Status sent =
      bvhmill::wire::FromProto(bvhmill::wire::ToProto(query.options), &again);
  Require(sent.ok());
  return 0;
}
