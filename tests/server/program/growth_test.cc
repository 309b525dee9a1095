// The server counts about the memory that a clip takes: its resident memory is
// compared with its own gauge, for each format, edit and route.

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "bench/server/load_client.h"
#include "bench/server/server_process.h"
#include "tests/attack/peer.h"
#include "tests/server/fixture.h"
#include "tests/support/pack.h"

namespace bvhmill::testing {
namespace {

// Counted and real memory differ by at most a fifth, and what a server takes
// for any clip.
constexpr double kMaxRatio = 1.2;
constexpr double kSlackMb = 16;
// Bytes that gRPC buffers of a stream that sends at full speed. They are
// limited by --max-transport-bytes and count for no clip.
constexpr double kTransportMb = 16;

constexpr int kJoints = 60;
constexpr int kFrames = 20'000;
constexpr size_t kChunk = size_t{256} << 10;

// Joints of a chain, the first of which have names that outputs for avatars
// know. About 20 MB of values in 45 MB of text.
std::string LargeClip() {
  const std::string kNames[] = {"mPelvis", "mTorso", "mChest", "mNeck",
                                "mHead"};
  std::string out = "HIERARCHY\n";
  for (int i = 0; i < kJoints; ++i) {
    const auto at = static_cast<size_t>(i);
    const std::string name =
        at < std::size(kNames) ? kNames[at] : "J" + std::to_string(i);
    out += (i == 0 ? "ROOT " : "JOINT ") + name + "\n{\nOFFSET 0 1 0\n" +
           (i == 0 ? "CHANNELS 6 Xposition Yposition Zposition Zrotation "
                     "Xrotation Yrotation\n"
                   : "CHANNELS 3 Zrotation Xrotation Yrotation\n");
  }
  for (int i = 0; i < kJoints; ++i) out += "}\n";
  out +=
      "MOTION\nFrames: " + std::to_string(kFrames) + "\nFrame Time: 0.0025\n";
  for (int frame = 0; frame < kFrames; ++frame) {
    for (int column = 0; column < 3 + 3 * kJoints; ++column) {
      const int value = (frame * 7 + column * 131) % 17'991;
      out += std::to_string(value / 100) + "." +
             std::to_string(10 + value % 90) + "125 ";
    }
    out.back() = '\n';
  }
  return out;
}

using Change = void (*)(v1::ConvertOptions* options);

struct Case {
  const char* name;
  Change change;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

v1::OutputRequest* Add(v1::ConvertOptions* options) {
  v1::OutputRequest* output = options->add_outputs();
  output->set_id(std::to_string(options->outputs_size()));
  return output;
}

void AddNpz(v1::ConvertOptions* o) { Add(o)->mutable_npz(); }

// An .anim of any clip, also of one that is no figure.
v1::AnimFormat* AddAnim(v1::ConvertOptions* o) {
  v1::AnimFormat* anim = Add(o)->mutable_anim();
  anim->set_accept_odd(true);
  return anim;
}

void AddMatrices(v1::ConvertOptions* o, v1::TensorLayout layout) {
  v1::RotationsFormat* rotations = Add(o)->mutable_rotations();
  rotations->set_rotation_kind(v1::ROTATION_KIND_MATRIX);
  rotations->set_layout(layout);
}

const Case kFormats[] = {
    {"None", [](auto*) {}},
    {"Positions", [](auto* o) { Add(o)->mutable_positions(); }},
    {"PositionsJointMajor",
     [](auto* o) {
       Add(o)->mutable_positions()->set_layout(v1::TENSOR_LAYOUT_JOINT_MAJOR);
     }},
    {"Matrices",
     [](auto* o) { AddMatrices(o, v1::TENSOR_LAYOUT_FRAME_MAJOR); }},
    {"MatricesJointMajor",
     [](auto* o) { AddMatrices(o, v1::TENSOR_LAYOUT_JOINT_MAJOR); }},
    {"Velocities", [](auto* o) { Add(o)->mutable_velocities(); }},
    {"VelocitiesJointMajor",
     [](auto* o) {
       Add(o)->mutable_velocities()->set_layout(v1::TENSOR_LAYOUT_JOINT_MAJOR);
     }},
    {"Npz", AddNpz},
    {"Csv", [](auto* o) { Add(o)->mutable_csv(); }},
    {"Bvh", [](auto* o) { Add(o)->mutable_bvh(); }},
    {"BvhDecimals", [](auto* o) { Add(o)->mutable_bvh()->set_decimals(30); }},
    {"Anim", [](auto* o) { AddAnim(o); }},
    {"AnimViewer",
     [](auto* o) { AddAnim(o)->set_profile(v1::ANIM_PROFILE_VIEWER); }},
    {"Several", [](auto* o) {
       AddNpz(o);
       Add(o)->mutable_csv();
       Add(o)->mutable_bvh();
       AddAnim(o);
       AddMatrices(o, v1::TENSOR_LAYOUT_JOINT_MAJOR);
     }}};

const Case kEdits[] = {
    {"Drop", [](auto* o) { o->mutable_edits()->add_drop("J4*"); }},
    {"Keep", [](auto* o) { o->mutable_edits()->add_keep("m*"); }},
    {"Rename",
     [](auto* o) { (*o->mutable_edits()->mutable_rename())["J9"] = "Other"; }},
    {"Range",
     [](auto* o) {
       o->mutable_edits()->mutable_frames()->set_begin(5'000);
       o->mutable_edits()->mutable_frames()->set_step(2);
     }},
    {"MoreFrames", [](auto* o) { o->mutable_edits()->set_fps(1000); }},
    {"FewerFrames", [](auto* o) { o->mutable_edits()->set_fps(100); }},
    {"UpAxis",
     [](auto* o) {
       o->mutable_read()->set_up(v1::AXIS_Y);
       o->mutable_edits()->set_to_up(v1::AXIS_Z);
     }},
    {"Units",
     [](auto* o) {
       o->mutable_read()->set_units(0.01);
       o->mutable_edits()->set_to_units(1);
     }},
    {"InPlace",
     [](auto* o) {
       o->mutable_read()->set_up(v1::AXIS_Y);
       o->mutable_edits()->set_in_place(true);
     }},
    {"Aligned", [](auto* o) { o->mutable_edits()->set_root_axes("xzy"); }}};

class GrowthTest : public ::testing::TestWithParam<Case> {
 protected:
  static void SetUpTestSuite() { text_ = new std::string(LargeClip()); }
  static void TearDownTestSuite() {
    delete text_;
    text_ = nullptr;
  }

  void SetUp() override {
    metrics_ = "127.0.0.1:" + std::to_string(attack::FreePort());
    process_ = std::make_unique<bench::ServerProcess>(
        BVHMILL_BIN "/bvhmilld",
        std::vector<std::string>{"--listen", "127.0.0.1:0", "--metrics",
                                 metrics_, "--log", "off",
                                 "--max-unary-response-bytes", "0"});
    stub_ = bench::Connect(process_->address());
    // Convert a small clip first, so that one-time memory is taken before.
    const std::string small = SmallClip(2'000);
    bool refused = false;
    ASSERT_TRUE(bench::ConvertUnary(stub_.get(), small, &refused));
    ASSERT_TRUE(bench::ConvertOverStream(stub_.get(), small, 1).ok);
    idle_mb_ = process_->PeakMb();
  }

  // Converts the clip in one call; its text is packed to fit a message.
  void Call(const v1::ConvertOptions& options) {
    static const std::string packed = Zstd(*text_, 1);
    v1::Source source;
    source.set_data(packed);
    source.set_encoding(v1::CONTENT_ENCODING_ZSTD);
    grpc::ClientContext context;
    grpc::Status status;
    if (options.outputs_size() == 0) {
      v1::ValidateClipRequest request;
      *request.mutable_source() = source;
      *request.mutable_options() = options;
      v1::ValidateClipResponse response;
      status = stub_->ValidateClip(&context, request, &response);
    } else {
      v1::ConvertClipRequest request;
      *request.mutable_source() = source;
      *request.mutable_options() = options;
      v1::ConvertClipResponse response;
      status = stub_->ConvertClip(&context, request, &response);
    }
    EXPECT_TRUE(status.ok()) << status.error_message();
  }

  // The same in chunks over a stream. All that comes is read at once.
  void Stream(const v1::ConvertOptions& options) {
    grpc::ClientContext context;
    const auto stream = stub_->ConvertClips(&context);
    std::thread reader([&] {
      v1::ConvertClipsResponse response;
      bool is_good = false;
      while (stream->Read(&response)) {
        if (response.has_result()) {
          is_good = response.result().status().code() == 0;
          EXPECT_TRUE(is_good) << response.result().status().message();
        }
      }
      EXPECT_TRUE(is_good);
    });
    v1::ConvertClipsRequest begin;
    begin.mutable_begin()->set_key("k");
    *begin.mutable_begin()->mutable_options() = options;
    stream->Write(begin);
    for (size_t at = 0; at < text_->size(); at += kChunk) {
      bench::SendChunk(std::string_view(*text_).substr(at, kChunk),
                       stream.get());
    }
    bench::EndClip(stream.get());
    stream->WritesDone();
    reader.join();
    EXPECT_TRUE(stream->Finish().ok());
  }

  // `beside_mb` of memory are known to count for no clip.
  void ExpectCounted(double beside_mb) {
    const auto bytes = FetchGauge(metrics_, "bvhmill_inflight_bytes_peak");
    const double counted = static_cast<double>(bytes) / (1 << 20);
    const double growth = process_->PeakMb() - idle_mb_;
    EXPECT_GE(counted, growth / kMaxRatio - kSlackMb - beside_mb)
        << "grew by " << growth << " MB, which are not all counted";
    EXPECT_LE(counted, growth * kMaxRatio + kSlackMb)
        << "grew by " << growth << " MB only";
  }

  static std::string* text_;
  std::string metrics_;
  std::unique_ptr<bench::ServerProcess> process_;
  std::unique_ptr<bench::Stub> stub_;
  double idle_mb_ = 0;
};

std::string* GrowthTest::text_ = nullptr;

class FormatGrowth : public GrowthTest {};

TEST_P(FormatGrowth, OfACallIsCounted) {
  v1::ConvertOptions options;
  GetParam().change(&options);
  Call(options);
  ExpectCounted(0);
}

TEST_P(FormatGrowth, OfAStreamIsCounted) {
  v1::ConvertOptions options;
  GetParam().change(&options);
  Stream(options);
  ExpectCounted(kTransportMb);
}

INSTANTIATE_TEST_SUITE_P(Each, FormatGrowth, ::testing::ValuesIn(kFormats),
                         [](const auto& info) { return info.param.name; });

class EditGrowth : public GrowthTest {};

TEST_P(EditGrowth, OfACallIsCounted) {
  v1::ConvertOptions options;
  GetParam().change(&options);
  AddNpz(&options);
  Call(options);
  ExpectCounted(0);
}

TEST_P(EditGrowth, OfAStreamIsCounted) {
  v1::ConvertOptions options;
  GetParam().change(&options);
  AddNpz(&options);
  Stream(options);
  ExpectCounted(kTransportMb);
}

INSTANTIATE_TEST_SUITE_P(Each, EditGrowth, ::testing::ValuesIn(kEdits),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bvhmill::testing
