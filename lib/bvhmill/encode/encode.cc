#include "bvhmill/encode/encode.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace bvhmill {
namespace {

template <typename, typename... Rows>
constexpr bool kAreAlternatives =
    std::is_same_v<FormatOptions, std::variant<Rows...>>;

#define BVHMILL_ALTERNATIVE(Name, ...) , Name##Format
static_assert(kAreAlternatives<void BVHMILL_FORMATS(BVHMILL_ALTERNATIVE)>,
              "BVHMILL_FORMATS has one row for each alternative of "
              "FormatOptions, in the same order");

#define BVHMILL_ROW(Name, name, media_type, extension, cost) \
  {name, media_type, extension, FormatCost::cost, Name##Format{}},
const std::array<Format, std::variant_size_v<FormatOptions>> kFormats = {
    {BVHMILL_FORMATS(BVHMILL_ROW)}};

struct Checker {
#define BVHMILL_CHECK(Name, ...)                              \
  absl::Status operator()(const Name##Format& format) const { \
    return Check##Name##Format(format);                       \
  }
  BVHMILL_FORMATS(BVHMILL_CHECK)
};

struct Describer {
  const Skeleton& skeleton;
  int64_t frames;
  OutputInfo* info;
#define BVHMILL_DESCRIBE(Name, ...)                                \
  int64_t operator()(const Name##Format& format) const {           \
    return Describe##Name##Format(format, skeleton, frames, info); \
  }
  BVHMILL_FORMATS(BVHMILL_DESCRIBE)
};

struct Writer {
  const EncodeContext& context;
  Sink* sink;
#define BVHMILL_WRITE(Name, ...)                              \
  absl::Status operator()(const Name##Format& format) const { \
    return Encode##Name##Format(format, context, sink);       \
  }
  BVHMILL_FORMATS(BVHMILL_WRITE)
};

}  // namespace

std::span<const Format> Formats() { return kFormats; }

const Format* FindFormat(std::string_view name) {
  const auto it =
      std::find_if(kFormats.begin(), kFormats.end(),
                   [&](const Format& format) { return format.name == name; });
  return it == kFormats.end() ? nullptr : &*it;
}

const Format& FormatOf(const FormatOptions& options) {
  return kFormats[options.index()];
}

std::string_view OutputId(const OutputRequest& request) {
  return request.id.empty() ? FormatOf(request.format).name
                            : std::string_view(request.id);
}

absl::Status CheckFormat(const FormatOptions& options) {
  return std::visit(Checker{}, options);
}

int64_t DescribeFormat(const FormatOptions& options, const Skeleton& skeleton,
                       int64_t frames, OutputInfo* info) {
  return std::visit(Describer{skeleton, frames, info}, options);
}

absl::Status Encode(const FormatOptions& options, const EncodeContext& context,
                    Sink* sink) {
  return std::visit(Writer{context, sink}, options);
}

}  // namespace bvhmill
