#include "client/cli/anim/anim_options.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/base/nearest.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/encode/encode.h"
#include "client/cli/anim/anim_file.h"
#include "client/cli/options/edit_options.h"
#include "client/cli/options/options.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

constexpr const char* kGroup = "Output .anim";

// Options that only the profile best has, with their fields in the library.
struct BestOption {
  std::string_view field;
  const char* name;
};
constexpr BestOption kBestOptions[] = {
    {"anim.joint_map", "--anim-map"},
    {"anim.max_degrees_limit", "--anim-max-degrees-limit"},
    {"anim.max_degrees", "--anim-max-degrees"},
    {"anim.max_millimetres", "--anim-max-mm"},
    {"anim.max_bytes", "--anim-max-bytes"},
    {"", "--anim-reference"},
    {"", "--anim-match-limbs"},
    {"", "--anim-scale-to-avatar"},
};

template <typename T, int64_t kLeast, int64_t kMax>
std::optional<T> WholeOf(std::string_view word) {
  const std::optional<int64_t> value = NumberOf<int64_t>(word);
  if (!value || *value < kLeast || *value > kMax) return std::nullopt;
  return static_cast<T>(*value);
}

constexpr auto kPriorityOf = WholeOf<int32_t, -1, 6>;

std::optional<float> Between(std::string_view word, float least, float most) {
  const std::optional<float> value = NumberOf<float>(word);
  return value && *value >= least && *value <= most ? value : std::nullopt;
}

std::optional<float> SecondsOf(std::string_view word) {
  constexpr float kMax = 60;
  return Between(word, 0, kMax);
}

std::optional<float> DegreesOf(std::string_view word) {
  constexpr float kMax = 90;
  return Between(word, 0, kMax);
}

std::optional<float> MillimetresOf(std::string_view word) {
  constexpr float kMax = 1000;
  return Between(word, 0, kMax);
}

// A help text. Settings of a file that is edited stay unless they are given.
std::string WithDefault(const std::string& text, const std::string& prefix,
                        const std::string& value) {
  const bool is_edit = prefix == "--";
  return text + "; default" + (is_edit ? ": no change" : " " + value);
}

void AddTimes(CLI::App* app, const std::string& prefix,
              const std::string& group, SettingsFlags* flags) {
  const char* seconds = "seconds, 0 to 60";
  app->add_flag(prefix + "loop", flags->loop,
                "repeat the animation; with " + prefix +
                    "loop=IN:OUT\nonly the part between these seconds")
      ->group(group);
  AddParsed(app, prefix + "ease-in", &flags->settings.ease_in, SecondsOf,
            seconds, WithDefault("time to blend in", prefix, "0.3"))
      ->type_name("SECONDS")
      ->group(group);
  AddParsed(app, prefix + "ease-out", &flags->settings.ease_out, SecondsOf,
            seconds, WithDefault("time to blend out", prefix, "0.3"))
      ->type_name("SECONDS")
      ->group(group);
}

// IN:OUT, with IN before OUT.
bool ReadLoop(const std::string& word, AnimSettings* settings) {
  const size_t colon = word.find(':');
  if (colon == word.npos) return false;
  settings->loop_in = SecondsOf(std::string_view(word).substr(0, colon));
  settings->loop_out = SecondsOf(std::string_view(word).substr(colon + 1));
  return settings->loop_in && settings->loop_out &&
         *settings->loop_in < *settings->loop_out;
}

std::string ReadJointPriority(const std::string& word, AnimSettings* settings) {
  const size_t equals = word.rfind('=');
  const auto priority =
      equals == word.npos
          ? std::nullopt
          : kPriorityOf(std::string_view(word).substr(equals + 1));
  if (!priority) return "'" + word + "' is not NAME=P with P from -1 to 6";
  settings->joint_priorities = {{word.substr(0, equals), *priority}};
  if (!CheckSettings(*settings).ok()) {
    return "the avatar has no joint '" + word.substr(0, equals) + "'";
  }
  return {};
}

// "anim.max_degrees: why" as "--anim-max-degrees: why".
std::string InWordsOfAnimOptions(std::string_view message) {
  for (const auto& [field, name] : kBestOptions) {
    if (field.empty() || !message.starts_with(field)) continue;
    return name + std::string(message.substr(field.size()));
  }
  return std::string(message);
}

