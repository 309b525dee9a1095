#include "client/cli/options_digest.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "bvhmill/base/version.h"
#include "bvhmill/digest/sha256.h"
#include "bvhmill/wire/options.h"

namespace bvhmill::client {
namespace {

// Maps have no order of their own.
std::string InFixedOrder(const v1::ConvertOptions& options) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    options.SerializeToCodedStream(&coded);
  }
  return bytes;
}

}  // namespace

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
