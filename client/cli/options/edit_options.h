#pragma once

// Options for the units and axes of a clip, and for edits.

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/edit/clip_edits.h"
#include "client/cli/session.h"

namespace bvhmill::client {

// Words of the command line that ReadEditFlags turns into ClipEdits.
struct EditFlags {
  std::vector<std::string> renames;
  std::string joint_map;
  bool in_place = false;
  bool at_origin = false;
};

// Each function adds options to `app`. Parsing writes their values into the
// structs, which must live until then.
void AddSourceOptions(CLI::App* app, SourceSpace* source);
// Also part of AddEditOptions.
void AddRepairOptions(CLI::App* app, Repairs* repairs);
void AddEditOptions(CLI::App* app, EditFlags* flags, ClipEdits* edits);

// Completes `edits` after the command line is parsed; reads the file of
// --joint-map. Returns what is wrong; empty if nothing is.
std::string ReadEditFlags(const Session& session, const EditFlags& flags,
                          ClipEdits* edits);

// True if `word` names a file with a joint map: it ends in ".csv". Other words
// name built-in maps.
bool IsMapFile(std::string_view word);

// Sets `rows` to the table in the file `path`. Returns what is wrong; empty if
// nothing is.
std::string ReadMapFile(const std::string& path, const CancelToken* cancel,
                        std::vector<JointMapRow>* rows);

// The built-in maps, for messages: "cmu lafan1 ...".
std::string MapNames();

// The message of an error about a field of the API, "options.edits.frames:
// why", as one about its option, "--frames: why"; others as they are. Empty if
// OK.
std::string InWordsOfOptions(const absl::Status& status);

}  // namespace bvhmill::client
