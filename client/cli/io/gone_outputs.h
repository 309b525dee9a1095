#pragma once

// The outputs in a folder whose clips are gone. `convert --delete` removes
// them.
//
//   for (const GoneOutput& output : FindGone(directory, manifest, rules,
//                                            inputs)) {
//     status = DeleteGone(directory, output, &manifest);
//   }

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/files/inputs.h"
#include "bvhmill/files/outputs.h"
#include "client/cli/io/clip_outputs.h"
#include "client/cli/manifest.h"

namespace bvhmill::client {

// An output that the manifest lists, and whose clip is gone.
struct GoneOutput {
  // The clip, as Manifest::Forget takes it.
  std::string clip;
  std::string extension;
  // The path, including the folder.
  std::string path;
};

// The outputs that the manifest lists, that have a format of `rules`, and whose
// clip does not exist any more and is none of `inputs`; sorted by path. Lists
// no output that has changed since it was made, that is no regular file, or
// that this run reads. Requires that Manifest::Read was called.
std::vector<GoneOutput> FindGone(const OutputDir& directory,
                                 const Manifest& manifest,
                                 const OutputRules& rules,
                                 const std::vector<Input>& inputs);

// Deletes the file, and records that in the manifest. FAILED_PRECONDITION
// "PATH: why".
absl::Status DeleteGone(const OutputDir& directory, const GoneOutput& output,
                        Manifest* manifest);

}  // namespace bvhmill::client
