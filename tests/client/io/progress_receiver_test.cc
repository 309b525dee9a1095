// The progress of a clip follows from the outputs that are made of it.

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "bvhmill/encode/encode.h"
#include "client/cli/ui/progress.h"

namespace bvhmill::testing {
namespace {

// A piece of an output, and the progress after it.
struct Piece {
  size_t output;
  std::string bytes;
  int64_t progress;
};

struct ProgressCase {
  const char* name;
  std::vector<std::string> formats;
  std::vector<Piece> pieces;
};

std::string Zeros(size_t size) { return std::string(size, '\0'); }

// A clip of 10 frames of 2 joints, whose text has 1000 bytes.
TEST(ProgressReceiverTest, EachOutputIsTheSamePart) {
  const ProgressCase cases[] = {
      {"lines of a text",
       {"csv"},
       {{0, "a\nb\n", 200}, {0, "c", 200}, {0, "\n", 300}}},
      {"more lines than frames", {"csv"}, {{0, std::string(11, '\n'), 1000}}},
      // 10 frames of 2 positions take 240 bytes.
      {"bytes of an array",
       {"positions"},
       {{0, Zeros(60), 250}, {0, Zeros(180), 1000}, {0, "\n", 1000}}},
      // Positions and quaternions take 560 bytes.
      {"bytes of an archive", {"npz"}, {{0, Zeros(140), 250}}},
      {"two, one after the other",
       {"csv", "positions"},
       {{0, "\n", 50}, {0, std::string(9, '\n'), 500}, {1, Zeros(60), 625}}},
      {"one that is not known",
       {"anim", "positions"},
       {{0, Zeros(500), 0}, {1, Zeros(24), 550}}},
      {"none is known", {"anim"}, {{0, Zeros(500), 0}}}};
  ClipInfo info;
  info.frames = 10;
  info.joint_count = 2;
  for (const ProgressCase& c : cases) {
    std::vector<OutputRequest> requests;
    std::vector<OutputInfo> outputs;
    for (const std::string& name : c.formats) {
      requests.emplace_back().format = FindFormat(name)->defaults;
      OutputInfo& output = outputs.emplace_back();
      if (name == "positions") output.tensor = {{10, 2, 3}, {}};
    }
    StringReceiver behind;
    client::ClipProgress progress = 0;
    client::ProgressReceiver receiver(&behind, requests, 0, 1000, &progress);
    ASSERT_TRUE(receiver.Begin(info, outputs).ok());
    std::vector<std::string> all(outputs.size());
    for (const Piece& piece : c.pieces) {
      ASSERT_TRUE(receiver.Data(piece.output, piece.bytes).ok());
      all[piece.output] += piece.bytes;
      EXPECT_EQ(progress, piece.progress) << c.name;
    }
    EXPECT_EQ(behind.data(), all) << c.name;
  }
}

}  // namespace
}  // namespace bvhmill::testing
