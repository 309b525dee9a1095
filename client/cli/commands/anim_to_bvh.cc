#include <memory>
#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/anim_bvh.h"
#include "bvhmill/pipeline/option_text.h"
#include "client/cli/anim/anim_file.h"
#include "client/cli/commands/commands.h"
#include "client/cli/ui/issue_lines.h"

namespace bvhmill::client {
namespace {

constexpr char kAnimToBvhExamples[] =
    "  bvhmill anim to-bvh dance.anim -o dance.bvh\n"
    "  bvhmill anim to-bvh dance.anim -o - --fps 60 --all-bones\n"
    "  bvhmill convert -r anims --from anim -o out --emit bvh\n";

struct AnimToBvhFlags {
  AnimPaths paths;
  AnimToClipOptions options;
  bool no_reference = false;
};

std::optional<double> RateOf(std::string_view word) {
  constexpr double kMax = 240;
  const std::optional<double> value = NumberOf<double>(word);
  return value && *value > 0 && *value <= kMax ? value : std::nullopt;
}

int RunAnimToBvh(const CLI::App* app, const AnimToBvhFlags& flags,
                 Session* session) {
  const AnimPaths& paths = flags.paths;
  const absl::Status safe =
      CheckAnimOutput(app, paths.output, AnimInput(paths.input));
  if (!safe.ok()) return Misused(app, session, std::string(MessageOf(safe)));
  const std::optional<AnimMotion> motion = ReadAnimInput(paths, *session);
  if (!motion) return FailedExit(*session);
  AnimToClipOptions options = flags.options;
  options.reference_frame = !flags.no_reference;
  std::string text;
  StringSink sink(&text);
  IssueLog log({});
  const absl::Status status = WriteAnimAsBvh(*motion, options, &sink, &log);
  for (const Issue& issue : log.Finish(true, true).issues) {
    session->console->PrintDiagnostics(IssueLine(paths.input, issue) + "\n");
  }
  if (!status.ok()) return FailAnim(paths, status, *session);
  return WriteAnimOutput(paths, text, *session);
}

}  // namespace

Command AddAnimToBvh(CLI::App* anim) {
  const auto flags = std::make_shared<AnimToBvhFlags>();
  CLI::App* app = anim->add_subcommand(
      "to-bvh", "convert an .anim to BVH, on the avatar's skeleton");
  app->footer(kAnimToBvhExamples);
  AddAnimPaths(app, "the BVH clip", &flags->paths);
  const char* group = "Clip";
  AddParsed(app, "--fps", &flags->options.frames_per_second, RateOf,
            "a number of frames per second up to 240",
            "frames per second; default: the lowest rate that\n"
            "has a frame at each key")
      ->type_name("R")
      ->group(group);
  app->add_flag("--no-reference", flags->no_reference,
                "leave out the first frame: the rest pose, which an\n"
                "upload uses as reference and does not play")
      ->group(group);
  app->add_flag("--all-bones", flags->options.all_bones,
                "also write bones that do not move")
      ->group(group);
  return {app, [app, flags](Session* session) {
            return RunAnimToBvh(app, *flags, session);
          }};
}

}  // namespace bvhmill::client
