#pragma once

// The summary of a data set as lines of text.

#include <string>

#include "client/cli/dataset/summary.h"

namespace bvhmill::client {

// Returns verdicts, codes, clips whose list was cut, the worst clips, odd
// clips, equal clips, known issues and files of expectations. At most five
// clips are listed for each fact. Every line has its end.
std::string SummaryText(const DatasetSummary& summary);

}  // namespace bvhmill::client
