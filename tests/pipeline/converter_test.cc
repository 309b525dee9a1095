// A clip in pieces gives what it gives as a whole.

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "bvhmill/bvh/reader.h"
#include "bvhmill/encode/report_json.h"
#include "bvhmill/pipeline/convert.h"
#include "tests/pipeline/clip_text.h"
#include "tests/support/converted.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

void ExpectSame(const Converted& pieces, const Converted& whole) {
  EXPECT_EQ(pieces.result.status, whole.result.status);
  EXPECT_EQ(ReportJson("", pieces.result.report, pieces.result.info),
            ReportJson("", whole.result.report, whole.result.info));
  ASSERT_EQ(pieces.result.outputs.size(), whole.result.outputs.size());
  for (size_t i = 0; i < pieces.result.outputs.size(); ++i) {
    const OutputInfo& a = pieces.result.outputs[i];
    const OutputInfo& b = whole.result.outputs[i];
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.size_bytes, b.size_bytes) << a.id;
    EXPECT_EQ(a.tensor.has_value(), b.tensor.has_value()) << a.id;
    if (a.tensor && b.tensor) {
      EXPECT_EQ(a.tensor->shape, b.tensor->shape) << a.id;
    }
    EXPECT_TRUE(pieces.outputs[i] == whole.outputs[i]) << a.id;
  }
}

void ExpectSameInPieces(std::string_view text, const ConvertOptions& options) {
  const Converted whole = ConvertWhole(text, options);
  for (const size_t size : {1, 7, 100, 4096, 1 << 20}) {
    if (size < 100 && text.size() > 20'000) continue;
    SCOPED_TRACE("pieces of " + std::to_string(size));
    ExpectSame(ConvertPieces(text, options, size), whole);
  }
}

// Outputs of positions, rotations and text.
std::vector<OutputRequest> UsualOutputs() {
  return {
      {"positions", PositionsFormat{.with_end_sites = true}},
      {"rotations", RotationsFormat{.rotation_kind = RotationKind::kMatrix}},
      {"world", RotationsFormat{.rotation_space = RotationSpace::kWorld}},
      {"csv", CsvFormat{}}};
}

std::vector<std::vector<OutputRequest>> OutputSets() {
  std::vector<OutputRequest> moving = UsualOutputs();
  moving.push_back({"velocities", VelocitiesFormat{}});
  return {{}, UsualOutputs(), moving, EveryOutput()};
}

class ClipOfAFolder : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Conversion, ClipOfAFolder,
                         ::testing::Values("cases", "golden", "malformed"));

TEST_P(ClipOfAFolder, IsTheSameInPieces) {
  for (const std::string& path : FilesIn(TestData(GetParam()), ".bvh")) {
    for (const auto& outputs : OutputSets()) {
      SCOPED_TRACE(path + ", " + std::to_string(outputs.size()));
      ConvertOptions options;
      options.outputs = outputs;
      // Some files state numbers of frames that would take long.
      options.limits.max_frames = 2'000;
      ExpectSameInPieces(ReadFile(path), options);
      if (HasFailure()) return;
    }
  }
}

struct EditCase {
  const char* name;
  void (*apply)(ClipEdits*);
  // Frames of the clip; fewer where an edit makes many frames of one.
  int64_t frames = 1'500;
};

