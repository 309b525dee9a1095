#include "bvhmill/anim/viewer/viewer_loader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/base/from_chars.h"
#include "bvhmill/text/lines.h"

namespace bvhmill {
namespace {

// Numbers.

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Removes a sign; true if it is a minus.
bool TakeSign(std::string_view* text) {
  if (text->empty() || (text->front() != '-' && text->front() != '+')) {
    return false;
  }
  const bool is_minus = text->front() == '-';
  text->remove_prefix(1);
  return is_minus;
}

// Removes "nan", "inf" or "infinity"; false if there is none.
bool TakeWordNumber(std::string_view* text, float* value) {
  constexpr std::string_view kInfinity = "infinity";
  constexpr size_t kShort = 3;
  if (StartsWithIgnoreCase(*text, "nan")) {
    *value = std::numeric_limits<float>::quiet_NaN();
    text->remove_prefix(kShort);
    return true;
  }
  if (!StartsWithIgnoreCase(*text, "inf")) return false;
  *value = std::numeric_limits<float>::infinity();
  const bool is_long = StartsWithIgnoreCase(*text, kInfinity);
  text->remove_prefix(is_long ? kInfinity.size() : kShort);
  return true;
}

// For a decimal `text` that no double can hold: true if it is too small, not
// too large.
bool IsTiny(std::string_view text) {
  const size_t exponent = text.find_first_of("eE");
  if (exponent == text.npos) return text[0] == '0' || text[0] == '.';
  return exponent + 1 < text.size() && text[exponent + 1] == '-';
}

// Removes the longest decimal number without a sign. False if there is none, or
// it is too large for a float. A number that is too small becomes a denormal or
// 0.
bool TakeDecimal(std::string_view* text, float* value) {
  const bool begins =
      !text->empty() && (IsDigit(text->front()) || text->front() == '.');
  if (!begins) return false;
  const char* const end = text->data() + text->size();
  std::from_chars_result result = FromChars(text->data(), end, *value);
  if (result.ec == std::errc::result_out_of_range) {
    double wide = 0;
    result = FromChars(text->data(), end, wide);
    const auto size = static_cast<size_t>(result.ptr - text->data());
    const bool is_small =
        result.ec == std::errc() ? wide < 1 : IsTiny(text->substr(0, size));
    if (!is_small) return false;
    *value = static_cast<float>(wide);
    result.ec = {};
  }
  if (result.ec != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(result.ptr - text->data()));
  return true;
}

std::string_view SkipBlanks(std::string_view text) {
  const auto begin = std::find_if_not(text.begin(), text.end(), IsBlank);
  return text.substr(static_cast<size_t>(begin - text.begin()));
}

// Read the number at the beginning of `text`, after blanks, and ignore the text
// after it. False, with `*value` unchanged, if there is no number. Integers out
// of range become the nearest limit of int32_t.
bool LeadingInteger(std::string_view text, int64_t* value) {
  text = SkipBlanks(text);
  const bool is_minus = TakeSign(&text);
  if (text.empty() || !IsDigit(text.front())) return false;
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  int64_t number = 0;
  for (; !text.empty() && IsDigit(text.front()); text.remove_prefix(1)) {
    number = std::min<int64_t>(number * 10 + (text.front() - '0'), kMax);
  }
  *value = is_minus ? -number : number;
  return true;
}

bool LeadingFloat(std::string_view text, float* value) {
  text = SkipBlanks(text);
  const bool is_minus = TakeSign(&text);
  float number = 0;
  if (!TakeWordNumber(&text, &number) && !TakeDecimal(&text, &number)) {
    return false;
  }
  *value = is_minus ? -number : number;
  return true;
}

// Statuses.

struct Row {
  ViewerStatus status;
  std::string_view name;
  std::string_view meaning;
};

constexpr Row kRows[] = {
    {ViewerStatus::kOk, "E_ST_OK", "it is accepted"},
    {ViewerStatus::kEof, "E_ST_EOF", "the text ends too early"},
    {ViewerStatus::kNoHierarchy, "E_ST_NO_HIER",
     "the first line lacks HIERARCHY"},
    {ViewerStatus::kNoJoint, "E_ST_NO_JOINT",
     "a line of the hierarchy is no ROOT, JOINT or End Site"},
    {ViewerStatus::kNoName, "E_ST_NO_NAME", "a joint has no name"},
    {ViewerStatus::kNoOffset, "E_ST_NO_OFFSET",
     "a joint is not followed by a line with { and one with OFFSET"},
    {ViewerStatus::kNoChannels, "E_ST_NO_CHANNELS",
     "OFFSET is not followed by a line with CHANNELS"},
    {ViewerStatus::kNoRotation, "E_ST_NO_ROTATION",
     "a joint has less than three rotations"},
    {ViewerStatus::kNoAxis, "E_ST_NO_AXIS",
     "a rotation is about none of X, Y and Z"},
    {ViewerStatus::kNoFrames, "E_ST_NO_FRAMES",
     "MOTION is not followed by Frames: and a number"},
    {ViewerStatus::kNoFrameTime, "E_ST_NO_FRAME_TIME",
     "Frames: is not followed by Frame Time: and a number"},
    {ViewerStatus::kNoPosition, "E_ST_NO_POS",
     "a row has too few values, or a word that is no number"},
    {ViewerStatus::kBadRoot, "E_ST_BAD_ROOT",
     "the first joint is not called hip, mPelvis or avatar_mPelvis"},
};

const Row& RowOf(ViewerStatus status) {
  for (const Row& row : kRows) {
    if (row.status == status) return row;
  }
  return kRows[0];
}

// Joints.

constexpr std::string_view kBlanks = " \t\v\f";

// Bytes of a name that the viewer keeps: the size of its buffer.
constexpr size_t kMaxViewerNameBytes = 79;

// The viewer reads one word as the name, cut to the size of its buffer.
std::string_view NameWord(std::string_view name) {
  const size_t begin = std::min(name.find_first_not_of(kBlanks), name.size());
  name.remove_prefix(begin);
  return name.substr(
      0, std::min(name.find_first_of(kBlanks), kMaxViewerNameBytes));
}

// The axes of the first three rotations; false if there are fewer.
bool FindLetters(std::span<const Channel> channels,
                 std::array<int32_t, 3>* letters) {
  size_t count = 0;
  for (const Channel channel : channels) {
    if (!IsRotation(channel) || count == letters->size()) continue;
    (*letters)[count++] = AxisOf(channel);
  }
  return count == letters->size();
}

// Sets the columns of `joint`, from column `first` on, by the viewer's rule: if
// joint->channel_count is 6, three positions come first; then always three
// rotations, about the axes `letters`. If an axis is repeated, the order of
// axes is Z Y X, and the last column of the axis counts. Returns the number of
// columns.
int32_t SetColumns(const std::array<int32_t, 3>& letters, int32_t first,
                   ViewerJoint* joint) {
  constexpr int64_t kWithPosition = 6;
  int32_t column = first;
  if (joint->channel_count == kWithPosition) {
    joint->position_column = column;
    column += 3;
  }
  const bool repeats = letters[0] == letters[1] || letters[1] == letters[2] ||
                       letters[0] == letters[2];
  joint->axes = repeats ? std::array<int32_t, 3>{2, 1, 0} : letters;
  joint->angle_columns = {-1, -1, -1};
  for (const int32_t letter : letters) {
    const auto place =
        std::find(joint->axes.begin(), joint->axes.end(), letter);
    joint->angle_columns[static_cast<size_t>(place - joint->axes.begin())] =
        column++;
  }
  return column - first;
}

// Sets the depths of joints, which must be 0, from their parents; -1: no
// parent. Parents precede their children.
void SetDepths(std::span<const int32_t> parents,
               std::vector<ViewerJoint>* joints) {
  for (size_t i = joints->size(); i-- > 0;) {
    if (parents[i] < 0) continue;
    int32_t& depth = (*joints)[static_cast<size_t>(parents[i])].depth;
    depth = std::max(depth, (*joints)[i].depth + 1);
  }
}

ViewerStatus AddJoint(const Skeleton& skeleton, const Node& node,
                      int32_t* column, ViewerTake* take) {
  // A NUL ends the text that the viewer reads.
  if (node.name.find('\0') != node.name.npos) return ViewerStatus::kEof;
  ViewerJoint joint;
  joint.name = NameWord(node.name);
  if (joint.name.empty()) return ViewerStatus::kNoName;
  const bool is_first = take->joints.empty();
  if (is_first && FindAvatarAlias(joint.name) != FindAvatarAlias("hip")) {
    return ViewerStatus::kBadRoot;
  }
  joint.channel_count = node.channel_count;
  std::array<int32_t, 3> letters = {};
  if (!FindLetters(ChannelsOf(skeleton, node), &letters)) {
    return ViewerStatus::kNoRotation;
  }
  const int64_t left = take->columns - *column;
  *column += SetColumns(letters, *column, &joint);
  if (take->frames > 0 &&
      (left < joint.channel_count || take->columns < *column)) {
    return ViewerStatus::kNoPosition;
  }
  take->joints.push_back(std::move(joint));
  return ViewerStatus::kOk;
}

// Text.

bool Contains(std::string_view line, std::string_view word) {
  return line.find(word) != line.npos;
}

// Reads BVH text line by line.
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

