#pragma once

// The rows of limits.inc as data: for flags, pages and tests. The server has
// more rows of the same type, in server/app/limit_rows.h.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "bvhmill/base/limits.h"

namespace bvhmill {

enum class LimitUnit { kCount, kBytes, kBytesPerSecond, kSeconds, kWork };

// The parties that may set a limit.
enum class LimitSetter {
  // The operator of a server.
  kOperator,
  // The operator; and the user of the command line, for a conversion in its own
  // process.
  kOperatorOrLocalUser,
  // The operator; a request may ask for a lower value.
  kOperatorOrRequest,
};

// The groups of --help, and the tables of docs/. Groups from kStreams on are of
// the server only.
enum class LimitGroup {
  kClips,
  kStreams,
  kInFlight,
  kShares,
  kConnections,
  kJobs
};

// The values that a flag takes.
struct LimitRange {
  int64_t least = 0;
  int64_t most = std::numeric_limits<int64_t>::max();
};

inline constexpr LimitRange kAnyLimit = {};
// For limits that messages hold in 32 bits.
inline constexpr LimitRange kInt32Limit = {0,
                                           std::numeric_limits<int32_t>::max()};
// For the size of chunks, which must fit a message of gRPC's default size.
// A lease is renewed several times.
inline constexpr LimitRange kLeaseLimit = {1, 86'400};
inline constexpr LimitRange kChunkLimit = {int64_t{1} << 10, int64_t{4} << 20};

// A limit that is a member of Struct.
template <typename Struct>
struct LimitRow {
  // The name of the member and of the field of bvhmill.v1.Limits.
  std::string_view name;
  int64_t Struct::*member;
  int64_t value;
  LimitUnit unit;
  LimitRange range;
  LimitSetter setter;
  // GetServerInfo states the limit.
  bool shown;
  LimitGroup group;
  std::string_view help;
};

inline constexpr bool kLimitIsShown = true;
inline constexpr bool kLimitIsHidden = false;

#define BVHMILL_LIMIT_ROW(owner, name, value, unit, range, setter, shown, \
                          group, help)                                    \
  {#name, &owner::name,        value,           LimitUnit::unit,          \
   range, LimitSetter::setter, kLimitIs##shown, LimitGroup::group,        \
   help},

// All limits on one clip, in the order of limits.inc.
inline constexpr LimitRow<Limits> kClipLimits[] = {
#define BVHMILL_CLIP_LIMIT(...) BVHMILL_LIMIT_ROW(Limits, __VA_ARGS__)
#include "bvhmill/base/limits.inc"
};

// The flag that sets a limit: "--max-joints" for max_joints.
inline std::string FlagOfLimit(std::string_view name) {
  std::string flag = "--" + std::string(name);
  for (char& c : flag) {
    if (c == '_') c = '-';
  }
  return flag;
}

// The name of the value in help: "BYTES", "SECONDS" or "N".
constexpr const char* ValueName(LimitUnit unit) {
  switch (unit) {
    case LimitUnit::kBytes:
    case LimitUnit::kBytesPerSecond:
      return "BYTES";
    case LimitUnit::kSeconds:
      return "SECONDS";
    case LimitUnit::kCount:
    case LimitUnit::kWork:
      break;
  }
  return "N";
}

}  // namespace bvhmill
