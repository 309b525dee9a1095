#pragma once

// Plain structs as text: one line for each field, so that a test that compares
// two of them shows which field differs. A struct that gets a new field does
// not compile in plain_text.cc until its line is written.

#include <string>

#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/options.h"

namespace bvhmill::testing {

// All fields but `limits`, which never travel, and `source_format`, which
// travels with the source.
std::string PlainText(const ConvertOptions& options);

std::string PlainText(const ConvertResult& result);

}  // namespace bvhmill::testing
