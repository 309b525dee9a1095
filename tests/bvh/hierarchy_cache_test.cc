// A reader with a cache of hierarchies reads the same as one without.

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/bvh/hierarchy.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/encode/report_json.h"
#include "tests/support/clips.h"
#include "tests/support/read_in_pieces.h"

namespace bvhmill::testing {
namespace {

constexpr std::string_view kRig =
    "HIERARCHY\n"
    "ROOT Pelvis\n"
    "{\n"
    "  OFFSET 0 1 0\n"
    "  CHANNELS 3 Zrotation Xrotation Yrotation\n"
    "  JOINT a name that is long\n"
    "  {\n"
    "    OFFSET 0 1 0\n"
    "    CHANNELS 1 Zrotation\n"
    "    End Site\n"
    "    {\n"
    "      OFFSET 0 0.25 0\n"
    "    }\n"
    "  }\n"
    "}\n";
constexpr std::string_view kTwoRows =
    "MOTION\nFrames: 2\nFrame Time: 0.01\n1 2 3 4\n5 6 7 8\n";
constexpr std::string_view kOtherRows =
    "MOTION\nFrames: 1\nFrame Time: 0.02\n1 2 3 x\n";

std::string Rig(std::string_view rows) {
  return std::string(kRig) + std::string(rows);
}

std::string Replaced(std::string text, std::string_view what,
                     std::string_view with) {
  return text.replace(text.find(what), what.size(), with);
}

std::string ReportOf(const ReadResult& read, IssueLog* log) {
  return ReportJson("", log->Finish(read.skeleton_read, read.motion_read), {});
}

void ExpectSamePlaces(const std::vector<TextPosition>& some,
                      const std::vector<TextPosition>& others) {
  ASSERT_EQ(some.size(), others.size());
  for (size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(some[i].offset, others[i].offset);
    EXPECT_EQ(some[i].line, others[i].line);
    EXPECT_EQ(some[i].column, others[i].column);
  }
}

class CacheTest : public ::testing::Test {
 protected:
  // Reads `text` with the cache of all texts before, and without; and so as a
  // stream that comes at once, or in pieces.
  void Read(const std::string& text, const Limits& limits = {},
            TextEncoding names = TextEncoding::kUnknown) {
    ReadOptions options{.limits = limits, .name_encoding = names};
    IssueLog plain_log({});
    const ReadResult plain = ReadBvh(text, options, &plain_log);
    const std::string report = ReportOf(plain, &plain_log);
    options.cache = &cache_;
    IssueLog log({});
    ReadBvhInto(text, options, &log, &parsed_);
    ReadResult read;
    read.skeleton_read = parsed_.skeleton_read;
    read.motion_read = parsed_.motion_read;
    if (parsed_.source != nullptr) {
      read.clip = {parsed_.source->skeleton, parsed_.motion};
      read.node_positions = parsed_.source->node_positions;
    }
    ExpectSame(read, plain);
    EXPECT_EQ(ReportOf(read, &log), report) << text;
    options.cache = &stream_cache_;
    for (const size_t size : {text.size() + 1, size_t{40}}) {
      IssueLog stream_log({});
      const ReadResult stream = ReadInPieces(
          text, options, [size](int64_t) { return size; }, &stream_log);
      ExpectSame(stream, plain);
      EXPECT_EQ(ReportOf(stream, &stream_log), report) << text;
    }
  }

  static void ExpectSame(const ReadResult& read, const ReadResult& plain) {
    EXPECT_EQ(read.skeleton_read, plain.skeleton_read);
    EXPECT_EQ(read.motion_read, plain.motion_read);
    if (!plain.skeleton_read) return;
    ExpectSamePlaces(read.node_positions, plain.node_positions);
    ExpectSameClip(read.clip, plain.clip);
  }

  void ReadAll(std::initializer_list<std::string> texts) {
    for (const std::string& text : texts) Read(text);
  }

