#include "client/cli/options/output_options.h"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <variant>

#include "bvhmill/base/nearest.h"
#include "bvhmill/encode/encode.h"
#include "client/cli/options/options.h"

namespace bvhmill::client {
namespace {

std::vector<std::string_view> FormatNames(std::string_view more) {
  std::vector<std::string_view> names;
  for (const Format& format : Formats()) names.push_back(format.name);
  if (!more.empty()) names.push_back(more);
  return names;
}

std::string CheckArray(const std::string& name) {
  const std::vector<std::string_view> arrays = {"positions", "rotations",
                                                "velocities"};
  if (std::find(arrays.begin(), arrays.end(), name) != arrays.end()) return {};
  return "'" + name + "' is none of positions, rotations, velocities" +
         DidYouMean(name, arrays);
}

// `words` with a line break near the middle.
std::string InTwoLines(std::string words) {
  words[words.find(' ', words.size() / 2)] = '\n';
  return words;
}

struct ApplyFlags {
  const OutputFlags& flags;

  void operator()(PositionsFormat& format) const {
    format.with_end_sites = flags.end_sites;
  }
  void operator()(RotationsFormat& format) const {
    format.kind = flags.rotation_kind;
    format.space = flags.rotation_space;
  }
  void operator()(VelocitiesFormat& format) const {
    format.with_end_sites = flags.end_sites;
  }
  void operator()(NpzFormat& format) const {
    format.with_end_sites = flags.end_sites;
    format.rotation_kind = flags.rotation_kind;
    format.rotation_space = flags.rotation_space;
    if (flags.npz_arrays.empty()) return;
    format.positions = HasArray("positions");
    format.rotations = HasArray("rotations");
    format.velocities = HasArray("velocities");
  }
  void operator()(CsvFormat& format) const {
    format.with_end_sites = flags.end_sites;
  }
  void operator()(BvhFormat& /*format*/) const {}
  void operator()(AnimFormat& format) const { format = flags.anim.format; }
  // No flag applies to a format without options.
  template <typename Other>
  void operator()(Other& /*format*/) const {
    static_assert(std::is_empty_v<Other>, "a format with options needs flags");
  }

 private:
  bool HasArray(std::string_view name) const {
    return std::find(flags.npz_arrays.begin(), flags.npz_arrays.end(), name) !=
           flags.npz_arrays.end();
  }
};

// An option, and the formats that it affects.
struct FormatOption {
  const char* name;
  std::vector<std::string_view> formats;
};

const std::vector<FormatOption>& FormatOptionTable() {
  static const auto* const kTable = new std::vector<FormatOption>{
      {"--end-sites", {"positions", "velocities", "npz", "csv"}},
      {"--rotation-kind", {"rotations", "npz"}},
      {"--rotation-space", {"rotations", "npz"}},
      {"--npz-arrays", {"npz"}},
  };
  return *kTable;
}

bool EmitsAny(const OutputFlags& flags,
              const std::vector<std::string_view>& formats) {
  return std::any_of(
      flags.emit.begin(), flags.emit.end(), [&](const std::string& name) {
        return std::find(formats.begin(), formats.end(), name) != formats.end();
      });
}

std::string NeedsFormat(const std::string& option,
                        const std::vector<std::string_view>& formats) {
  std::string names;
  for (const std::string_view format : formats) {
    names += (names.empty() ? "" : " or ") + std::string(format);
  }
  return option + " has no effect without --emit " + names;
}

// Returns which option has no effect on any chosen format; empty if none.
std::string CheckEffects(const CLI::App* app, const Session& session,
                         const OutputFlags& flags) {
  for (const FormatOption& option : FormatOptionTable()) {
    if (!IsTyped(session, option.name)) continue;
    if (!EmitsAny(flags, option.formats)) {
      return NeedsFormat(option.name, option.formats);
    }
  }
  if (EmitsAny(flags, {"anim"})) return {};
  for (const CLI::Option* option : app->get_options()) {
    const std::string name = option->get_name();
    if (name.starts_with("--anim-") && IsTyped(session, name)) {
      return NeedsFormat(name, {"anim"});
    }
  }
  return {};
}

// Returns which option of rotations has no effect, since the npz has no
// rotations; empty if none.
std::string CheckNpz(const Session& session, const OutputFlags& flags) {
  const auto& arrays = flags.npz_arrays;
  const bool has_rotations =
      arrays.empty() || EmitsAny(flags, {"rotations"}) ||
      std::find(arrays.begin(), arrays.end(), "rotations") != arrays.end();
  for (const char* option : {"--rotation-kind", "--rotation-space"}) {
    if (has_rotations || !IsTyped(session, option)) continue;
    return std::string(option) +
           " has no effect without rotations among --npz-arrays";
  }
  return {};
}

std::string CheckUpload(const OutputFlags& flags, const SourceSpace& source) {
  const AnimFormat& format = flags.anim.format;
  const bool needs_unit =
      format.for_upload && format.profile == AnimProfile::kBest;
  if (!needs_unit || format.scale_to_avatar || source.meters_per_unit > 0) {
    return {};
  }
  return "--anim-upload needs --units or --anim-scale-to-avatar";
}

}  // namespace

CLI::Option* AddEmitOption(CLI::App* app, const std::string& what,
                           const std::string& group, std::string_view more,
                           OutputFlags* flags) {
  const std::vector<std::string_view> known = FormatNames(more);
  const std::string names = CLI::detail::join(known, " ");
  return app
      ->add_option("--emit", flags->emit, what + ":\n" + InTwoLines(names))
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Validator(
          [known, names](const std::string& name) {
            return std::find(known.begin(), known.end(), name) != known.end()
                       ? std::string()
                       : "there is no format '" + name + "'; there are " +
                             names + DidYouMean(name, known);
          },
          ""))
      ->group(group);
}

