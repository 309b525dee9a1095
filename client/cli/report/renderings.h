#pragma once

// The renderings that --format names.

#include <memory>
#include <span>
#include <string_view>

#include "client/cli/report/report_writer.h"

namespace bvhmill::client {

struct Rendering {
  // The word of --format.
  std::string_view name;
  // True if the writer prints lines of files below issues, and colours, on a
  // terminal.
  bool has_source_lines = false;
  std::unique_ptr<ReportWriter> (*make)();
  // True if the writer shows pictures of clips.
  bool has_pictures = false;
  // True if the writer shows the measures of clips.
  bool has_measures = false;
};

// All renderings; the first is the default.
std::span<const Rendering> Renderings();

// The rendering with this name; null if there is none.
const Rendering* FindRendering(std::string_view name);

// Each function makes the writer of one rendering.
std::unique_ptr<ReportWriter> MakeTextWriter();
std::unique_ptr<ReportWriter> MakeJsonLinesWriter();
std::unique_ptr<ReportWriter> MakeSarifWriter();
std::unique_ptr<ReportWriter> MakeJunitWriter();
std::unique_ptr<ReportWriter> MakeHtmlWriter();

}  // namespace bvhmill::client
