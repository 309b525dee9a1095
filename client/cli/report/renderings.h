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
  // Files whose names end so, in any case, have this rendering, unless --format
  // says otherwise.
  std::string_view extension;
  // True if the writer prints lines of files below issues, and colours, on a
  // terminal.
  bool has_source_lines = false;
  std::unique_ptr<ReportWriter> (*make)();
  // True if the writer shows pictures of clips.
  bool has_pictures = false;
  // True if the writer shows the measures of clips.
  bool has_measures = false;
  // True if the writer states columns in UTF-16 code units.
  bool has_utf16_columns = false;
};

// All renderings; the first is the default.
std::span<const Rendering> Renderings();

// The rendering with this name; null if there is none.
const Rendering* FindRendering(std::string_view name);

// The rendering of files with the name `path`; null if the end of the name
// tells nothing.
const Rendering* RenderingOfFile(std::string_view path);

// Each function makes the writer of one rendering.
std::unique_ptr<ReportWriter> MakeTextWriter();
std::unique_ptr<ReportWriter> MakeJsonLinesWriter();
std::unique_ptr<ReportWriter> MakeSarifWriter();
std::unique_ptr<ReportWriter> MakeJunitWriter();
std::unique_ptr<ReportWriter> MakeHtmlWriter();

}  // namespace bvhmill::client
