// Compares poses from the server with an oracle: 4x4 matrices in double
// precision that share no code with the library.

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tests/kinematics/compare.h"
#include "tests/server/fixture.h"

namespace bvhmill::testing {
namespace {

v1::ConvertOptions AllPoses(bool with_end_sites) {
  v1::ConvertOptions options;
  options.add_outputs()->mutable_positions()->set_end_sites(with_end_sites);
  for (const auto space :
       {v1::ROTATION_SPACE_WORLD, v1::ROTATION_SPACE_LOCAL}) {
    v1::OutputRequest* output = options.add_outputs();
    output->set_id(v1::RotationSpace_Name(space));
    output->mutable_rotations()->set_rotation_space(space);
    output->mutable_rotations()->set_end_sites(with_end_sites);
  }
  return options;
}

std::vector<float> Floats(const std::string& bytes) {
  std::vector<float> floats(bytes.size() / sizeof(float));
  EXPECT_EQ(bytes.size() % sizeof(float), 0);
  std::memcpy(floats.data(), bytes.data(), floats.size() * sizeof(float));
  return floats;
}

// `outputs` are those of AllPoses.
void ExpectAsOracle(const std::vector<std::string>& outputs,
                    const std::string& text, bool with_end_sites) {
  ASSERT_EQ(outputs.size(), 3);
  const Solved solved = {Floats(outputs[0]), Floats(outputs[1]),
                         Floats(outputs[2])};
  ExpectAsOracle(solved, ReadForOracle(text), {}, with_end_sites,
                 kVectorTolerance);
}

class ReferenceTest : public ServerTest {
 protected:
  std::vector<std::string> Unary(const std::string& text,
                                 const v1::ConvertOptions& options) {
    v1::ConvertClipRequest request;
    request.mutable_source()->set_data(text);
    *request.mutable_options() = options;
    v1::ConvertClipResponse response;
    grpc::ClientContext context;
    EXPECT_TRUE(clips_->ConvertClip(&context, request, &response).ok());
    std::vector<std::string> outputs;
    for (const v1::Output& output : response.result().outputs()) {
      outputs.push_back(output.data());
    }
    return outputs;
  }

  // Sends `text` in pieces of `piece` bytes.
  std::vector<std::string> Streamed(std::string_view text,
                                    const v1::ConvertOptions& options,
                                    size_t piece) {
    grpc::ClientContext context;
    const auto stream = clips_->ConvertClips(&context);
    v1::ConvertClipsRequest request;
    *request.mutable_open()->mutable_options() = options;
    EXPECT_TRUE(stream->Write(request));
    request.mutable_begin()->set_key("clip");
    EXPECT_TRUE(stream->Write(request));
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
      request.set_chunk(std::string(text.substr(0, piece)));
      EXPECT_TRUE(stream->Write(request));
    }
    request.mutable_end();
    EXPECT_TRUE(stream->Write(request));
    stream->WritesDone();
    std::vector<std::string> outputs(
        static_cast<size_t>(options.outputs_size()));
    v1::ConvertClipsResponse response;
    while (stream->Read(&response)) {
      if (!response.has_output_chunk()) continue;
      const v1::OutputChunk& chunk = response.output_chunk();
      outputs.at(static_cast<size_t>(chunk.output_index())) += chunk.data();
    }
    EXPECT_TRUE(stream->Finish().ok());
    return outputs;
  }
};

TEST_F(ReferenceTest, UnaryPosesAreThoseOfTheOracle) {
  Start();
  for (const bool with_end_sites : {false, true}) {
    for (const int frames : {1, 2, 61, 500}) {
      SCOPED_TRACE(frames);
      const std::string text = SmallClip(frames);
      ExpectAsOracle(Unary(text, AllPoses(with_end_sites)), text,
                     with_end_sites);
    }
  }
}

TEST_F(ReferenceTest, StreamedPosesAreThoseOfTheOracle) {
  Start();
  for (const bool with_end_sites : {false, true}) {
    const std::string text = SmallClip(300);
    for (const size_t piece : {size_t{100}, size_t{4096}, text.size()}) {
      SCOPED_TRACE(piece);
      ExpectAsOracle(Streamed(text, AllPoses(with_end_sites), piece), text,
                     with_end_sites);
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
