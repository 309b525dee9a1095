#pragma once

// The formats of the report of `validate` (text, jsonl, html, sarif, junit),
// and the options that choose one.
//
//   const Rendering& rendering = ChosenRendering(flags);
//   std::unique_ptr<ReportWriter> writer = rendering.make();
//   ReportOutput output(console);
//   absl::Status status = output.Open(flags.output, flags.force);
//   output.Put(writer->Begin(facts));

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "client/cli/io/new_file.h"
#include "client/cli/report/report_writer.h"
#include "client/cli/ui/console.h"

namespace CLI {
class App;
}  // namespace CLI

namespace bvhmill::client {

// One way to write a report.
struct Rendering {
  // The word of --format.
  std::string_view name;
  // A file whose name ends in this, in any case, has this rendering unless
  // --format is set.
  std::string_view extension;
  // True if the report is lines for people: -q leaves out good clips, and a
  // terminal gets groups with colours and the source line of each issue.
  bool is_for_people = false;
  std::unique_ptr<ReportWriter> (*make)();
  // True if the writer shows pictures of clips.
  bool has_pictures = false;
  // True if the writer shows the measures of clips.
  bool has_measures = false;
  // True if the writer states columns in UTF-16 code units.
  bool has_utf16_columns = false;
};

// The name of stdout in options.
inline constexpr char kStandardOutput[] = "-";

// The rendering of `validate`, and the file that it is written to.
struct ReportFlags {
  // The name of a rendering; empty: the name of the output decides.
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

// The rendering of --format or --json, else that of the name of the output,
// else text.
const Rendering& ChosenRendering(const ReportFlags& flags);

// Returns a note for the user if the extension of the output matches no format
// and no option names one; else empty.
std::string RenderingNote(const ReportFlags& flags);

// Writes the bytes of a rendering to stdout or into a file, as ChosenFile does.
// Not thread-safe.
class ReportOutput {
 public:
  explicit ReportOutput(Console* console) : console_(*console) {}

  // `path` is a file, or "-" for stdout. A file that exists is replaced if
  // `force`; otherwise this is FAILED_PRECONDITION "PATH: why".
  absl::Status Open(const std::string& path, bool force);

  bool is_stdout() const { return !file_; }

  // Appends `text`. False if no more can be written.
  bool Put(std::string_view text);

  // Gives the file its name. Returns the first failure of Put or Close; always
  // OK for stdout, whose failures Console reports.
  absl::Status Close();

 private:
  Console& console_;
  std::string path_;
  std::optional<ChosenFile> file_;
  absl::Status status_;
};

// Each function makes the writer of one rendering.
std::unique_ptr<ReportWriter> MakeTextWriter();
std::unique_ptr<ReportWriter> MakeJsonLinesWriter();
std::unique_ptr<ReportWriter> MakeSarifWriter();
std::unique_ptr<ReportWriter> MakeJunitWriter();
std::unique_ptr<ReportWriter> MakeHtmlWriter();

}  // namespace bvhmill::client
