#pragma once

// The issues that fail a clip, for the commands that check and convert.

#include <optional>

#include "bvhmill/report/report.h"

// A declaration instead of the header: many files need only the enum.
namespace CLI {
class App;
}  // namespace CLI

namespace bvhmill::client {

// The lowest severity that fails a clip. With kWarning, errors fail it, too.
enum class FailOn { kError, kWarning };

// Adds --fail-on. Parsing writes `fail_on`, which must live until then; without
// the option it stays as it is. No value: errors fail a clip.
void AddFailOnOption(CLI::App* app, std::optional<FailOn>* fail_on);

// True if the verdict of `report` is good and it counts no error and, with
// kWarning, no warning.
bool Passes(const Report& report, std::optional<FailOn> fail_on);

}  // namespace bvhmill::client