  // Reads the next line that is not empty. A line of blanks is not empty.
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

  // Skips the next three lines, brace, OFFSET and brace, without a check.
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

ViewerStatus TakeFromSkeleton(const Skeleton& skeleton, int64_t frames,
                              ViewerTake* take, int32_t* node) {
  *take = {};
  take->frames = frames;
  take->columns = static_cast<int64_t>(skeleton.channels.size());
  take->joints.reserve(skeleton.nodes.size());
  std::vector<int32_t> parents;
  parents.reserve(skeleton.nodes.size());
  std::vector<int32_t> index(skeleton.nodes.size(), -1);
  int32_t column = 0;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& source = skeleton.nodes[i];
    if (IsEndSite(source)) continue;
    *node = static_cast<int32_t>(i);
    index[i] = static_cast<int32_t>(take->joints.size());
    parents.push_back(
        source.parent < 0 ? -1 : index[static_cast<size_t>(source.parent)]);
    const ViewerStatus status = AddJoint(skeleton, source, &column, take);
    if (status != ViewerStatus::kOk) return status;
  }
  SetDepths(parents, &take->joints);
  return ViewerStatus::kOk;
}

ViewerStatus TakeFromClip(const Clip& clip, ViewerTake* take, int32_t* node) {
  const ViewerStatus status =
      TakeFromSkeleton(clip.skeleton, clip.motion.frames, take, node);
  take->frame_time = static_cast<float>(clip.motion.frame_time);
  take->values = clip.motion.values;
  return status;
}

std::string_view ViewerStatusName(ViewerStatus status) {
  return RowOf(status).name;
}

std::string_view ViewerStatusMeaning(ViewerStatus status) {
  return RowOf(status).meaning;
}

bool ParseViewerFloat(std::string_view word, float* value) {
  const bool is_minus = TakeSign(&word);
  if (!TakeWordNumber(&word, value) && !TakeDecimal(&word, value)) return false;
  if (is_minus) *value = -*value;
  return word.empty();
}

}  // namespace bvhmill