void AddBounds(CLI::App* app, AnimFormat* format) {
  AddParsed(app, "--anim-max-degrees", &format->max_degrees, DegreesOf,
            "degrees, 0 to 90", "largest error of a rotation; default 0.1")
      ->type_name("DEGREES")
      ->group(kGroup);
  AddParsed(app, "--anim-max-mm", &format->max_millimetres, MillimetresOf,
            "millimetres, 0 to 1000", "largest error of a position; default 1")
      ->type_name("MM")
      ->group(kGroup);
  AddParsed(app, "--anim-max-bytes", &format->max_bytes,
            WholeOf<int64_t, 1, int64_t{1} << 40>, "a number of bytes",
            "raise both errors until the file has at most BYTES")
      ->type_name("BYTES")
      ->group(kGroup);
  AddParsed(app, "--anim-max-degrees-limit", &format->max_degrees_limit,
            DegreesOf, "degrees, 0 to 90",
            "limit up to which --anim-max-bytes raises the\n"
            "error of a rotation; default 5")
      ->type_name("DEGREES")
      ->group(kGroup);
}

std::string CheckAnimMap(const std::string& word) {
  std::vector<std::string_view> maps = {kAutoAnimMap, kOwnAnimMap};
  for (const std::string_view name : JointMapNames()) maps.push_back(name);
  const bool is_known = IsMapFile(word) ||
                        std::find(maps.begin(), maps.end(), word) != maps.end();
  if (is_known) return {};
  return "there is no map '" + word + "'; there are auto own " + MapNames() +
         " and files *.csv" + DidYouMean(word, maps);
}

void AddMap(CLI::App* app, AnimFlags* flags) {
  app->add_option("--anim-map", flags->map,
                  "which joint of the clip moves which joint of the\n"
                  "avatar: auto (by known joint names), own (the names\n"
                  "are those of the avatar), a file with lines\n"
                  "source,target, or a built-in table (see\n"
                  "--joint-map); default auto")
      ->type_name("NAME|FILE.csv")
      ->check(CLI::Validator(CheckAnimMap, ""))
      ->group(kGroup);
}

std::string CheckTargets(const std::string& path,
                         const std::vector<JointMapRow>& rows) {
  for (const JointMapRow& row : rows) {
    if (FindAvatarJoint(row.target) >= 0) continue;
    std::vector<std::string_view> names;
    for (const AvatarJoint& joint : AvatarJoints()) names.push_back(joint.name);
    return Printable(path) + ": the avatar has no joint " + Quote(row.target) +
           DidYouMean(row.target, names);
  }
  return {};
}

// Returns what is wrong; empty if nothing is, or if there is no file to read.
std::string ReadAnimMap(const Session& session, AnimFlags* flags) {
  AnimFormat& format = flags->format;
  if (!IsMapFile(flags->map)) {
    format.joint_map = flags->map;
    return {};
  }
  std::string wrong =
      ReadMapFile(flags->map, session.cancel, &format.joint_map_rows);
  if (wrong.empty()) wrong = CheckTargets(flags->map, format.joint_map_rows);
  return wrong.empty() ? wrong : "--anim-map: " + wrong;
}

// Returns what is wrong; empty if nothing is, or if there is no file to read.
std::string ReadConstraints(const Session& session, AnimFlags* flags) {
  if (flags->constraints.empty()) return {};
  const AnimFile file =
      ReadAnimFile(AnimInput(flags->constraints), false, session);
  const std::string where = "--anim-constraints: " + file.path;
  if (!file.status.ok()) {
    return where + ": " + std::string(MessageOf(file.status));
  }
  if (!file.result.read) return where + " is no .anim";
  AnimSettings& settings = flags->format.settings;
  settings.constraints = file.result.motion.constraints;
  return CheckSettings(settings).ok()
             ? std::string()
             : where + " has constraints that no viewer takes";
}

}  // namespace

void AddSettingsOptions(CLI::App* app, const std::string& prefix,
                        const std::string& group, SettingsFlags* flags) {
  AddParsed(app, prefix + "priority", &flags->settings.base_priority,
            kPriorityOf, "a priority from -1 to 6",
            WithDefault("priority of all joints, -1 to 6", prefix, "2"))
      ->type_name("P")
      ->group(group);
  app->add_option(prefix + "joint-priority", flags->joint_priorities,
                  "priority of one joint, such as mHead=4; may be\n"
                  "repeated")
      ->type_name("NAME=P")
      ->allow_extra_args(false)
      ->group(group);
  AddTimes(app, prefix, group, flags);
  AddParsed(
      app, prefix + "hand-pose", &flags->settings.hand_pose,
      WholeOf<uint32_t, 0, 13>, "a hand pose from 0 to 13",
      WithDefault("number of a hand pose, 0 to 13", prefix, "1 (relaxed)"))
      ->type_name("N")
      ->group(group);
  app->add_option_function<std::string>(
         prefix + "emote",
         [flags](const std::string& name) { flags->settings.emote = name; },
         "facial expression, such as express_smile")
      ->type_name("NAME")
      ->group(group);
}

