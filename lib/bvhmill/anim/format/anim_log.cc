#include "bvhmill/anim/format/anim_log.h"

#include <charconv>
#include <utility>

#include "bvhmill/base/utf8.h"

namespace bvhmill {

void AnimLog::Add(IssueCode code, size_t offset, const AnimPlace& place,
                  IssueArgs args, int64_t occurrences) {
  const CatalogueEntry& entry = EntryOf(code);
  plays_ &= entry.lenient != Severity::kError;
  uploads_ &= entry.strict != Severity::kError;
  if (occurrences == 1 && log_->Repeat(code, place.joint)) return;
  Location location;
  location.byte_offset = static_cast<int64_t>(offset);
  if (place.joint >= 0) {
    location.joint = place.joint;
    location.joint_name = ToUtf8(place.joint_name);
  }
  log_->Add(code, location, std::move(args), occurrences);
}

void AnimLog::CheckFinite(float value, std::string_view field, size_t offset,
                          const AnimPlace& place) {
  if (std::isfinite(value)) return;
  Add(IssueCode::ANIM_NOT_FINITE, offset, place,
      {{"field", std::string(field)}});
}

std::string ShowNumber(float value) {
  char buffer[32];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof(buffer), value);
  return {buffer, end};
}

}  // namespace bvhmill
