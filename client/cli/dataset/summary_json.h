#pragma once

// The summary of a run as JSON; docs/schema/summary.schema.json is its schema.

#include <string>

#include "client/cli/report/report_writer.h"

namespace bvhmill::client {

// One object in one line, without a line end.
std::string SummaryJson(const RunSummary& summary);

}  // namespace bvhmill::client
