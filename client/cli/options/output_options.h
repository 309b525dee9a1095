#pragma once

// Options that choose outputs, for commands that make or check them.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bvhmill/encode/output.h"
#include "bvhmill/pipeline/options.h"
#include "client/cli/anim/anim_options.h"

namespace bvhmill::client {

// The word of --emit for the report, which is not a format of the library.
inline constexpr std::string_view kReportName = "report";

struct OutputFlags {
  std::vector<std::string> emit;
  AnimFlags anim;
  // The arrays of an npz.
  std::vector<std::string> npz_arrays;
  bool end_sites = false;
  RotationKind rotation_kind = RotationKind::kQuaternion;
  RotationSpace rotation_space = RotationSpace::kLocal;
};

// Adds --emit, whose help begins with `what`. It accepts the names of formats
// and also `more`, if that is not empty.
CLI::Option* AddEmitOption(CLI::App* app, const std::string& what,
                           const std::string& group, std::string_view more,
                           OutputFlags* flags);

// Adds the options of all formats except anim: --end-sites and so on.
void AddFormatOptions(CLI::App* app, const std::string& group,
                      OutputFlags* flags);

// Completes flags->anim after the command line is parsed. Returns which option
// has no effect on the formats of --emit, or what else is wrong; empty if
// nothing is. `source` has the units and axes of the clips.
std::string ReadOutputFlags(const CLI::App* app, const Session& session,
                            const SourceSpace& source, OutputFlags* flags);

// The outputs of --emit without the report. A name that is repeated counts
// once.
std::vector<OutputRequest> ChosenOutputs(const OutputFlags& flags);

}  // namespace bvhmill::client
