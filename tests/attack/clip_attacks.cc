// Small requests for clips that would take much memory or time.

#include <string>

#include "tests/attack/clip_case.h"
#include "tests/attack/texts.h"

namespace bvhmill::attack {
namespace {

using Request = v1::ConvertClipRequest;

constexpr int kMaxOutputs = 16;
constexpr int64_t kMaxJoints = 20'000;
constexpr size_t kMaxNameBytes = 4096;

std::string LongName() { return std::string(kMaxNameBytes, 'n'); }

void RenameToLong(const std::string& name, Request* request) {
  (*request->mutable_options()->mutable_edits()->mutable_rename())[name] =
      LongName();
}

Request NoFrames() {
  Request request = ZstdRequest(WideSkeleton(3, "a", 3) + Motion(0, "", 0));
  AddOutput(&request)->mutable_npz();
  return request;
}

Request NpzOfOneWideJoint() {
  constexpr int64_t kChannels = 199'000;
  Request request = ZstdRequest(WideSkeleton(kMaxJoints, "a", kChannels) +
                                Motion(1, Times("0 ", kChannels), 1));
  AddOutput(&request)->mutable_npz();
  return request;
}

Request NpzOfOneLongName() {
  std::string skeleton = WideSkeleton(kMaxJoints, "a");
  skeleton.replace(skeleton.find("JOINT a"), 7, "JOINT " + LongName());
  Request request = ZstdRequest(skeleton + Motion(1, "", 1));
  for (int i = 0; i < kMaxOutputs; ++i) {
    AddOutput(&request)->mutable_npz()->set_end_sites(i % 2 == 0);
  }
  return request;
}

Request EqualMapRows() {
  Request request =
      ZstdRequest(WideSkeleton(kMaxJoints, "a") + Motion(1, "", 1));
  for (int64_t i = 0; i < kMaxJoints; ++i) {
    v1::JointMapRow* row =
        request.mutable_options()->mutable_edits()->add_joint_map_rows();
    row->set_source("a");
    row->set_target("b");
  }
  return request;
}

Request ManyPatterns() {
  Request request = ZstdRequest(
      WideSkeleton(kMaxJoints, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab") +
      Motion(1, "", 1));
  v1::ClipEdits* edits = request.mutable_options()->mutable_edits();
  for (int64_t i = 0; i < kMaxJoints; ++i) {
    edits->add_drop("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" + std::to_string(i) +
                    "*");
  }
  AddOutput(&request)->mutable_positions();
  return request;
}

Request ManyOrdinals() {
  Request request =
      ZstdRequest(WideSkeleton(kMaxJoints, "a") + Motion(1, "", 1));
  auto* names = request.mutable_options()->mutable_edits()->mutable_rename();
  for (int64_t i = 1; i < kMaxJoints; ++i) {
    (*names)["a#" + std::to_string(i)] = "b";
  }
  AddOutput(&request)->mutable_positions();
  return request;
}

Request CsvOfLongNames() {
  Request request =
      ZstdRequest(WideSkeleton(kMaxJoints, "a") + Motion(1, "", 1));
  RenameToLong("a", &request);
  for (int i = 0; i < kMaxOutputs; ++i) {
    AddOutput(&request)->mutable_csv()->set_end_sites(i % 2 == 0);
  }
  return request;
}

Request BvhOfChainWithLeaves() {
  constexpr int64_t kChain = 9'999;
  std::string skeleton = ChainSkeleton(kChain, "a");
  const std::string leaf = "End Site\n{\nOFFSET 0 1 0\n}\n";
  skeleton.insert(skeleton.find(leaf), Times(leaf, 10'000));
  Request request = ZstdRequest(skeleton + Motion(1, "", 1));
  RenameToLong("a", &request);
  AddOutput(&request)->mutable_bvh();
  return request;
}

Request BvhOfDeepChain() {
  Request request = ZstdRequest(ChainSkeleton(9'999, "a") + Motion(1, "", 1));
  for (int i = 0; i < kMaxOutputs; ++i) AddOutput(&request)->mutable_bvh();
  return request;
}

Request BvhOfManyDecimals() {
  constexpr int64_t kChannels = 100'000;
  Request request = ZstdRequest(WideSkeleton(2, "a", kChannels) +
                                Motion(200, Times("3e38 ", kChannels), 200));
  for (int i = 0; i < kMaxOutputs; ++i) {
    AddOutput(&request)->mutable_bvh()->set_decimals(60);
  }
  return request;
}

Request ManyFramesOfNothing() {
  Request request;
  request.mutable_source()->set_data(
      "HIERARCHY\nROOT a\n{\nCHANNELS 0\n}\nMOTION\nFrames: 50000000\nFrame "
      "Time: 0.01\n");
  AddOutput(&request)->mutable_positions();
  return request;
}

Request ManyFramesOfNothingWhole() {
  Request request = ManyFramesOfNothing();
  AddOutput(&request)->mutable_npz();
  AddOutput(&request)->mutable_bvh();
  AddOutput(&request)->mutable_csv();
  AddOutput(&request)->mutable_velocities()->set_layout(
      v1::TENSOR_LAYOUT_JOINT_MAJOR);
  return request;
}

Request WholeArraysOfManyJoints() {
  Request request =
      ZstdRequest(WideSkeleton(kMaxJoints, "a") + Motion(5'000, "", 0));
  for (int i = 0; i < kMaxOutputs / 2; ++i) {
    v1::RotationsFormat* rotations = AddOutput(&request)->mutable_rotations();
    rotations->set_rotation_kind(v1::ROTATION_KIND_MATRIX);
    rotations->set_layout(v1::TENSOR_LAYOUT_JOINT_MAJOR);
    AddOutput(&request)->mutable_velocities()->set_layout(
        v1::TENSOR_LAYOUT_JOINT_MAJOR);
  }
  return request;
}

Request ResampledToMany() {
  Request request = ZstdRequest(WideSkeleton(1'000, "a", 3) +
                                Motion(2, "0 0 90", 2, "100000"));
  request.mutable_options()->mutable_edits()->set_fps(400);
  AddOutput(&request)->mutable_csv();
  return request;
}

Request ResampledWhole() {
  Request request = ResampledToMany();
  AddOutput(&request)->mutable_npz();
  AddOutput(&request)->mutable_bvh();
  return request;
}

Request LongNamesOfAll() {
  Request request =
      ZstdRequest(WideSkeleton(kMaxJoints, LongName()) + Motion(1, "", 1));
  AddOutput(&request)->mutable_npz();
  return request;
}

Request ManyIssues() {
  std::string text = "HIERARCHY\n";
  for (int64_t i = 0; i < kMaxJoints; ++i) {
    text += "ROOT " + std::to_string(i) + std::string(1'000, 'x') +
            "\n{\nOFFSET nan nan\nCHANNELS 9 bad worse\n}\n";
  }
  Request request = ZstdRequest(text + Motion(3, "1 2 x", 100'000));
  v1::ValidationOptions* options =
      request.mutable_options()->mutable_validation();
  options->set_max_issues(1'000'000'000);
  return request;
}

Request BrokenRows() {
  Request request =
      ZstdRequest(WideSkeleton(2, "a", 3) + Motion(9, "1 x nan 7", 10'000'000));
  AddOutput(&request)->mutable_positions();
  return request;
}

Request OneLongLine() {
  Request request =
      ZstdRequest("HIERARCHY\nROOT " + std::string(63 << 20, 'x'));
  AddOutput(&request)->mutable_positions();
  return request;
}

Request WideText() {
  // Each character of UTF-32 is read as one byte.
  std::string text(std::string("\xFF\xFE\0\0", 4));
  text += Times(std::string("H\0\0\0", 4), 100'000'000);
  Request request = ZstdRequest(text);
  AddOutput(&request)->mutable_positions();
  return request;
}

// Text that unfolds to gigabytes, without end of its rows.
std::string RowsWithoutEnd(std::string (*pack)(const std::string&)) {
  const std::string head =
      WideSkeleton(1, "a", 3) + "MOTION\nFrames: 900000000\nFrame Time: 0.01\n";
  const std::string piece = pack(Times("1 1 1\n", 8'000'000));
  return pack(head) + Times(piece, 40);
}

std::string PackZstd(const std::string& text) { return Zstd(text); }

Request ZstdBomb() {
  Request request;
  request.mutable_source()->set_data(RowsWithoutEnd(PackZstd));
  request.mutable_source()->set_encoding(v1::CONTENT_ENCODING_ZSTD);
  AddOutput(&request)->mutable_positions();
  return request;
}

Request GzipBomb() {
  Request request;
  request.mutable_source()->set_data(RowsWithoutEnd(Gzip));
  request.mutable_source()->set_encoding(v1::CONTENT_ENCODING_GZIP);
  AddOutput(&request)->mutable_positions();
  return request;
}

const ClipCase kCases[] = {
    {"no-frames", "`Frames: 0` and output npz", NoFrames, Route::kStream},
    {"npz-wide-joint", "npz pads 20,000 joints to the 199,000 channels of one",
     NpzOfOneWideJoint},
    {"npz-wide-joint-stream", "the same over a stream", NpzOfOneWideJoint,
     Route::kStream},
    {"npz-long-name", "16 npz pad 20,000 names to the 4,096 bytes of one",
     NpzOfOneLongName, Route::kStream},
    {"npz-long-names", "20,000 names of 4,096 bytes", LongNamesOfAll,
     Route::kStream},
    {"map-rows", "20,000 equal rows of a joint map on 20,000 equal names",
     EqualMapRows, Route::kValidate},
    {"map-rows-packed", "the same, packed by gRPC", EqualMapRows,
     Route::kValidate, true},
    {"drop-patterns", "20,000 patterns to drop on 20,000 joints", ManyPatterns},
    {"rename-ordinals", "20,000 joints of one name renamed by number",
     ManyOrdinals},
    {"csv-long-names", "16 csv name 20,000 joints of 4,096 bytes three times",
     CsvOfLongNames, Route::kStream},
    {"bvh-leaves", "bvh of a chain of 9,999 with 10,001 leaves, long names",
     BvhOfChainWithLeaves},
    {"bvh-leaves-validate", "ValidateClip of the same", BvhOfChainWithLeaves,
     Route::kValidate},
    {"bvh-deep", "16 bvh of a chain of 9,999, indented", BvhOfDeepChain,
     Route::kStream},
    {"bvh-decimals", "16 bvh with 60 decimals of 20 million large values",
     BvhOfManyDecimals, Route::kStream},
    {"no-channels", "50,000,000 frames without channels", ManyFramesOfNothing,
     Route::kStream},
    {"no-channels-call", "the same in a call", ManyFramesOfNothing},
    {"no-channels-whole", "the same as npz, bvh and csv",
     ManyFramesOfNothingWhole, Route::kStream},
    {"whole-arrays", "16 whole arrays of 20,000 joints and 5,000 frames",
     WholeArraysOfManyJoints, Route::kStream},
    {"resample", "two frames become 40,000,000", ResampledToMany,
     Route::kStream},
    {"resample-whole", "the same as npz and bvh", ResampledWhole,
     Route::kStream},
    {"issues", "a report of 20,000 long names and 100,000 broken rows",
     ManyIssues, Route::kValidate},
    {"broken-rows", "10,000,000 rows that are broken", BrokenRows,
     Route::kStream},
    {"long-line", "a line of 63 MB", OneLongLine, Route::kStream},
    {"wide-text", "400 MB of UTF-32", WideText, Route::kStream},
    {"zstd-bomb", "zstd that unfolds to 1.9 GB of rows, in a call", ZstdBomb},
    {"zstd-bomb-stream", "the same over a stream", ZstdBomb, Route::kStream},
    {"gzip-bomb", "gzip that unfolds to 1.9 GB of rows, in a call", GzipBomb},
    {"gzip-bomb-stream", "the same over a stream", GzipBomb, Route::kStream},
    {"zstd-bomb-cancelled", "calls with it, given up after 100 ms", ZstdBomb,
     Route::kConvert, false, 100},
    {"gzip-bomb-cancelled", "the same of gzip", GzipBomb, Route::kConvert,
     false, 100},
    {"gzip-bomb-stream-cancelled", "the same over streams", GzipBomb,
     Route::kStream, false, 100},
    {"resample-cancelled", "40,000,000 frames, given up after 100 ms",
     ResampledWhole, Route::kStream, false, 100}};

}  // namespace

std::vector<ClipCase> ClipCases() {
  return {std::begin(kCases), std::end(kCases)};
}

std::vector<Attack> ClipAttacks() {
  std::vector<Attack> out;
  for (const ClipCase& clip : kCases) out.push_back(ToAttack(clip));
  return out;
}

}  // namespace bvhmill::attack
