#include "client/cli/options_digest.h"

#include "bvhmill/base/version.h"
#include "bvhmill/digest/sha256.h"
#include "bvhmill/wire/options.h"
#include "client/cli/fixed_order.h"

namespace bvhmill::client {
std::string OptionsDigest(const ConvertOptions& options,
                          std::optional<SourceFormat> from,
                          std::string_view engine) {
  Sha256 digest;
  for (const std::string_view part : {Version(), GitCommit(), engine}) {
    digest.Add(part);
    digest.Add("\n");
  }
  if (from) {
    digest.Add(InfoOf(*from).name);
    digest.Add("\n");
  }
  digest.Add(InFixedOrder(wire::ToProto(options)));
  return digest.Finish();
}

}  // namespace bvhmill::client
