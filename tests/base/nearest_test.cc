#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "bvhmill/base/text.h"

namespace bvhmill {
namespace {

struct Case {
  std::string_view word;
  std::vector<std::string_view> known;
  std::string_view nearest;
};

TEST(Nearest, WordsAreFoundByTheFewestEdits) {
  const Case cases[] = {
      {"convert", {"info", "convert"}, "convert"},
      // One edit of each kind.
      {"convrt", {"info", "convert"}, "convert"},
      {"convvert", {"info", "convert"}, "convert"},
      {"konvert", {"info", "convert"}, "convert"},
      {"pnz", {"csv", "npz"}, "npz"},
      // The nearer one, wherever it stands; the first of two.
      {"--fail-o", {"--filelist", "--fail-on"}, "--fail-on"},
      {"--fail-o", {"--fail-on", "--filelist"}, "--fail-on"},
      {"cat", {"car", "cap"}, "car"},
      // Case does not count.
      {"text_empty", {"TEXT_UTF16", "TEXT_EMPTY"}, "TEXT_EMPTY"},
      // Two edits in short words, a third of the letters in long ones.
      {"vlaidat", {"validate"}, "validate"},
      {"valid", {"validate"}, ""},
      {"MOTION_FRAME_COUNT",
       {"MOTION_FRAME_COUNT_ODD"},
       "MOTION_FRAME_COUNT_ODD"},
      {"MOTION_COUNT_MISMATCH",
       {"MOTION_FRAME_COUNT_MISMATCH"},
       "MOTION_FRAME_COUNT_MISMATCH"},
      {"MOTION_MISMATCH", {"MOTION_FRAME_COUNT_MISMATCH"}, ""},
      // Half of a short word is too much.
      {"fast", {"best"}, ""},
      {"fest", {"best"}, "best"},
      {"-z", {"-q"}, ""},
      // Nothing in common.
      {"x", {"y", "z"}, ""},
      {"ab", {"cd"}, ""},
      {"frobnicate", {"convert", "validate"}, ""},
      {"", {"a", ""}, ""},
      {"word", {}, ""},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Nearest(c.word, c.known), c.nearest) << c.word;
  }
}

TEST(Nearest, MessagesEndWithTheWord) {
  EXPECT_EQ(DidYouMean("npx", {"csv", "npz"}), "; did you mean 'npz'?");
  EXPECT_EQ(DidYouMean("fbx", {"csv", "npz"}), "");
}

}  // namespace
}  // namespace bvhmill
