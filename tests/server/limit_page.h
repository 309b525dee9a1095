#pragma once

// Writes the tables of limits into the pages of docs/. A page marks the place
// of a table by two lines:
//
//   <!-- limits: flags clips -->
//   <!-- end of limits -->
//
// The first word is `flags` (for operators) or `fields` (for callers); the
// second is a group: clips, streams, in-flight, shares or connections.

#include <string>
#include <string_view>

namespace bvhmill::testing {

// `page` with the present table at each mark. A mark with an unknown word gets
// no table.
std::string WithLimitTables(std::string_view page);

}  // namespace bvhmill::testing
