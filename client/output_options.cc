#include "client/output_options.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include "bvhmill/encode/encoder.h"
#include "client/nearest.h"

namespace bvhmill::client {
namespace {

std::vector<std::string_view> FormatNames(std::string_view more) {
  std::vector<std::string_view> names;
  for (const Format& format : Formats()) names.push_back(format.name);
  if (!more.empty()) names.push_back(more);
  return names;
}

// Broken behind the first half.
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
  }
  void operator()(CsvFormat& format) const {
    format.with_end_sites = flags.end_sites;
  }
  void operator()(BvhFormat& /*format*/) const {}
  void operator()(AnimFormat& format) const { format = flags.anim.format; }
};

}  // namespace

CLI::Option* AddEmitOption(CLI::App* app, const std::string& what,
                           const std::string& group, std::string_view more,
                           OutputFlags* flags) {
  const std::vector<std::string_view> known = FormatNames(more);
  const std::string names = CLI::detail::join(known, " ");
  return app
      ->add_option("--emit", flags->emit,
                   what + ", out of\n" + InTwoLines(names))
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
