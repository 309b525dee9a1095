#pragma once

// The summary of a data set as lines of text.

#include <string>

#include "client/cli/dataset/summary.h"

namespace bvhmill::client {

// Verdicts, codes, the worst clips, odd ones and equal ones. At most five clips
// are listed for each fact. Every line has its end.
std::string SummaryText(const DatasetSummary& summary);

}  // namespace bvhmill::client
