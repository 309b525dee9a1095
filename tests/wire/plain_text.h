#pragma once

// Results as text: one line for each field, so that a test that compares
// two of them shows which field differs. A struct that gets a new field does
// not compile in plain_text.cc until its line is written.

#include <string>

#include "bvhmill/pipeline/convert.h"

namespace bvhmill::testing {

std::string PlainText(const ConvertResult& result);

}  // namespace bvhmill::testing
