#pragma once

// Trials as a table for people and as JSON for programs.

#include <span>
#include <string>

#include "tests/attack/trial.h"

namespace bvhmill::attack {

std::string TableHead();
// One line, with its end.
std::string TableRow(const Trial& trial);
// {"trials": [{"name": ..., ...}, ...]}, one trial a line.
std::string TrialsJson(std::span<const Trial> trials);

}  // namespace bvhmill::attack
