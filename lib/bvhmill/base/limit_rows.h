#pragma once

// The table limits.inc as data, for flags, documentation and tests: the name,
// default, unit, range and help of each limit on a clip.
//
//   for (const LimitRow<Limits>& row : kClipLimits) {
//     AddFlag(FlagOfLimit(row.name), &(limits.*row.member), row.help);
//   }
//
// The server has more rows of the same type, in server/app/config.h.

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

// The groups of --help and the tables of docs/. Groups from kStreams on are for
// the server only.
enum class LimitGroup {
  kClips,
  kStreams,
  kInFlight,
  kShares,
  kConnections,
  kJobs
};

// The values that a flag accepts.
struct LimitRange {
  int64_t least = 0;
  int64_t most = std::numeric_limits<int64_t>::max();
};

inline constexpr LimitRange kAnyLimit = {};
// For limits that are 32-bit fields of messages.
inline constexpr LimitRange kInt32Limit = {0,
                                           std::numeric_limits<int32_t>::max()};
// For leases, in seconds. A lease is renewed several times.
inline constexpr LimitRange kLeaseLimit = {1, 86'400};
// For the size of chunks, which must fit a message of gRPC's default size.
inline constexpr LimitRange kChunkLimit = {int64_t{1} << 10, int64_t{4} << 20};

// One limit, which is the member `member` of Struct.
template <typename Struct>
struct LimitRow {
  // The name of the member, and of the field of bvhmill.v1.Limits.
  std::string_view name;
  int64_t Struct::*member;
  // The default.
  int64_t value;
  LimitUnit unit;
  LimitRange range;
  LimitSetter setter;
  // True if GetServerInfo states the limit.
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
