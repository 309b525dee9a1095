#pragma once

// The issues that fail a clip, for the commands that check and convert.

#include <optional>

#include "bvhmill/report/report.h"

// Not its header: many files need only the enum.
namespace CLI {
class App;
}  // namespace CLI

namespace bvhmill::client {

enum class FailOn { kError, kWarning };

// Adds --fail-on. Without it `fail_on` has no value, and errors fail a clip.
void AddFailOnOption(CLI::App* app, std::optional<FailOn>* fail_on);

// True if no issue of `report` fails the clip.
bool Passes(const Report& report, std::optional<FailOn> fail_on);

}  // namespace bvhmill::client
