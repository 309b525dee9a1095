#pragma once

// The summary of `validate` as JSON (SummaryJson) and for people (SummaryText).

#include <string>

#include "client/cli/dataset/summary.h"
#include "client/cli/report/report_writer.h"

namespace bvhmill::client {

// The summary of a run as one JSON object on one line, without a line end;
// docs/schema/summary.schema.json is its schema.
std::string SummaryJson(const RunSummary& summary);

// The bodies that may be a fault, at most five for each skeleton; empty if
// there is none. Every line ends with a newline.
std::string OddBodyLines(const BodySummary& bodies);

// The summary of a data set as lines of text: verdicts, codes, the number of
// clips whose list of issues a server cut, the clips with the most issues,
// clips that differ from most, bodies, groups of equal clips, known issues and
// files of expectations. At most five clips, values or groups are listed for
// each of these, but all codes and all files of expectations. Every line ends
// with a newline.
std::string SummaryText(const DatasetSummary& summary);

}  // namespace bvhmill::client
