#pragma once

// Options about what a clip is in (units, axes) and what is changed about it.

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/edit/clip_edits.h"
#include "client/cli/session.h"

namespace bvhmill::client {

// Edits as they are typed, where that is not yet how ClipEdits has them.
struct EditFlags {
  std::vector<std::string> renames;
  std::string joint_map;
  bool in_place = false;
  bool at_origin = false;
};

// Each adds options to `app` that write to what is pointed to, which must live
// until the command line is parsed.
void AddSourceOptions(CLI::App* app, SourceSpace* source);
void AddEditOptions(CLI::App* app, EditFlags* flags, ClipEdits* edits);

// Completes `edits` by the flags, after the parsing; reads the file of
// --joint-map. Returns what cannot be meant; empty = all is well.
std::string ReadEditFlags(const Session& session, const EditFlags& flags,
                          ClipEdits* edits);

// True if the word of an option names a table of joints rather than a built-in
// map: it ends in ".csv".
bool IsMapFile(std::string_view word);

// Sets `rows` to the table in the file `path`. Returns what is wrong with it;
// empty = all is well.
std::string ReadMapFile(const std::string& path,
                        std::vector<JointMapRow>* rows);

// The built-in maps, for messages: "cmu lafan1 ...".
std::string MapNames();

// A message about a field of the API, "options.edits.frames: why", as one about
// its option, "--frames: why"; others as they are.
std::string InWordsOfOptions(std::string_view message);

}  // namespace bvhmill::client
