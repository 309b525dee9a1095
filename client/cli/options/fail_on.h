#pragma once

// The issues that fail a clip, for the commands that check and convert.

#include <CLI/CLI.hpp>
#include <optional>

#include "bvhmill/report/report.h"

namespace bvhmill::client {

enum class FailOn { kError, kWarning };

// Adds --fail-on. No value: nobody chose, and errors fail a clip.
void AddFailOnOption(CLI::App* app, std::optional<FailOn>* fail_on);

// True if `report` has nothing that fails its clip.
bool Passes(const Report& report, std::optional<FailOn> fail_on);

}  // namespace bvhmill::client
