#include "tests/fuzz/support/any_options.h"

#include <algorithm>
#include <cmath>

#include "bvhmill/encode/encode.h"
#include "bvhmill/pipeline/option_text.h"
#include "tests/options/option_samples.h"

namespace bvhmill::fuzz {
namespace {

constexpr int64_t kMaxFrames = 4096;

template <typename T, size_t kSize>
const T& OneOf(const T (&values)[kSize], Choices* choices) {
  return values[choices->Below(kSize)];
}

// A pattern: a joint of the clip, NAME#N, a prefix, or a joint that is unknown.
std::string AnyPattern(const std::vector<std::string>& names,
                       Choices* choices) {
  if (names.empty() || choices->OneIn(16)) return "unknown";
  std::string name = names[choices->Below(names.size())];
  if (choices->OneIn(8)) name += "#2";
  if (choices->OneIn(8)) name = name.substr(0, 1) + "*";
  return name;
}

// Values that no bounds are asked about: some are refused.
void SetOddNumbers(Choices* choices, ClipEdits* edits) {
  constexpr double kRates[] = {1, 24, 30, 100, 0.001, -1, NAN};
  constexpr double kTimes[] = {0, 0.02, 0.1, 1e9, -1, NAN};
  constexpr double kUnits[] = {0, 0.01, 1, 1e30};
  edits->tpose_frame = static_cast<int64_t>(choices->Below(6)) - 2;
  edits->figure = static_cast<int32_t>(choices->Below(4)) - 1;
  edits->repairs.fill_gaps = static_cast<int32_t>(choices->Below(4)) - 1;
  edits->trim = {OneOf(kTimes, choices), OneOf(kTimes, choices)};
  edits->fps = OneOf(kRates, choices);
  edits->source.meters_per_unit = OneOf(kUnits, choices);
  edits->to_units = OneOf(kUnits, choices);
}

void EditFrames(Choices* choices, ClipEdits* edits) {
  constexpr double kRates[] = {1, 24, 30, 100};
  edits->frames = {static_cast<int64_t>(choices->Below(4)), 0,
                   static_cast<int64_t>(1 + choices->Below(3))};
  if (choices->OneIn(2)) edits->fps = OneOf(kRates, choices);
}

// The value of a sample, with joints of the clip where it names joints.
std::vector<std::string> WordsOf(const testing::OptionSample& sample,
                                 const std::vector<std::string>& names,
                                 Choices* choices) {
  const std::string_view name = sample.row->name;
  if (name == "body_root") return {AnyPattern(names, choices)};
  if (name == "rig" && choices->OneIn(2)) {
    const std::string root = AnyPattern(names, choices);
    return {"joint,parent\n" + root + ",\n" + AnyPattern(names, choices) + "," +
            root + "\n"};
  }
  if (name == "rename") return {AnyPattern(names, choices) + "=renamed"};
  if (name == "drop" || name == "keep") {
    return {AnyPattern(names, choices), AnyPattern(names, choices)};
  }
  return sample.words.empty() ? std::vector<std::string>{"true"} : sample.words;
}

// Sets any option to the value of a sample: in the clip, or in each output that
// has it.
void SetAnyOption(const std::vector<std::string>& names, Choices* choices,
                  ConvertOptions* options) {
  static const std::vector<testing::OptionSample> samples =
      testing::OptionSamples();
  const testing::OptionSample& sample = samples[choices->Below(samples.size())];
  const std::vector<std::string> words = WordsOf(sample, names, choices);
  SetOption(*sample.row, words, PlaceIn(*sample.row, options));
  for (OutputRequest& output : options->outputs) {
    SetOption(*sample.row, words, PlaceIn(*sample.row, &output.format));
  }
}

Limits AnyLimits(Choices* choices) {
  Limits limits;
  limits.max_frames = choices->OneIn(16) ? 2 : kMaxFrames;
  limits.max_clip_work = 0;
  limits.max_clip_memory_bytes = 0;
  if (choices->OneIn(16)) limits.max_clip_bytes = 400;
  if (choices->OneIn(16)) limits.max_header_bytes = 300;
  if (choices->OneIn(16)) limits.max_line_bytes = 40;
  if (choices->OneIn(16)) limits.max_joints = 3;
  if (choices->OneIn(16)) limits.max_channels = 9;
  if (choices->OneIn(16)) limits.max_output_bytes = 500;
  return limits;
}

}  // namespace

std::vector<std::string> NamesIn(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<std::string> names;
  bool is_name = false;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return names;
    const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
    if (is_name) names.emplace_back(word);
    is_name = word == "ROOT" || word == "JOINT";
    text.remove_prefix(word.size());
  }
}

ConvertOptions AnyOptions(const std::vector<std::string>& names,
                          Choices* choices) {
  ConvertOptions options;
  for (size_t left = choices->Below(5); left > 0; --left) {
    options.outputs.push_back(
        {std::to_string(left),
         Formats()[choices->Below(Formats().size())].defaults});
  }
  for (size_t left = choices->Below(8); left > 0; --left) {
    SetAnyOption(names, choices, &options);
  }
  if (choices->OneIn(4)) EditFrames(choices, &options.edits);
  if (choices->OneIn(8)) SetOddNumbers(choices, &options.edits);
  if (choices->OneIn(8)) options.report.max_issues = 1;
  options.checks_only = choices->OneIn(10);
  options.limits = AnyLimits(choices);
  return options;
}

}  // namespace bvhmill::fuzz
