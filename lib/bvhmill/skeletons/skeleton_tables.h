#pragma once

// The files of skeletons/ as text, compiled into the library.

#include <string_view>

namespace bvhmill {

// skeletons.csv: a row for each role, a column for each naming scheme. A cell
// has the names of the role in the scheme, separated by '|'. The last row,
// "other", has names of the scheme without a role.
std::string_view SkeletonsCsv();

// schemes.csv: a row for each naming scheme, in the order of the columns of
// skeletons.csv: its name, its title, what may stand before its names
// (separated by '|'), and the source of its names.
std::string_view SchemesCsv();

}  // namespace bvhmill