constexpr EditCase kEditCases[] = {
    {"drop", [](ClipEdits* e) { e->drop = {"J1"}; }},
    {"rename",
     [](ClipEdits* e) {
       e->rename = {{"J0", "Hips"}};
     }},
    {"crop",
     [](ClipEdits* e) {
       e->frames = {3, 900, 2};
     }},
    {"crop after the end",
     [](ClipEdits* e) {
       e->frames = {5'000, 0, 1};
     }},
    {"faster", [](ClipEdits* e) { e->fps = 333; }},
    {"much faster", [](ClipEdits* e) { e->fps = 3'000; }, 200},
    {"too fast", [](ClipEdits* e) { e->fps = 6'500; }, 60},
    {"too fast for more than a frame",
     [](ClipEdits* e) {
       e->frames = {5, 6, 1};
       e->fps = 1e9;
     }},
    {"slower", [](ClipEdits* e) { e->fps = 7; }},
    {"in place",
     [](ClipEdits* e) {
       e->in_place = true;
       e->source.up_axis = UpAxis::kY;
     }},
    {"in place, the up axis is not known",
     [](ClipEdits* e) { e->in_place = true; }},
    {"units",
     [](ClipEdits* e) {
       e->source = {UpAxis::kZ, 0.01};
       e->to_up = UpAxis::kY;
       e->to_units = 1;
     }},
    {"no such joint", [](ClipEdits* e) { e->drop = {"Nobody"}; }},
    {"unknown source", [](ClipEdits* e) { e->to_units = 1; }},
};

void PrintTo(const EditCase& edit, std::ostream* out) { *out << edit.name; }

class EditedClip : public ::testing::TestWithParam<EditCase> {};

INSTANTIATE_TEST_SUITE_P(Conversion, EditedClip,
                         ::testing::ValuesIn(kEditCases));

TEST_P(EditedClip, IsTheSameInPieces) {
  const std::string text = ChainText(4, GetParam().frames);
  for (const auto& outputs : OutputSets()) {
    SCOPED_TRACE(outputs.size());
    ConvertOptions options;
    options.outputs = outputs;
    GetParam().apply(&options.edits);
    ExpectSameInPieces(text, options);
  }
}

// An .anim has issues of its own. It is not begun if an edit does not fit: the
// verdict had become "unreadable", and issues of the clip before were listed.
TEST(Conversion, EditsThatDoNotFitLeaveTheReportAsItWas) {
  const std::string text = ChainText(4, 100);
  for (const EditCase& edit : kEditCases) {
    SCOPED_TRACE(edit.name);
    ConvertOptions options;
    options.outputs = {{"anim", AnimFormat{}}};
    edit.apply(&options.edits);
    ExpectSameInPieces(text, options);
  }
}

// Two bytes of text a frame, and 3,000 joints: as a tile of text, more poses
// than are held at once.
TEST(Conversion, LittleTextOfManyPoses) {
  std::string text =
      "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n";
  for (int i = 0; i < 3'000; ++i) {
    text +=
        "JOINT j\n{\nOFFSET 0 1 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 1 0 "
        "0\n}\n}\n";
  }
  text += "}\nMOTION\nFrames: 400\nFrame Time: 0.1\n";
  for (int i = 0; i < 400; ++i) text += std::to_string(i % 10) + "\n";
  for (const auto& outputs : {UsualOutputs(), OutputSets()[2]}) {
    ConvertOptions options;
    options.outputs = {outputs.front(), outputs.back()};
    const Converted whole = ConvertWhole(text, options);
    EXPECT_TRUE(whole.result.status.ok()) << whole.result.status;
    ExpectSame(ConvertPieces(text, options, 1 << 20), whole);
  }
}

TEST(Conversion, LimitsOfOutputs) {
  const std::string text = ChainText(4, 1'500);
  for (const auto& outputs : OutputSets()) {
    for (const int64_t limit : {1, 100, 10'000, 100'000}) {
      SCOPED_TRACE(std::to_string(outputs.size()) + " of " +
                   std::to_string(limit));
      ConvertOptions options;
      options.outputs = outputs;
      options.limits.max_output_bytes = limit;
      ExpectSameInPieces(text, options);
    }
  }
}

TEST(Conversion, OptionsThatCannotBe) {
  ConvertOptions options;
  options.outputs = {{"a", CsvFormat{}}, {"a", CsvFormat{}}};
  ExpectSameInPieces(ChainText(2, 2), options);
}

TEST(Conversion, ShowsTheRowsSoFar) {
  const std::string text = ChainText(4, 100);
  IssueLog log({});
  ParsedClip whole;
  ReadBvhInto(text, {}, &log, &whole);
  const size_t width = whole.source->skeleton.channels.size();
  const ConvertOptions options;
  Converter converter;
  ConvertResult result;
  Conversion clip(&converter, options, nullptr, nullptr, &result);
  EXPECT_EQ(clip.so_far().clip.skeleton, nullptr);
  int64_t before = 0;
  for (size_t at = 0; at < text.size(); at += 500) {
    EXPECT_TRUE(clip.Add(std::string_view(text).substr(at, 500)));
    const ReadSoFar part = clip.so_far();
    if (part.clip.skeleton == nullptr) continue;
    EXPECT_EQ(part.declared_frames, 100);
    EXPECT_EQ(part.clip.skeleton->skeleton.nodes.size(),
              whole.source->skeleton.nodes.size());
    EXPECT_GE(part.clip.frames, before);
    before = part.clip.frames;
    ASSERT_EQ(part.clip.values.size(), static_cast<size_t>(before) * width);
    EXPECT_TRUE(std::equal(part.clip.values.begin(), part.clip.values.end(),
                           whole.motion.values.begin()));
  }
  EXPECT_GE(before, 99);
  clip.Finish();
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(clip.so_far().clip.skeleton, nullptr);
}

TEST(Conversion, StopsWhenItIsCancelled) {
  CancelToken cancel;
  ConvertOptions options;
  options.outputs = UsualOutputs();
  StringReceiver receiver;
  ConvertResult result;
  Converter worker;
  Conversion clip(&worker, options, &receiver, &cancel, &result);
  const std::string text = ChainText(4, 100);
  EXPECT_TRUE(clip.Add(text.substr(0, 1'000)));
  cancel.Cancel();
  EXPECT_FALSE(clip.Add(text.substr(1'000)));
  clip.Finish();
  ExpectFailed(result, absl::StatusCode::kCancelled);
}

// Nothing of the clip before is left, whose skeleton was released.
TEST(Converter, ACancelledClipAfterAGoodOne) {
  const std::string text = ChainText(4, 100);
  ConvertOptions options;
  options.outputs = UsualOutputs();
  Converter converter;
  StringReceiver receiver;
  EXPECT_TRUE(converter.Convert(text, options, &receiver, nullptr).status.ok());
  CancelToken cancel;
  cancel.Cancel();
  ExpectFailed(converter.Convert(text, options, &receiver, &cancel),
               absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace bvhmill::testing
