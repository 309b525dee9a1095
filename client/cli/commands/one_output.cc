#include "client/cli/commands/one_output.h"

#include <filesystem>
#include <string_view>
#include <system_error>

#include "bvhmill/encode/encoder.h"
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

bool IsExtensionOfFormat(std::string_view extension) {
  if (extension == LastExtension(kReportExtension)) return true;
  for (const Format& format : Formats()) {
    if (extension == LastExtension(format.extension)) return true;
  }
  return false;
}

}  // namespace

bool NamesOneFile(const std::string& output) {
  if (output == kStdout) return true;
  std::error_code error;
  return IsExtensionOfFormat(LastExtension(output)) &&
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

}  // namespace bvhmill::client
