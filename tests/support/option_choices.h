#pragma once

// Everything that can be asked for of a clip, as lists to combine: outputs of
// each format with each option, edits, and ways to read.

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bvhmill/pipeline/convert.h"

namespace bvhmill::testing {

// Each format with each value of each option; ids are unique. Velocities,
// tensors of each layout, kind and space, with and without end sites, npz, csv,
// bvh of several decimals, anim of both profiles.
std::vector<OutputRequest> OutputChoices();

// Those of OutputChoices that are no anim, which not every skeleton can be.
std::vector<OutputRequest> ArrayAndTextChoices();

// One output of each format but anim, with the options that differ most.
std::vector<OutputRequest> OneOfEachFormat();

struct EditChoice {
  std::string name;
  // `joints` are those of the clip, which edits of joints name.
  std::function<void(const JointList& joints, ClipEdits* edits)> apply;
};

// Each edit with each kind of value, those that do not fit among them.
std::vector<EditChoice> EditChoices();

struct ReadChoice {
  std::string name;
  std::function<void(ConvertOptions* options)> apply;
};

// Lenient and strict, conventions, which issues a report lists.
std::vector<ReadChoice> ReadChoices();

// Limits that keep clips small whose text states large numbers, and allow all
// outputs at once.
Limits MatrixLimits();

// Outputs, edits and reads picked by `random`.
ConvertOptions RandomOptions(const JointList& joints, std::mt19937* random);

}  // namespace bvhmill::testing