  HierarchyCache cache_;
  HierarchyCache stream_cache_;
  ParsedClip parsed_;
};

TEST_F(CacheTest, TakesOfOneRig) {
  Read(Rig(kTwoRows));
  EXPECT_EQ(cache_.source, nullptr);
  Read(Rig(kOtherRows));
  EXPECT_NE(cache_.source, nullptr);
  EXPECT_NE(stream_cache_.source, nullptr);
  // The rows that are bad, the columns of values, the end of the text.
  ReadAll({Rig(kTwoRows), Rig(kOtherRows), Rig("MOTION\n"),
           Rig("MOTION\nFrames: 1\nFrame Time: 0.01\n1 2 3\n"),
           Rig("MOTION Frames: 1 Frame Time: 0.01\n1 2 3 4\n")});
}

TEST_F(CacheTest, ClipsOfOneTextShareTheSkeleton) {
  const std::string other = Replaced(Rig(kTwoRows), "0.25", "0.26");
  const auto source_of = [this](const std::string& text) {
    Read(text);
    return parsed_.source;
  };
  const SharedSkeleton first = source_of(Rig(kTwoRows));
  const SharedSkeleton second = source_of(Rig(kTwoRows));
  // The second clip leaves its skeleton in the cache.
  EXPECT_NE(first, second);
  EXPECT_EQ(source_of(Rig(kTwoRows)), second);
  EXPECT_EQ(source_of(Rig(kOtherRows)), second);
  EXPECT_EQ(source_of(""), nullptr);
  EXPECT_EQ(source_of(Rig(kTwoRows)), second);
  EXPECT_NE(source_of(other), second);
}

// The memory of a skeleton is used again only when no clip holds it.
TEST_F(CacheTest, ASkeletonThatIsHeldDoesNotChange) {
  Read(Rig(kTwoRows));
  const SharedSkeleton held = parsed_.source;
  Read(Replaced(Rig(kTwoRows), "Pelvis", "Trunk"));
  EXPECT_EQ(held->skeleton.nodes[0].name, "Pelvis");
  EXPECT_EQ(parsed_.source->skeleton.nodes[0].name, "Trunk");
  const SourceSkeleton* const before = parsed_.source.get();
  Read(Replaced(Rig(kTwoRows), "Pelvis", "Body"));
  EXPECT_EQ(parsed_.source.get(), before);
  EXPECT_EQ(parsed_.source->skeleton.nodes[0].name, "Body");
}

TEST_F(CacheTest, RigsInTurns) {
  const std::string other = Replaced(Rig(kTwoRows), "0.25", "0.26");
  const std::string longer = Replaced(Rig(kTwoRows), "Pelvis", "Pelvises");
  ReadAll({Rig(kTwoRows), other, Rig(kTwoRows), other, other, other, longer,
           longer, longer, Rig(kTwoRows)});
}

TEST_F(CacheTest, OtherTextBehindTheSameHierarchy) {
  ReadAll(
      {Rig(kTwoRows), Rig(kTwoRows), Rig("MOTIONS\nFrames: 1\n"), Rig("MOTION"),
       Rig(""), Rig("motion\nFrames: 0\nFrame Time: 1\n"),
       Rig("ROOT b\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n" + std::string(kTwoRows)),
       Rig("# note\n" + std::string(kTwoRows)),
       Rig("\n\n\n  " + std::string(kTwoRows)), std::string(kRig.substr(30)),
       ""});
}

TEST_F(CacheTest, WhatIsLoggedIsLoggedEachTime) {
  const std::string texts[] = {
      Replaced(Rig(kTwoRows), "HIERARCHY\n", ""),
      Replaced(Rig(kTwoRows), "HIERARCHY\n", "HIERARCHY\n# by hand\n"),
      Replaced(Rig(kTwoRows), "CHANNELS 1", "CHANNELS 2"),
      Replaced(Rig(kTwoRows), "JOINT a name that is long", "JOINT"),
      Replaced(Rig(kTwoRows), "OFFSET 0 1 0", "OFFSET 0 1"),
  };
  for (const std::string& text : texts) {
    ReadAll({text, text, text});
    EXPECT_EQ(cache_.source, nullptr) << text;
  }
}

TEST_F(CacheTest, LimitsAreThoseOfTheClip) {
  ReadAll({Rig(kTwoRows), Rig(kTwoRows)});
  Limits limits;
  limits.max_joints = 2;
  Read(Rig(kTwoRows), limits);
  limits = {};
  limits.max_name_bytes = 8;
  Read(Rig(kTwoRows), limits);
  limits = {};
  limits.max_line_bytes = 30;
  Read(Rig(kTwoRows), limits);
  limits = {};
  limits.max_header_bytes = 100;
  Read(Rig(kTwoRows), limits);
  Read(Rig(kTwoRows));
}

TEST_F(CacheTest, NamesAreInTheEncodingOfTheClip) {
  // Valid in two encodings, so that nothing is logged with either.
  const std::string text = Replaced(Rig(kTwoRows), "Pelvis", "\xB0\xA1");
  for (const TextEncoding names :
       {TextEncoding::kGbk, TextEncoding::kGbk, TextEncoding::kGbk,
        TextEncoding::kCp949, TextEncoding::kUnknown, TextEncoding::kGbk}) {
    Read(text, {}, names);
  }
}

TEST_F(CacheTest, OtherBytesForTheSame) {
  std::string crlf;
  for (const char c : Rig(kTwoRows))
    crlf += c == '\n' ? "\r\n" : std::string(1, c);
  const std::string marked = "\xEF\xBB\xBF" + Rig(kTwoRows);
  ReadAll({crlf, crlf, crlf, marked, marked, marked, Rig(kTwoRows), crlf});
}

TEST_F(CacheTest, LongHierarchiesAreNotKept) {
  const std::string blanks(static_cast<size_t>(kMaxCachedBytes), ' ');
  const std::string text = blanks + Rig(kTwoRows);
  ReadAll({text, text, text});
  EXPECT_TRUE(cache_.text.empty());
}

}  // namespace
}  // namespace bvhmill::testing