std::string ReadSettingsFlags(const CLI::App* app, const std::string& prefix,
                              SettingsFlags* flags) {
  AnimSettings& settings = flags->settings;
  // A joint's own priority would win over that of the base.
  settings.joint_priority = settings.base_priority;
  if (app->count(prefix + "loop") > 0) {
    settings.loop = true;
    if (flags->loop != "true" && !ReadLoop(flags->loop, &settings)) {
      return prefix + "loop: '" + flags->loop +
             "' is not IN:OUT in seconds, 0 to 60";
    }
  }
  std::vector<JointPriority> priorities;
  for (const std::string& word : flags->joint_priorities) {
    AnimSettings one;
    const std::string wrong = ReadJointPriority(word, &one);
    if (!wrong.empty()) return prefix + "joint-priority: " + wrong;
    priorities.push_back(one.joint_priorities[0]);
  }
  settings.joint_priorities = std::move(priorities);
  if (CheckSettings(settings).ok()) return {};
  // Parsing has checked all other options.
  return prefix + "emote: the viewer knows no '" + settings.emote.value_or("") +
         "'";
}

void AddAnimOptions(CLI::App* app, AnimFlags* flags) {
  AnimFormat* format = &flags->format;
  AddChoice<AnimProfile>(
      app, "--anim-profile", &format->profile,
      {{"best", AnimProfile::kBest}, {"viewer", AnimProfile::kViewer}},
      "best: any skeleton, with the fewest keys that keep\n"
      "the largest errors; viewer: the same bytes as an\n"
      "upload in the viewer; default best")
      ->group(kGroup);
  AddSettingsOptions(app, "--anim-", kGroup, &flags->settings);
  AddChoice<AnimReference>(
      app, "--anim-reference", &format->reference,
      {{"auto", AnimReference::kAuto},
       {"rest", AnimReference::kRestPose},
       {"first", AnimReference::kFirstFrame}},
      "the pose that counts as the rest pose of the avatar:\n"
      "rest (all angles 0), first (the first frame, which\n"
      "is then not played) or auto (the pose in which the\n"
      "figure is most like the avatar; limbs are matched\n"
      "if needed); default auto")
      ->group(kGroup);
  app->add_flag("--anim-match-limbs", format->match_limbs,
                "in the rest pose, turn arms and legs to where those\n"
                "of the clip point")
      ->group(kGroup);
  app->add_flag("--anim-scale-to-avatar", format->scale_to_avatar,
                "scale lengths so that the hips have the height of\n"
                "those of the avatar; no unit is needed")
      ->group(kGroup);
  app->add_flag("--anim-accept-odd", format->accept_odd,
                "also convert a clip in which the avatar would lie\n"
                "down, fold or be stopped at 5 m, or in which few\n"
                "joints move")
      ->group(kGroup);
  app->add_flag("--anim-upload", format->for_upload,
                "make a file that can be uploaded: at most 250000\n"
                "bytes; needs --units or --anim-scale-to-avatar")
      ->group(kGroup);
  AddMap(app, flags);
  app->add_option("--anim-constraints", flags->constraints,
                  "copy the constraints of this .anim")
      ->type_name("FILE")
      ->group(kGroup);
  AddBounds(app, format);
}

std::string ReadAnimFlags(const CLI::App* app, const Session& session,
                          AnimFlags* flags) {
  std::string wrong = ReadSettingsFlags(app, "--anim-", &flags->settings);
  if (!wrong.empty()) return wrong;
  flags->format.settings = flags->settings.settings;
  wrong = ReadConstraints(session, flags);
  if (wrong.empty()) wrong = ReadAnimMap(session, flags);
  if (!wrong.empty()) return wrong;
  if (flags->format.profile == AnimProfile::kViewer) {
    for (const BestOption& option : kBestOptions) {
      if (app->count(option.name) == 0) continue;
      return std::string(option.name) + " needs --anim-profile best";
    }
  }
  return InWordsOfAnimOptions(MessageOf(CheckFormat(flags->format)));
}

}  // namespace bvhmill::client
