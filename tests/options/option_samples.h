#pragma once

// A value of every option, in each of its forms. They follow from the row of
// the option and the kind of its value; options that take only certain names,
// or need another option, have theirs in a short list.

#include <string>
#include <vector>

#include "bvhmill/pipeline/option_rows.h"

namespace bvhmill::testing {

struct OptionSample {
  const OptionRow* row = nullptr;
  // One of the formats that have the option; empty if it is not one of outputs.
  std::string format;
  // The value as words of a command line: none for a flag.
  std::vector<std::string> words;
  // The value as JSON.
  std::string json;
  // A message of ConvertOptions with this option alone, as text.
  std::string message;
  // Another option that this one needs: its name, word and message.
  std::string needs;
  std::string needs_word;
  std::string needs_message;
};

// One for each option, and one more for each further word of an enum. An option
// of several formats has samples for each of them.
std::vector<OptionSample> OptionSamples();

// Where the field of `row` is: "edits { repairs { FIELD } }".
std::string MessageWith(const OptionRow& row, const std::string& format,
                        const std::string& field);

}  // namespace bvhmill::testing
