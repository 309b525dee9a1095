#include "bvhmill/wire/source.h"

#include <string>

namespace bvhmill::wire {

std::optional<SourceFormat> FromProto(v1::SourceFormat format) {
  if (format == v1::SOURCE_FORMAT_UNSPECIFIED) return SourceFormat::kBvh;
  return SourceFormatOfNumber(static_cast<int>(format));
}

v1::SourceFormat ToProto(SourceFormat format) {
  return format == SourceFormat::kBvh ? v1::SOURCE_FORMAT_UNSPECIFIED
                                      : static_cast<v1::SourceFormat>(format);
}

void ToProto(const SourceFormatInfo& info, v1::SourceFormatInfo* out) {
  out->set_format(static_cast<v1::SourceFormat>(info.format));
  out->set_name(std::string(info.name));
  out->set_media_type(std::string(info.media_type));
  out->set_file_extension(std::string(info.extension));
}

}  // namespace bvhmill::wire
