#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/pipeline/option_text.h"
#include "client/cli/anim/anim_batch.h"
#include "client/cli/anim/anim_file.h"
#include "client/cli/commands/commands.h"
#include "client/cli/options/option_flags.h"

namespace bvhmill::client {
namespace {

constexpr char kAnimEditExamples[] =
    "  bvhmill anim edit dance.anim -o loop.anim --loop --priority 4\n"
    "  bvhmill anim edit dance.anim -o part.anim --trim 1.5:4 --ease-out 0\n"
    "  bvhmill anim edit dance.anim -o slow.anim --retime 10 --mirror\n"
    "  bvhmill anim edit -r animations -o once --no-loop\n";

using Span = std::pair<float, float>;

struct AnimEditFlags {
  AnimBatch batch;
  bool no_loop = false;
  FormatOptions settings = AnimFormat();
  std::optional<Span> trim;
  std::optional<float> retime;
  std::vector<std::string> drop;
  bool mirror = false;
};

std::optional<float> Seconds(std::string_view word) {
  constexpr float kMax = 60;
  const std::optional<float> value = NumberOf<float>(word);
  return value && *value >= 0 && *value <= kMax ? value : std::nullopt;
}

std::optional<float> SomeSeconds(std::string_view word) {
  const std::optional<float> value = Seconds(word);
  return value && *value > 0 ? value : std::nullopt;
}

std::optional<Span> SpanOf(std::string_view word) {
  const size_t colon = word.find(':');
  if (colon == word.npos) return std::nullopt;
  const std::optional<float> begin = Seconds(word.substr(0, colon));
  const std::optional<float> end = Seconds(word.substr(colon + 1));
  if (!begin || !end || *begin >= *end) return std::nullopt;
  return Span(*begin, *end);
}

absl::Status Apply(const AnimEditFlags& flags, AnimMotion* motion) {
  if (flags.trim) {
    const absl::Status status =
        TrimAnim(flags.trim->first, flags.trim->second, motion);
    if (!status.ok()) {
      return InvalidField("--trim",
                          "goes beyond the end of the animation, at " +
                              Shortest(motion->duration) + " s");
    }
  }
  if (flags.retime && !RetimeAnim(*flags.retime, motion).ok()) {
    return InvalidField("--retime", "the animation has no duration");
  }
  for (const std::string& name : flags.drop) {
    if (DropAnimJoints({&name, 1}, motion) > 0) continue;
    return InvalidField("--drop", "there is no joint " + Quote(name));
  }
  if (flags.mirror) MirrorAnim(motion);
  ApplySettings(std::get<AnimFormat>(flags.settings).settings, motion);
  return absl::OkStatus();
}

// Fails for a motion that the viewer refuses; `log` then has the reasons.
absl::Status WriteChecked(const AnimMotion& motion, std::string* bytes,
                          IssueLog* log) {
  IssueLog reasons({});
  AnimReadResult result;
  BVHMILL_RETURN_IF_ERROR(CheckAnim(motion, &result, &reasons));
  if (!result.plays) {
    *log = std::move(reasons);
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      "the viewer would refuse it");
  }
  StringSink sink(bytes);
  return WriteAnim(motion, &sink);
}

int RunAnimEdit(const CLI::App* app, AnimEditFlags* flags, Session* session) {
  const std::string wrong = CheckSettingsFlags(flags->settings);
  if (flags->no_loop) {
    std::get<AnimFormat>(flags->settings).settings.loop = false;
  }
  if (!wrong.empty()) return Misused(app, session, wrong);
  AnimWork work = {AnimFormat(), "edited", {}, &WriteChecked};
  work.edit = [flags](AnimMotion* motion) { return Apply(*flags, motion); };
  return RunAnims(app, flags->batch, work, session);
}

void AddCurveEdits(CLI::App* app, AnimEditFlags* flags) {
  const char* group = "Editing of curves, done in this order";
  AddParsed(app, "--trim", &flags->trim, SpanOf, "A:B, two numbers of seconds",
            "keep only the part from second A to second B")
      ->type_name("A:B")
      ->group(group);
  AddParsed(app, "--retime", &flags->retime, SomeSeconds, "seconds, up to 60",
            "change the duration to this")
      ->type_name("SECONDS")
      ->group(group);
  app->add_option("--drop", flags->drop,
                  "remove this joint, so that other animations move it")
      ->type_name("NAME[,..]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  app->add_flag("--mirror", flags->mirror, "swap left and right")->group(group);
}

}  // namespace

CLI::App* AddAnim(CLI::App* parent) {
  CLI::App* anim = parent->add_subcommand(
      "anim", "change .anim files, and convert them to BVH");
  anim->footer(
      "  bvhmill anim edit dance.anim -o loop.anim --loop\n"
      "  bvhmill anim to-bvh dance.anim -o dance.bvh\n");
  anim->require_subcommand(1);
  return anim;
}

Command AddAnimEdit(CLI::App* anim) {
  const auto flags = std::make_shared<AnimEditFlags>();
  CLI::App* app = anim->add_subcommand(
      "edit", "change .anim files; the other keyframes stay exact");
  app->footer(kAnimEditExamples);
  AddAnimInputs(app, &flags->batch.input);
  AddAnimOutputs(app, "file to write", &flags->batch);
  AddCurveEdits(app, flags.get());
  AddSettingsFlags(app, "Settings", &flags->settings);
  app->add_flag("--no-loop", flags->no_loop, "play the animation once")
      ->excludes("--loop")
      ->group("Settings");
  AddBatchOptions(app, &flags->batch.run);
  return {app, [app, flags](Session* session) {
            return RunAnimEdit(app, flags.get(), session);
          }};
}

}  // namespace bvhmill::client
