#include "tests/samples/skeleton.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <ostream>
#include <string_view>
#include <utility>

namespace bvhmill::samples {
namespace {

// std::to_chars, because a stream would follow the locale.
void AppendNumber(double value, std::chars_format format, int decimals,
                  std::string* text) {
  // A value that rounds to nothing would print as -0.00.
  if (std::abs(value) < 0.5 * std::pow(10, -decimals)) value = 0;
  char digits[64];
  const auto end =
      std::to_chars(digits, digits + sizeof(digits), value, format, decimals);
  text->append(digits, end.ptr);
}

void AppendRowValue(double value, const Layout& layout, std::string* text) {
  const double size = std::abs(value);
  const bool small = size > 1e-5 && size < 0.1;
  AppendNumber(value,
               layout.exponents && small ? std::chars_format::scientific
                                         : std::chars_format::fixed,
               layout.row_decimals, text);
}

void AppendLine(const Layout& layout, size_t depth, std::string_view line,
                std::string* text) {
  text->append(depth, '\t').append(line);
  text->append(layout.trailing).append(layout.newline);
}

std::string OffsetLine(const Vec3& offset, const Layout& layout) {
  std::string line = "OFFSET";
  for (const double value : {offset.x, offset.y, offset.z}) {
    line += layout.number_gap;
    AppendNumber(value, std::chars_format::fixed, layout.offset_decimals,
                 &line);
  }
  return line;
}

bool IsRotation(char channel) { return channel <= 'Z'; }

std::string ChannelsLine(const Joint& joint) {
  std::string line = "CHANNELS " + std::to_string(joint.channels.size());
  for (const char channel : joint.channels) {
    line += ' ';
    line +=
        IsRotation(channel) ? channel : static_cast<char>(channel - 'x' + 'X');
    line += IsRotation(channel) ? "rotation" : "position";
  }
  return line;
}

// The lines of one joint, all but its closing brace.
void AppendJoint(const Joint& joint, const Layout& layout, size_t depth,
                 std::string* text) {
  const char* keyword = joint.parent < 0 ? "ROOT " : "JOINT ";
  AppendLine(layout, depth, keyword + joint.name, text);
  AppendLine(layout, depth, "{", text);
  AppendLine(layout, depth + 1, OffsetLine(joint.offset, layout), text);
  AppendLine(layout, depth + 1, ChannelsLine(joint), text);
  if (!joint.end_site) return;
  AppendLine(layout, depth + 1, layout.end_site, text);
  AppendLine(layout, depth + 1, "{", text);
  AppendLine(layout, depth + 2, OffsetLine(*joint.end_site, layout), text);
  AppendLine(layout, depth + 1, "}", text);
}

std::string HierarchyText(const Take& take) {
  std::string text;
  AppendLine(take.layout, 0, "HIERARCHY", &text);
  std::vector<int> open;  // the joints whose braces are not closed yet
  const auto close_until = [&](int parent) {
    while (!open.empty() && open.back() != parent) {
      open.pop_back();
      AppendLine(take.layout, open.size(), "}", &text);
    }
  };
  for (size_t i = 0; i < take.joints.size(); ++i) {
    close_until(take.joints[i].parent);
    AppendJoint(take.joints[i], take.layout, open.size(), &text);
    open.push_back(static_cast<int>(i));
  }
  close_until(-1);
  return text;
}

std::string MotionHeader(const Take& take) {
  const std::string& gap = take.layout.header_gap;
  std::string text;
  AppendLine(take.layout, 0, "MOTION", &text);
  AppendLine(take.layout, 0, "Frames:" + gap + std::to_string(take.frames),
             &text);
  AppendLine(take.layout, 0, "Frame Time:" + gap + take.layout.frame_time,
             &text);
  return text;
}

// The rotation axes of `channels` in file order, then those it leaves out.
std::array<int, 3> RotationAxes(const std::string& channels) {
  std::string letters;
  for (const char channel : channels + "XYZ") {
    if (IsRotation(channel) && letters.find(channel) == std::string::npos) {
      letters += channel;
    }
  }
  return {letters[0] - 'X', letters[1] - 'X', letters[2] - 'X'};
}

// The values of one frame, columns in file order.
std::vector<double> ChannelValues(const std::vector<Joint>& joints,
                                  const Pose& pose) {
  std::vector<double> values;
  for (size_t i = 0; i < joints.size(); ++i) {
    const Vec3& position = pose.positions[i];
    const double xyz[3] = {position.x, position.y, position.z};
    const std::array<double, 3> angles =
        EulerDegrees(pose.rotations[i], RotationAxes(joints[i].channels));
    size_t angle = 0;
    for (const char channel : joints[i].channels) {
      values.push_back(IsRotation(channel) ? angles[angle++]
                                           : xyz[channel - 'x']);
    }
  }
  return values;
}

// Moves each angle of `row` by whole turns to the value nearest to `before`.
void Unwrap(const std::string& channels, const std::vector<double>& before,
            std::vector<double>* row) {
  if (before.empty()) return;
  for (size_t i = 0; i < row->size(); ++i) {
    double& value = (*row)[i];
    if (!IsRotation(channels[i])) continue;
    value -= 360 * std::round((value - before[i]) / 360);
  }
}

}  // namespace

Pose RestPose(const std::vector<Joint>& joints) {
  Pose pose;
  pose.rotations.resize(joints.size());
  for (const Joint& joint : joints) pose.positions.push_back(joint.offset);
  return pose;
}

int FindJoint(const std::vector<Joint>& joints, const std::string& name) {
  int index = 0;
  while (joints[index].name != name) ++index;
  return index;
}

void WriteBvh(const Take& take, std::ostream& out) {
  out << HierarchyText(take) << MotionHeader(take);
  std::string channels;
  for (const Joint& joint : take.joints) channels += joint.channels;
  std::vector<double> before;
  for (int frame = 0; frame < take.frames && out; ++frame) {
    std::vector<double> row =
        ChannelValues(take.joints, take.pose(frame * take.frame_time));
    Unwrap(channels, before, &row);
    std::string line;
    for (const double value : row) {
      if (!line.empty()) line += take.layout.number_gap;
      AppendRowValue(value, take.layout, &line);
    }
    std::string text;
    AppendLine(take.layout, 0, line, &text);
    out << text;
    before = std::move(row);
  }
}

}  // namespace bvhmill::samples
