#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/anim/anim_edits.h"
#include "bvhmill/anim/anim_reader.h"
#include "bvhmill/anim/anim_writer.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "client/anim_file.h"
#include "client/anim_options.h"
#include "client/commands/commands.h"
#include "client/issue_lines.h"

namespace bvhmill::client {
namespace {

constexpr char kExamples[] =
    "  bvhmill anim edit dance.anim -o loop.anim --loop --priority 4\n"
    "  bvhmill anim edit dance.anim -o part.anim --trim 1.5:4 --ease-out 0\n"
    "  bvhmill anim edit dance.anim -o slow.anim --retime 10 --mirror\n";

using Span = std::pair<float, float>;

struct Flags {
  AnimJob job;
  SettingsFlags settings;
  std::optional<Span> trim;
  std::optional<float> retime;
  std::vector<std::string> drop;
  bool mirror = false;
};

std::optional<float> Seconds(std::string_view word) {
  constexpr float kMost = 60;
  const std::optional<float> value = NumberOf<float>(word);
  return value && *value >= 0 && *value <= kMost ? value : std::nullopt;
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

absl::Status Apply(const Flags& flags, AnimMotion* motion) {
  if (flags.trim) {
    const absl::Status status =
        TrimAnim(flags.trim->first, flags.trim->second, motion);
    if (!status.ok()) return InvalidField("--trim", "is behind the end");
  }
  if (flags.retime && !RetimeAnim(*flags.retime, motion).ok()) {
    return InvalidField("--retime", "the animation has no duration");
  }
  for (const std::string& name : flags.drop) {
    if (DropAnimJoints({&name, 1}, motion) > 0) continue;
    return InvalidField("--drop", "there is no joint " + Quote(name));
  }
  if (flags.mirror) MirrorAnim(motion);
  ApplySettings(flags.settings.settings, motion);
  return absl::OkStatus();
}

// What the viewer refuses is not written.
absl::Status Check(const AnimMotion& motion, const Flags& flags,
                   const Session& session) {
  IssueLog log({});
  AnimReadResult result;
  BVHMILL_RETURN_IF_ERROR(CheckAnim(motion, &result, &log));
  if (result.plays) return absl::OkStatus();
  for (const Issue& issue : log.Finish(true, true).issues) {
    session.console->Talk(IssueLine(flags.job.output, issue) + "\n");
  }
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    "the viewer would refuse it");
}

int Run(const CLI::App* app, Flags* flags, Session* session) {
  const std::string wrong = ReadSettingsFlags(app, "--", &flags->settings);
  if (!wrong.empty()) return Misused(app, session, wrong);
  std::optional<AnimMotion> motion = ReadJobInput(flags->job, *session);
  if (!motion) return kExitClipFailed;
  std::string bytes;
  StringSink sink(&bytes);
  absl::Status status = Apply(*flags, &*motion);
  if (status.ok()) status = Check(*motion, *flags, *session);
  if (status.ok()) status = WriteAnim(*motion, &sink);
  if (!status.ok()) return FailJob(flags->job, status, *session);
  return WriteJobOutput(flags->job, bytes, *session);
}

void AddCurveEdits(CLI::App* app, Flags* flags) {
  const char* group = "Editing of curves, in this order";
  AddParsed(app, "--trim", &flags->trim, SpanOf, "A:B, two numbers of seconds",
            "keep what is played from A to B")
      ->type_name("A:B")
      ->group(group);
  AddParsed(app, "--retime", &flags->retime, SomeSeconds, "seconds, up to 60",
            "play it in so many seconds")
      ->type_name("SECONDS")
      ->group(group);
  app->add_option("--drop", flags->drop, "leave this joint to other animations")
      ->type_name("NAME[,..]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  app->add_flag("--mirror", flags->mirror, "swap left and right")->group(group);
}

}  // namespace

CLI::App* AddAnim(CLI::App* parent) {
  CLI::App* anim =
      parent->add_subcommand("anim", "change .anim files, without a server");
  anim->footer(
      "  bvhmill anim edit dance.anim -o loop.anim --loop\n"
      "  bvhmill anim to-bvh dance.anim -o dance.bvh\n");
  anim->require_subcommand(1);
  return anim;
}

Command AddAnimEdit(CLI::App* anim) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* app = anim->add_subcommand(
      "edit", "change an .anim; keys that are kept keep their codes");
  app->footer(kExamples);
  AddJobOptions(app, "the new .anim", &flags->job);
  AddCurveEdits(app, flags.get());
  AddSettingsOptions(app, "--", "Settings", &flags->settings);
  return {app, [app, flags](Session* session) {
            return Run(app, flags.get(), session);
          }};
}

}  // namespace bvhmill::client
