#pragma once

// Which outputs are meant, for commands that make them or look whether they
// could be made.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bvhmill/encode/output.h"
#include "bvhmill/pipeline/options.h"
#include "client/cli/anim/anim_options.h"

namespace bvhmill::client {

// Stands among the formats of --emit for the report, which is no output.
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

// Adds --emit: names of formats, and `more`, if it is not empty.
CLI::Option* AddEmitOption(CLI::App* app, const std::string& what,
                           const std::string& group, std::string_view more,
                           OutputFlags* flags);

// Adds what can be chosen about the formats but anim: --end-sites and so on.
void AddFormatOptions(CLI::App* app, const std::string& group,
                      OutputFlags* flags);

// Completes flags->anim, after the parsing. Says which options have no effect,
// since no format of --emit has them, and what cannot be meant; empty = all is
// well. `source` is what is known of the clips.
std::string ReadOutputFlags(const CLI::App* app, const Session& session,
                            const SourceSpace& source, OutputFlags* flags);

// The outputs of --emit, the first of each name, without the report.
std::vector<OutputRequest> ChosenOutputs(const OutputFlags& flags);

}  // namespace bvhmill::client
