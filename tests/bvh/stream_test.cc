// A stream gives what the whole text gives, however it is cut.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/bvh/hierarchy.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/encode/report_json.h"
#include "tests/support/clips.h"
#include "tests/support/files.h"
#include "tests/support/read_in_pieces.h"

namespace bvhmill::testing {
namespace {

std::string JsonOf(const ReadResult& read, IssueLog* log) {
  const Report report = log->Finish(read.skeleton_read, read.motion_read);
  return ReportJson("", report, {});
}

struct Whole {
  ReadResult read;
  std::string json;
};

Whole ReadWhole(std::string_view text, const ReadOptions& options) {
  IssueLog log({});
  Whole whole = {ReadBvh(text, options, &log), {}};
  whole.json = JsonOf(whole.read, &log);
  return whole;
}

void ExpectAsWhole(const ReadResult& read, const Whole& whole, IssueLog* log) {
  EXPECT_EQ(read.skeleton_read, whole.read.skeleton_read);
  EXPECT_EQ(read.motion_read, whole.read.motion_read);
  EXPECT_EQ(JsonOf(read, log), whole.json);
  if (read.skeleton_read) {
    EXPECT_EQ(read.node_positions.size(), whole.read.node_positions.size());
    ExpectSameClip(read.clip, whole.read.clip);
  }
}

template <typename Size>
void ExpectAsWhole(std::string_view text, const ReadOptions& options,
                   const Whole& whole, const Size& size) {
  IssueLog log({});
  ExpectAsWhole(ReadInPieces(text, options, size, &log), whole, &log);
}

// Every single cut, and pieces of some sizes, with a memory for hierarchies.
void ExpectSameForEveryCut(std::string_view text, ReadOptions options) {
  const Whole whole = ReadWhole(text, options);
  HierarchyCache cache;
  options.cache = &cache;
  for (const size_t size : {1, 2, 3, 5, 64, 1000, 4096, 70'000}) {
    if (size > 2 * text.size()) continue;
    SCOPED_TRACE("pieces of " + std::to_string(size));
    ExpectAsWhole(text, options, whole, [&](int64_t) { return size; });
  }
  const size_t step = 1 + text.size() / 500;
  for (size_t cut = 0; cut <= text.size(); cut += step) {
    SCOPED_TRACE("cut at " + std::to_string(cut));
    ExpectAsWhole(text, options, whole,
                  [&](int64_t i) { return i == 0 ? cut : text.size(); });
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Stream, EveryCutOfEveryCase) {
  for (const char* folder : {"cases", "golden"}) {
    for (const std::string& path : FilesIn(TestData(folder), ".bvh")) {
      SCOPED_TRACE(path);
      ExpectSameForEveryCut(ReadFile(path), {});
      if (HasFailure()) return;
    }
  }
}

// Decisions that look ahead are the same with a smaller look-ahead.
TEST(Stream, EveryCutOfEveryCaseWithLittleLookAhead) {
  ReadOptions options;
  options.look_ahead_bytes = 20;
  for (const char* folder : {"cases", "golden", "malformed"}) {
    for (const std::string& path : FilesIn(TestData(folder), ".bvh")) {
      SCOPED_TRACE(path);
      ExpectSameForEveryCut(ReadFile(path), options);
      if (HasFailure()) return;
    }
  }
}

constexpr std::string_view kLongLineHeader =
    "HIERARCHY\nROOT a\n{\n OFFSET 0 0 0\n CHANNELS 3 Xposition\n Yposition "
    "Zposition\n End Site\n {\n OFFSET 0 1 0\n }\n}\nMOTION\n";

// A line that is too long is refused at any place and with any content: a
// stream has not seen the rest of that line.
TEST(Stream, LongLinesOfEveryKind) {
  const std::string blanks(60, ' ');
  const std::string comment = "# " + std::string(58, 'c');
  const std::string full = "1 2 3" + std::string(45, ' ') + "\r\n";
  const std::string texts[] = {
      "Frames: 2\nFrame Time: 1\n1 2 3\n" + comment + " 1 2 3\n4 5 6\n",
      "Frames: 2\nFrame Time: 1\n1 2 3\n" + blanks + "4 5 6\n",
      "Frames: 1\nFrame Time: 1\n1 2 3\n" + blanks + "4 5 6\n",
      "Frames: 3\nFrame Time: 1\n1 2\n3 4\nx\n" + comment + "\n1 2 3\n",
      "Frames: 3\nFrame Time: 1\n1 2\n3 4\n5 6 7\n" + blanks + "8 9\n",
      "Frames: 4\nFrame Time: 1\n" + full + full + full + "1 2 nan\r\n",
  };
  for (const size_t look_ahead : {size_t{1}, kLookAheadBytes}) {
    ReadOptions options;
    options.limits.max_line_bytes = 50;
    options.look_ahead_bytes = look_ahead;
    for (const std::string& rows : texts) {
      SCOPED_TRACE(rows);
      const std::string text = std::string(kLongLineHeader) + rows;
      const Whole whole = ReadWhole(text, options);
      const bool too_long = rows.find("nan") == std::string::npos;
      EXPECT_EQ(whole.json.find("LIMIT_LINE_BYTES") != std::string::npos,
                too_long)
          << whole.json;
      ExpectSameForEveryCut(text, options);
    }
  }
}

TEST(Stream, EveryCutOfRealFiles) {
  if (RealData().empty()) GTEST_SKIP() << "BVHMILL_DATA is not set";
  for (const std::string& path : FilesIn(RealData() + "/bvh", ".bvh")) {
    const std::string text = ReadFile(path);
    SCOPED_TRACE(path);
    const Whole whole = ReadWhole(text, {});
    for (const size_t size : {1, 7, 1000, 65'536}) {
      if (size < 1000 && text.size() > 300'000) continue;
      ExpectAsWhole(text, {}, whole, [&](int64_t) { return size; });
    }
  }
}

TEST(Stream, EveryCutUnderEveryLimit) {
  std::vector<Limits> all(7);
  all[0].max_frames = 2;
  all[1].max_line_bytes = 68;
  all[2].max_channels = 10;
  all[3].max_header_bytes = 150;
  all[4].max_clip_bytes = 600;
  all[5].max_joints = 2;
  all[6].max_line_bytes = 30;
  for (const Limits& limits : all) {
    ReadOptions options;
    options.limits = limits;
    for (const std::string& path : FilesIn(TestData("golden"), ".bvh")) {
      SCOPED_TRACE(path);
      ExpectSameForEveryCut(ReadFile(path), options);
      if (HasFailure()) return;
    }
  }
}

constexpr std::string_view kRootOnly =
    "HIERARCHY\nROOT a\n{\n OFFSET 0 0 0\n CHANNELS 3 Xposition Yposition "
    "Zposition\n End Site\n {\n OFFSET 0 1 0\n }\n}\nMOTION\n";

std::string FileOf(int64_t frames, std::string_view rows) {
  return std::string(kRootOnly) + "Frames: " + std::to_string(frames) +
         "\nFrame Time: 0.01\n" + std::string(rows);
}

// `frames` frames of counted values, each value followed by what `separator`
// says of its number.
template <typename Separator>
std::string Rows(int64_t frames, const Separator& separator) {
  std::string rows;
  for (int64_t i = 0; i < 3 * frames; ++i) {
    rows += std::to_string(i % 1000) + ".25" + separator(i);
  }
  return rows;
}

struct LongCase {
  std::string_view what;
  std::string text;
  bool good;
  int64_t frames;
};

constexpr int64_t kFrames = 150'000;

LongCase MakeCase(std::string_view what, int64_t declared,
                  const std::string& rows, bool good, int64_t frames) {
  return {what, FileOf(declared, rows), good, frames};
}

// A separator after value `i`: a line end after each `values` values.
auto Every(int64_t values) {
  return [values](int64_t i) { return i % values == values - 1 ? "\n" : " "; };
}

// One frame a line, or nearly.
std::vector<LongCase> RegularCases() {
  const std::string rows = Rows(kFrames, Every(3));
  std::string bad = rows;
  bad[bad.size() / 2] = 'x';
  std::string cr = rows;
  std::replace(cr.begin(), cr.end(), '\n', '\r');
  const auto infinite = [](int64_t i) {
    return i % 6 == 1 ? "e99 " : Every(3)(i);
  };
  const auto split = [](int64_t i) {
    return i == 300'000 ? "\n" : Every(3)(i);
  };
  return {
      MakeCase("regular", kFrames, rows, true, kFrames),
      MakeCase("too few rows", kFrames + 7, rows, true, kFrames),
      MakeCase("too many rows", kFrames - 7, rows, true, kFrames - 7),
      MakeCase("CR alone", kFrames, cr, true, kFrames),
      MakeCase("a word in the middle", kFrames, bad, false, -1),
      MakeCase("a short row in the middle", kFrames + 50, Rows(kFrames, split),
               false, 100'000),
      MakeCase("cut in the last row", kFrames + 1, rows + "1 2", true, kFrames),
      // The fast path must not be tried on each of them.
      MakeCase("every other row is not finite", kFrames,
               Rows(kFrames, infinite), true, kFrames),
  };
}

std::vector<LongCase> FlowCases() {
  const auto blank = [](int64_t) { return " "; };
  const auto crlf = [](int64_t i) { return i % 2 == 1 ? "\r\n" : " "; };
  const auto word = [](int64_t i) { return i == 400'000 ? "x " : Every(2)(i); };
  const auto later = [](int64_t i) {
    return i < 30'000 ? Every(3)(i) : Every(7)(i);
  };
  return {
      MakeCase("all on one line", kFrames, Rows(kFrames, blank) + "\n", true,
               kFrames),
      MakeCase("two values on a line", kFrames, Rows(kFrames, crlf), true,
               kFrames),
      MakeCase("two values on a line, one too few", kFrames + 1,
               Rows(kFrames, Every(2)), false, 0),
      MakeCase("two values on a line, a word late", kFrames,
               Rows(kFrames, word), false, 0),
      MakeCase("a flow from the middle on", kFrames, Rows(kFrames, later), true,
               kFrames),
      // Taken for surplus columns, which are seen in the wild.
      MakeCase("seven values on a line", kFrames, Rows(kFrames, Every(7)),
               false, 0),
  };
}

std::vector<LongCase> SurplusCases() {
  constexpr int64_t kWide = kFrames * 3 / 5;
  const auto short_row = [](int64_t i) {
    return i == 400'002 ? "\n" : Every(5)(i);
  };
  return {
      MakeCase("surplus columns", kWide, Rows(kFrames, Every(5)), true, kWide),
      MakeCase("surplus columns, a short row late", kWide,
               Rows(kFrames, short_row), false, 0),
  };
}

// Longer than readers look ahead.
std::vector<LongCase> LongCases() {
  std::vector<LongCase> cases = RegularCases();
  for (LongCase& c : FlowCases()) cases.push_back(std::move(c));
  for (LongCase& c : SurplusCases()) cases.push_back(std::move(c));
  return cases;
}

TEST(Stream, LongFilesAsWhole) {
  std::mt19937 random(5);
  for (const LongCase& c : LongCases()) {
    SCOPED_TRACE(c.what);
    const Whole whole = ReadWhole(c.text, {});
    EXPECT_EQ(whole.read.motion_read, c.good) << whole.json.substr(0, 500);
    if (c.frames >= 0) {
      EXPECT_EQ(whole.read.clip.motion.frames, c.frames);
    }
    for (const size_t size : {13, 10'000, 262'144}) {
      ExpectAsWhole(c.text, {}, whole,
                    [&](int64_t) { return 1 + random() % (2 * size); });
    }
  }
}

// Every target that scans rows gives the same result on long files.
TEST(Stream, TargetsAgreeOnLongFiles) {
  for (const LongCase& c : LongCases()) {
    SCOPED_TRACE(c.what);
    ReadOptions scalar;
    scalar.target = RowsTarget::kScalar;
    const Whole twin = ReadWhole(c.text, scalar);
    for (const RowsTarget target :
         {RowsTarget::kAvx2, RowsTarget::kAvx512, RowsTarget::kNeon}) {
      if (!IsSupported(target)) continue;
      ReadOptions options;
      options.target = target;
      const Whole fast = ReadWhole(c.text, options);
      EXPECT_EQ(fast.json, twin.json);
      ExpectSameClip(fast.read.clip, twin.read.clip);
    }
  }
}

TEST(Stream, AnEmptyText) {
  const Whole whole = ReadWhole("", {});
  ExpectAsWhole("", {}, whole, [](int64_t) { return 1; });
}

}  // namespace
}  // namespace bvhmill::testing
