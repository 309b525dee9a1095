#include "bench/read/read_runs.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "bench/read/read_baselines.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/text/rows.h"

namespace bvhmill::bench {
namespace {

constexpr size_t kPieceBytes = size_t{256} * 1024;

void PushPieces(std::string_view text, BvhReader* reader) {
  for (; !text.empty();
       text.remove_prefix(std::min(kPieceBytes, text.size()))) {
    reader->Add(text.substr(0, kPieceBytes));
  }
}

bool IsSame(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

}  // namespace

Subject::Subject(std::string bvh) : text(std::move(bvh)) {
  rows = std::string_view(text).substr(
      text.find('\n', text.find("Frame Time:")) + 1);
  IssueLog log({});
  const ReadResult read = ReadBvh(text, {}, &log);
  width = read.clip.skeleton.channels.size();
  values.resize(read.clip.motion.values.size());
}

void ReadWhole(std::string_view text, RowsTarget target, Parallel* parallel,
               ParsedClip* read) {
  IssueLog log({});
  ReadOptions options;
  options.target = target;
  options.parallel = parallel;
  ReadBvhInto(text, options, &log, read);
}

int64_t ReadStream(std::string_view text, ParsedClip* read) {
  IssueLog log({});
  BvhReader reader({}, &log, read);
  PushPieces(text, &reader);
  reader.Finish();
  return read->motion_read ? read->motion.frames : -1;
}

std::string FindDifference(const Subject& subject, Parallel* parallel) {
  std::vector<float> expected(subject.values.size());
  std::vector<float> values(subject.values.size());
  if (expected.empty()) return "nothing was read";
  ReadRowsByStrtof(subject.rows, expected);
  ReadRowsByFastFloat(subject.rows, values);
  if (!IsSame(values, expected)) return "fast_float";
  RowsWorkspace workspace;
  for (const RowsTarget target : {RowsTarget::kScalar, RowsTarget::kAvx2,
                                  RowsTarget::kAvx512, RowsTarget::kNeon}) {
    if (!IsSupported(target)) continue;
    std::fill(values.begin(), values.end(), -1.0F);
    ScanRows(target, subject.rows, subject.width, values, &workspace);
    if (!IsSame(values, expected)) {
      return std::string(RowsTargetName(target));
    }
  }
  for (Parallel* threads : {static_cast<Parallel*>(nullptr), parallel}) {
    ParsedClip read;
    ReadWhole(subject.text, BestRowsTarget(), threads, &read);
    if (!read.motion_read || !IsSame(read.motion.values, expected)) {
      return "the whole text";
    }
  }
  ParsedClip streamed;
  return ReadStream(subject.text, &streamed) > 0 &&
                 IsSame(streamed.motion.values, expected)
             ? ""
             : "the stream";
}

}  // namespace bvhmill::bench
