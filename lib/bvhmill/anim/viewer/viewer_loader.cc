#include "bvhmill/anim/viewer/viewer_loader.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/viewer/viewer_number.h"
#include "bvhmill/text/lines.h"

namespace bvhmill {
namespace {

bool Contains(std::string_view line, std::string_view word) {
  return line.find(word) != line.npos;
}

class Loader {
 public:
  // A NUL ends the text.
  explicit Loader(std::string_view text)
      : lines_(text.substr(0, text.find('\0')), {}) {}

  ViewerText Load() {
    out_.status = ReadAll();
    out_.place = line_.start;
    out_.take.values = out_.values;
    return std::move(out_);
  }

 private:
  ViewerTake& take() { return out_.take; }

  // The next line that is not empty. A line of blanks is not empty.
  bool NextLine() {
    while (lines_.Next(&line_)) {
      if (!line_.text.empty()) return true;
    }
    return false;
  }

  ViewerStatus ReadAll() {
    if (!NextLine()) return ViewerStatus::kEof;
    if (!Contains(line_.text, "HIERARCHY")) return ViewerStatus::kNoHierarchy;
    ViewerStatus status = ReadHierarchy();
    if (status == ViewerStatus::kOk) status = ReadHeader();
    if (status == ViewerStatus::kOk) status = ReadRows();
    return status;
  }

  ViewerStatus ReadHierarchy() {
    while (NextLine()) {
      ViewerStatus status = ViewerStatus::kOk;
      if (Contains(line_.text, "}")) {
        if (!open_.empty()) open_.pop_back();
      } else if (Contains(line_.text, "MOTION")) {
        SetDepths(parents_, &take().joints);
        return ViewerStatus::kOk;
      } else if (Contains(line_.text, "ROOT") ||
                 Contains(line_.text, "JOINT")) {
        status = ReadJoint();
      } else if (Contains(line_.text, "End Site")) {
        status = SkipEndSite();
      } else {
        status = ViewerStatus::kNoJoint;
      }
      if (status != ViewerStatus::kOk) return status;
    }
    return ViewerStatus::kEof;
  }

  // Skips its three lines, brace, OFFSET and brace, without a check.
  ViewerStatus SkipEndSite() {
    for (int i = 0; i < 3; ++i) {
      if (!NextLine()) return ViewerStatus::kEof;
    }
    return ViewerStatus::kOk;
  }

  ViewerStatus ReadJoint() {
    size_t index = 0;
    NextWord(line_.text, &index);
    const std::string_view name = NextWord(line_.text, &index);
    if (name.empty()) return ViewerStatus::kNoName;
    ViewerJoint joint;
    joint.name = name.substr(0, kMaxViewerNameBytes);
    if (take().joints.empty() &&
        FindAvatarAlias(joint.name) != FindAvatarAlias("hip")) {
      return ViewerStatus::kBadRoot;
    }
    if (!NextLine()) return ViewerStatus::kEof;
    if (!Contains(line_.text, "{")) return ViewerStatus::kNoOffset;
    if (!NextLine()) return ViewerStatus::kEof;
    if (!Contains(line_.text, "OFFSET")) return ViewerStatus::kNoOffset;
    if (!NextLine()) return ViewerStatus::kEof;
    if (!Contains(line_.text, "CHANNELS")) return ViewerStatus::kNoChannels;
    const ViewerStatus status = ReadChannels(&joint);
    if (status != ViewerStatus::kOk) return status;
    parents_.push_back(open_.empty() ? -1 : open_.back());
    open_.push_back(static_cast<int32_t>(take().joints.size()));
    take().joints.push_back(std::move(joint));
    return ViewerStatus::kOk;
  }

  ViewerStatus ReadChannels(ViewerJoint* joint) {
    constexpr std::string_view kRotation = "rotation";
    joint->channel_count = ChannelCount();
    std::array<int32_t, 3> letters = {};
    size_t index = 0;
    for (int32_t& letter : letters) {
      index = line_.text.find(kRotation, index);
      if (index == line_.text.npos) return ViewerStatus::kNoRotation;
      const char axis = index == 0 ? '\0' : line_.text[index - 1];
      if (axis < 'X' || axis > 'Z') return ViewerStatus::kNoAxis;
      letter = axis - 'X';
      index += kRotation.size();
    }
    columns_ += SetColumns(letters, columns_, joint);
    return ViewerStatus::kOk;
  }

  int64_t ChannelCount() const {
    constexpr std::string_view kWord = "CHANNELS";
    std::string_view rest = TrimBlanks(line_.text);
    int64_t count = take_is_empty() ? 6 : 3;
    if (rest.starts_with(kWord)) {
      LeadingInteger(rest.substr(kWord.size()), &count);
    }
    return count;
  }
  bool take_is_empty() const { return out_.take.joints.empty(); }

  ViewerStatus ReadHeader() {
    constexpr std::string_view kFrames = "Frames:";
    constexpr std::string_view kFrameTime = "Frame Time:";
    if (!NextLine()) return ViewerStatus::kEof;
    if (!line_.text.starts_with(kFrames) ||
        !LeadingInteger(line_.text.substr(kFrames.size()), &take().frames)) {
      return ViewerStatus::kNoFrames;
    }
    if (!NextLine()) return ViewerStatus::kEof;
    if (!line_.text.starts_with(kFrameTime) ||
        !LeadingFloat(line_.text.substr(kFrameTime.size()),
                      &take().frame_time)) {
      return ViewerStatus::kNoFrameTime;
    }
    return ViewerStatus::kOk;
  }

  ViewerStatus ReadRows() {
    take().columns = columns_;
    for (int64_t i = 0; i < take().frames; ++i) {
      if (!NextLine()) return ViewerStatus::kEof;
      if (!ReadRow()) return ViewerStatus::kNoPosition;
    }
    return ViewerStatus::kOk;
  }

  // All words must be numbers, also surplus ones.
  bool ReadRow() {
    constexpr std::string_view kBetween = " \t";
    int64_t words = 0;
    std::string_view rest = line_.text;
    while (true) {
      rest.remove_prefix(
          std::min(rest.find_first_not_of(kBetween), rest.size()));
      if (rest.empty()) return IsWide(words);
      const std::string_view word =
          rest.substr(0, rest.find_first_of(kBetween));
      rest.remove_prefix(word.size());
      float value = 0;
      if (!ParseViewerFloat(word, &value)) return false;
      if (words++ < columns_) out_.values.push_back(value);
    }
  }

  // True if `words` values are enough for each joint in turn.
  bool IsWide(int64_t words) const {
    for (const ViewerJoint& joint : out_.take.joints) {
      const int32_t taken = joint.position_column < 0 ? 3 : 6;
      // As in the viewer, a negative count is too large for every row.
      if (words < taken || joint.channel_count < 0) return false;
      if (words < joint.channel_count) return false;
      words -= taken;
    }
    return true;
  }

  LineReader lines_;
  Line line_;
  ViewerText out_;
  int32_t columns_ = 0;
  // The joints whose braces are open, and the parent of each joint.
  std::vector<int32_t> open_;
  std::vector<int32_t> parents_;
};

}  // namespace

ViewerText LoadViewerText(std::string_view text) { return Loader(text).Load(); }

}  // namespace bvhmill
