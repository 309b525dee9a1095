#include "tests/pipeline/clip_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "bvhmill/base/status.h"

namespace bvhmill {

void PrintTo(const OutputRequest& output, std::ostream* out) {
  *out << output.id;
}

}  // namespace bvhmill

namespace bvhmill::testing {
namespace {

constexpr std::string_view kRotations = " Zrotation Xrotation Yrotation\n";

std::string Motion(int64_t frames, std::string_view rows) {
  return "MOTION\nFrames: " + std::to_string(frames) +
         "\nFrame Time: 0.008333\n" + std::string(rows);
}

std::string Head(int joint) {
  const std::string name = "J" + std::to_string(joint) + "\n{\n";
  const std::string offset =
      "OFFSET " + std::to_string(joint % 3) + " 1.5 -0.25\n";
  if (joint > 0) {
    return "JOINT " + name + offset + "CHANNELS 3" + std::string(kRotations);
  }
  return "ROOT " + name + offset + "CHANNELS 6 Xposition Yposition Zposition" +
         std::string(kRotations);
}

std::string Rows(int64_t frames, int columns) {
  std::string out;
  for (int64_t i = 0; i < frames; ++i) {
    for (int column = 0; column < columns; ++column) {
      const int64_t value = (i * 7 + column * 31) % 3600 - 1800;
      out += std::to_string(value / 10) + ".5 ";
    }
    out.back() = '\n';
  }
  return out;
}

}  // namespace

std::string ChainText(int joints, int64_t frames) {
  std::string out = "HIERARCHY\n";
  for (int joint = 0; joint < joints; ++joint) out += Head(joint);
  out += "End Site\n{\nOFFSET 0 1 0\n}\n";
  for (int joint = 0; joint < joints; ++joint) out += "}\n";
  return out + Motion(frames, Rows(frames, 3 + 3 * joints));
}

std::string TextWithRows(int64_t frames, std::string_view rows) {
  return "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3" +
         std::string(kRotations) + "End Site\n{\nOFFSET 0 1 0\n}\n}\n" +
         Motion(frames, rows);
}

std::vector<OutputRequest> EveryOutput() {
  return {
      {"positions", PositionsFormat{}},
      {"nodes", PositionsFormat{TensorLayout::kJointMajor, true}},
      {"rotations", RotationsFormat{}},
      {"matrices", RotationsFormat{RotationKind::kMatrix}},
      {"world", RotationsFormat{.rotation_space = RotationSpace::kWorld,
                                .with_end_sites = true}},
      {"velocities", VelocitiesFormat{}},
      {"six", RotationsFormat{RotationKind::kSixD, TensorLayout::kJointMajor}},
      {"npz", NpzFormat{}},
      {"csv", CsvFormat{}},
      {"bvh", BvhFormat{}}};
}

bool Lists(const Report& report, std::string_view code) {
  return std::any_of(report.issues.begin(), report.issues.end(),
                     [&](const Issue& issue) { return issue.code == code; });
}

ConvertResult ConvertText(std::string_view text, const ConvertOptions& options,
                          StringReceiver* receiver) {
  Converter converter(Parallelism::Threads(4));
  return converter.Convert(text, options, receiver, nullptr);
}

void ExpectFailed(const ConvertResult& result, absl::StatusCode code) {
  EXPECT_EQ(result.status.code(), code) << result.status;
  EXPECT_NE(MessageOf(result.status), "");
  EXPECT_TRUE(result.outputs.empty());
}

}  // namespace bvhmill::testing