void AddFormatOptions(CLI::App* app, const std::string& group,
                      OutputFlags* flags) {
  app->add_flag("--end-sites", flags->end_sites,
                "include end sites in positions, velocities, npz\n"
                "and csv")
      ->group(group);
  AddChoice<RotationKind>(app, "--rotation-kind", &flags->rotation_kind,
                          {{"quaternion", RotationKind::kQuaternion},
                           {"matrix", RotationKind::kMatrix},
                           {"6d", RotationKind::kSixD}},
                          "in rotations and npz: quaternion (x y z w), matrix\n"
                          "or 6d; default quaternion")
      ->group(group);
  AddChoice<RotationSpace>(
      app, "--rotation-space", &flags->rotation_space,
      {{"local", RotationSpace::kLocal}, {"world", RotationSpace::kWorld}},
      "in rotations and npz: local (relative to the parent)\n"
      "or world; default local")
      ->group(group);
  app->add_option("--npz-arrays", flags->npz_arrays,
                  "arrays in npz: positions, rotations, velocities;\n"
                  "default positions,rotations")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Validator(CheckArray, ""))
      ->group(group);
}

std::string ReadOutputFlags(const CLI::App* app, const Session& session,
                            const SourceSpace& source, OutputFlags* flags) {
  std::string wrong = CheckEffects(app, session, *flags);
  if (wrong.empty()) wrong = CheckNpz(session, *flags);
  if (wrong.empty()) wrong = ReadAnimFlags(app, session, &flags->anim);
  if (wrong.empty()) wrong = CheckUpload(*flags, source);
  return wrong;
}

std::vector<OutputRequest> ChosenOutputs(const OutputFlags& flags) {
  std::vector<OutputRequest> requests;
  std::vector<std::string> chosen;
  for (const std::string& name : flags.emit) {
    if (std::find(chosen.begin(), chosen.end(), name) != chosen.end()) continue;
    chosen.push_back(name);
    const Format* format = FindFormat(name);
    if (format == nullptr) continue;
    OutputRequest& request = requests.emplace_back();
    request.format = format->defaults;
    std::visit(ApplyFlags{flags}, request.format);
  }
  return requests;
}

}  // namespace bvhmill::client
