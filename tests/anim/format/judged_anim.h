#pragma once

// The verdict of the reader on an .anim file, and its issues.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "bvhmill/anim/format/anim_file.h"

namespace bvhmill::testing {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
// The offset of the joint count in SmallMotion, whose emote is empty.
inline constexpr size_t kJointCountAt = 37;
inline constexpr size_t kRotationCountAt = 53;

struct Judged {
  AnimReadResult result;
  Report report;
};

inline Judged Judge(std::string_view bytes) {
  IssueLog log({});
  Judged judged;
  judged.result = ReadAnim(bytes, {}, &log);
  judged.report = log.Finish(true, judged.result.read);
  return judged;
}

// Each code once, also if several joints have it.
inline std::string CodesOf(const Report& report) {
  std::string codes;
  for (const Issue& issue : report.issues) {
    if (codes.ends_with(issue.code)) continue;
    codes += (codes.empty() ? "" : " ") + issue.code;
  }
  return codes;
}

inline void Poke(size_t place, uint32_t value, std::string* bytes) {
  for (size_t i = 0; i < 4; ++i) {
    (*bytes)[place + i] = static_cast<char>(value >> (8 * i));
  }
}

enum Verdict { kUnread, kRefused, kPlays, kUploads };

inline Verdict VerdictOf(const AnimReadResult& result) {
  if (!result.read) return kUnread;
  if (!result.plays) return kRefused;
  return result.uploads ? kUploads : kPlays;
}

}  // namespace bvhmill::testing
