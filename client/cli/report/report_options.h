#pragma once

// The options that say what `validate` writes, and where.

#include <string>

#include "client/cli/report/renderings.h"

namespace CLI {
class App;
}  // namespace CLI

namespace bvhmill::client {

inline constexpr char kStandardOutput[] = "-";

struct ReportFlags {
  // A name of Renderings().
  std::string format;
  // The same as the format "jsonl".
  bool json = false;
  // Where the report and the summary go; "-" is stdout. An empty `summary` is
  // not written.
  std::string output = kStandardOutput;
  std::string summary;
  // Files that exist are replaced.
  bool force = false;
};

// Adds the options to `app`. Parsing writes their values into `flags`, which
// must live until then.
void AddRenderingOptions(CLI::App* app, ReportFlags* flags);

// The rendering that was chosen.
const Rendering& ChosenRendering(const ReportFlags& flags);

// A line for people if the name of the output has an ending that chooses no
// rendering; empty otherwise.
std::string RenderingNote(const ReportFlags& flags);

}  // namespace bvhmill::client
