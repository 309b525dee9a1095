#include "bench/soak/soak_clips.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "bench/support/corpus.h"
#include "bench/support/gzip.h"
#include "bvhmill/base/status.h"
#include "bvhmill/encode/report_json.h"
#include "bvhmill/wire/options.h"
#include "bvhmill/wire/result.h"
#include "bvhmill/wire/status.h"

namespace bvhmill::bench {
namespace {

constexpr int kSmall = 60;
constexpr int kBig = 6;

void AddOutput(int which, v1::ConvertOptions* options) {
  v1::OutputRequest* output = options->add_outputs();
  output->set_id("o" + std::to_string(options->outputs_size()));
  switch (which) {
    case 0:
      output->mutable_positions()->set_layout(v1::TENSOR_LAYOUT_JOINT_MAJOR);
      break;
    case 1:
      output->mutable_rotations()->set_rotation_kind(v1::ROTATION_KIND_6D);
      break;
    case 2:
      output->mutable_velocities();
      break;
    case 3:
      output->mutable_npz();
      break;
    case 4:
      output->mutable_csv();
      break;
    case 5:
      output->mutable_bvh();
      break;
    case 6:
      output->mutable_anim()->set_profile(v1::ANIM_PROFILE_VIEWER);
      break;
    default:
      output->mutable_positions()->set_end_sites(true);
      break;
  }
}

v1::ConvertOptions MakeOptions(Random* random) {
  v1::ConvertOptions options;
  for (int i = Pick(1, 3, random); i > 0; --i) {
    AddOutput(Pick(0, 12, random), &options);
  }
  if (Pick(0, 4, random) == 0) options.mutable_edits()->set_fps(25);
  if (Pick(0, 6, random) == 0) {
    options.mutable_edits()->mutable_frames()->set_begin(3);
    options.mutable_edits()->mutable_frames()->set_end(1'000'000);
  }
  return options;
}

// `text` with one of the faults that files have.
std::string Broken(std::string text, Random* random) {
  const int last = static_cast<int>(text.size()) - 1;
  const auto somewhere = static_cast<size_t>(Pick(0, last, random));
  switch (Pick(0, 3, random)) {
    case 0:
      text.resize(somewhere);
      break;
    case 1:
      text[somewhere] = '{';
      break;
    case 2:
      text.insert(somewhere, " 1,5 ");
      break;
    default:
      text.erase(0, text.find('{'));
      break;
  }
  return text;
}

// The parts of an answer that `status` decides.
SoakAnswer AnswerOfStatus(const absl::Status& status) {
  const CallError error = CallErrorOf(status);
  SoakAnswer answer;
  answer.code = static_cast<int>(status.code());
  answer.reason = error.reason;
  answer.message = std::string(MessageOf(status));
  answer.may_retry = !FindArg(error, "retry_after_ms").empty();
  return answer;
}

SoakAnswer AnswerOfResult(const ConvertResult& result,
                          std::vector<std::string> outputs) {
  SoakAnswer answer = AnswerOfStatus(result.status);
  // The args of issues are a map on the wire.
  Report report = result.report;
  for (Issue& issue : report.issues) {
    std::sort(issue.args.begin(), issue.args.end());
  }
  answer.report = ReportJson("", report, result.info);
  if (result.status.ok()) answer.outputs = std::move(outputs);
  return answer;
}

SoakAnswer ByLibrary(const std::string& text, const v1::ConvertOptions& message,
                     bool checks_only) {
  ConvertOptions options;
  const absl::Status good = wire::FromProto(message, &options);
  if (!good.ok()) std::terminate();
  options.checks_only = checks_only;
  StringReceiver receiver;
  ConvertResult result =
      Convert(text, options, checks_only ? nullptr : &receiver, nullptr);
  // The compared result is the message that a server would send.
  v1::ClipResult sent;
  wire::ToProto(result, &sent);
  return AnswerOf(sent, std::move(receiver.data()));
}

// Packs a clip; some good ones so that they cannot be unpacked.
void Pack(Random* random, SoakClip* clip) {
  clip->data = Gzip(clip->data);
  clip->encoding = v1::CONTENT_ENCODING_GZIP;
  if (clip->converted.code != 0 || Pick(0, 3, random) > 0) return;
  clip->data.resize(clip->data.size() / 2);
  clip->converted = {};
  clip->converted.code = static_cast<int>(absl::StatusCode::kInvalidArgument);
  clip->converted.reason = "ENCODING_BROKEN";
  clip->checked = clip->converted;
}

SoakClip MakeClip(int index, int most_frames, Random* random) {
  SoakClip clip;
  const bool is_broken = index % 4 == 3;
  clip.name = (is_broken ? "broken" : "good") + std::to_string(index);
  clip.data =
      MakeTake(Pick(1, 60, random), Pick(most_frames / 8, most_frames, random),
               Pick(2, 9, random));
  if (is_broken) clip.data = Broken(std::move(clip.data), random);
  clip.options = MakeOptions(random);
  clip.converted = ByLibrary(clip.data, clip.options, false);
  clip.checked = ByLibrary(clip.data, clip.options, true);
  if (index % 3 == 1) Pack(random, &clip);
  return clip;
}

}  // namespace

SoakAnswer AnswerOf(const v1::ClipResult& result,
                    std::vector<std::string> outputs) {
  return AnswerOfResult(wire::FromProto(result), std::move(outputs));
}

SoakAnswer AnswerOf(const grpc::Status& status) {
  return AnswerOfStatus(
      wire::FromDetails(static_cast<absl::StatusCode>(status.error_code()),
                        status.error_message(), status.error_details()));
}

SoakClips MakeSoakClips(uint32_t seed) {
  Random random(seed);
  SoakClips clips;
  for (int i = 0; i < kSmall; ++i) {
    clips.small.push_back(MakeClip(i, 100, &random));
  }
  for (int i = 0; i < kBig; ++i) {
    clips.big.push_back(MakeClip(i, 20'000, &random));
  }
  return clips;
}

}  // namespace bvhmill::bench
