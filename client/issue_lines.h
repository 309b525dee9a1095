#pragma once

// Reports and failures as lines for people, in the manner of a compiler.

#include <string>
#include <string_view>

#include "bvhmill/pipeline/convert.h"
#include "bvhmill/report/report.h"

namespace bvhmill::client {

// "PATH:LINE:COL: error: CODE: message", without a line end.
std::string IssueLine(std::string_view path, const Issue& issue);

// Why a clip failed: the first error of its report if that is why, otherwise
// "PATH: error: " and the message of the status. Without a line end.
std::string FailureLine(std::string_view path, const ConvertResult& result);
std::string FailureLine(std::string_view path, const absl::Status& status);

// The whole report: a line with the verdict, then one for each issue. Every
// line has its end.
std::string ReportText(std::string_view path, const ConvertResult& result);

}  // namespace bvhmill::client
