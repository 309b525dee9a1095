#pragma once

// BVH texts, and the results of converting them.

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "tests/support/error_parts.h"

namespace bvhmill {

// For googletest: the id.
void PrintTo(const OutputRequest& output, std::ostream* out);

}  // namespace bvhmill

namespace bvhmill::testing {

// A chain of `joints` joints that wind around, with an end site: the root has
// six channels, each other joint three. Values differ by frame and column.
std::string ChainText(int joints, int64_t frames);

// One joint "Hips" with three rotation channels, and rows as they are given.
std::string TextWithRows(int64_t frames, std::string_view rows);

// One output of each format that holds any clip.
std::vector<OutputRequest> EveryOutput();

// True if the report lists an issue of that code.
bool Lists(const Report& report, std::string_view code);

// Convert without cancellation into strings.
ConvertResult ConvertText(std::string_view text, const ConvertOptions& options,
                          StringReceiver* receiver);

// Fails the test unless `result` is what Convert returns for a conversion that
// failed with `code`: a message, no outputs.
void ExpectFailed(const ConvertResult& result, absl::StatusCode code);

}  // namespace bvhmill::testing
