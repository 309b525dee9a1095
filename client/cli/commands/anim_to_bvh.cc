#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bvhmill/encode/anim_bvh.h"
#include "bvhmill/pipeline/option_text.h"
#include "client/cli/anim/anim_batch.h"
#include "client/cli/anim/anim_file.h"
#include "client/cli/commands/commands.h"

namespace bvhmill::client {
namespace {

constexpr char kAnimToBvhExamples[] =
    "  bvhmill anim to-bvh dance.anim -o dance.bvh\n"
    "  bvhmill anim to-bvh dance.anim -o - --fps 60 --all-bones\n"
    "  bvhmill anim to-bvh -r anims -o out --no-reference\n";

struct AnimToBvhFlags {
  AnimBatch batch;
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
  AnimToClipOptions options = flags.options;
  options.reference_frame = !flags.no_reference;
  const auto write = [options](const AnimMotion& motion, std::string* bytes,
                               IssueLog* log) {
    StringSink sink(bytes);
    return WriteAnimAsBvh(motion, options, &sink, log);
  };
  return RunAnims(app, flags.batch, {BvhFormat(), "converted", {}, write},
                  session);
}

}  // namespace

Command AddAnimToBvh(CLI::App* anim) {
  const auto flags = std::make_shared<AnimToBvhFlags>();
  CLI::App* app = anim->add_subcommand(
      "to-bvh", "convert .anim files to BVH, on the avatar's skeleton");
  app->footer(kAnimToBvhExamples);
  AddAnimInputs(app, &flags->batch.input);
  AddAnimOutputs(app, "the BVH clip", &flags->batch);
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
  AddBatchOptions(app, &flags->batch.run);
  return {app, [app, flags](Session* session) {
            return RunAnimToBvh(app, *flags, session);
          }};
}

}  // namespace bvhmill::client
