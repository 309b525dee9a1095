#include "client/cli/commands/one_output.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "bvhmill/encode/encode.h"
#include "client/cli/io/clip_outputs.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

constexpr std::string_view kStdout = "-";

// ".npy" of "take.positions.npy".
std::string_view LastExtension(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == name.npos ? std::string_view() : name.substr(dot);
}

// Extensions of what --emit makes.
std::vector<std::string_view> ExtensionsOf(const ConversionOptions& options) {
  std::vector<std::string_view> extensions;
  for (const OutputRequest& request : options.convert.outputs) {
    extensions.push_back(FormatOf(request.format).extension);
  }
  if (options.report) extensions.push_back(kReportExtension);
  return extensions;
}

// The last extensions of all formats and of the report.
std::set<std::string_view> LastExtensions() {
  std::set<std::string_view> all = {LastExtension(kReportExtension)};
  for (const Format& format : Formats()) {
    all.insert(LastExtension(format.extension));
  }
  return all;
}

bool NamesOneFile(const std::string& output) {
  if (output == kStdout) return true;
  std::error_code error;
  return LastExtensions().contains(LastExtension(output)) &&
         !std::filesystem::is_directory(output, error);
}

std::string WhyNotOneFile(const ConversionOptions& options,
                          const std::vector<Input>& inputs) {
  const bool is_stdout = options.output == kStdout;
  const std::string what = is_stdout ? "-o - is stdout, which takes "
                                     : "-o " + Printable(options.output) +
                                           " is a file, which takes ";
  if (inputs.size() != 1) {
    return what + "one clip, not " + std::to_string(inputs.size()) +
           "; use a folder";
  }
  const std::vector<std::string_view> extensions = ExtensionsOf(options);
  if (extensions.size() != 1) {
    return what + "one format of --emit, not " +
           std::to_string(extensions.size()) + "; use a folder";
  }
  if (options.resume) return what + "no --resume; use a folder";
  const std::string_view wanted = LastExtension(extensions[0]);
  if (!is_stdout && LastExtension(options.output) != wanted) {
    return "-o " + Printable(options.output) + " does not end in " +
           std::string(wanted) + ", as its format does";
  }
  if (is_stdout && options.table) return what + "the output, not --table";
  if (is_stdout && options.report_jsonl == kStdout) {
    return what + "the output, not --report-jsonl -";
  }
  return {};
}

}  // namespace

std::string ChooseOutput(const std::vector<Input>& inputs,
                         ConversionOptions* options) {
  options->one_file = NamesOneFile(options->output);
  return options->one_file ? WhyNotOneFile(*options, inputs)
                           : WhyNoFolder(options->output);
}

std::string WhyNoFolder(const std::string& output) {
  const std::string extension = std::filesystem::path(output).extension();
  const bool has_letter =
      std::any_of(extension.begin(), extension.end(),
                  [](unsigned char c) { return c >= 0x80 || isalpha(c); });
  std::error_code error;
  if (!has_letter || std::filesystem::exists(output, error)) return {};
  std::string formats;
  for (const std::string_view format : LastExtensions()) {
    formats += (formats.empty() ? "" : ", ") + std::string(format);
  }
  return "-o " + Printable(output) +
         " has the extension of a file; a file is one output of one clip, and "
         "ends in the extension of its format: " +
         formats + "; a folder of this name is written " + Printable(output) +
         "/";
}

}  // namespace bvhmill::client
