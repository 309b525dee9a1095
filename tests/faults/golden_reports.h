// The reports of files with faults as text, a table for each kind of fault.
//
// A file has a line "FILE: " with what its report should say, by the generator:
// codes, frames and indices of joints. The next line says whether the report
// does: "found", "found elsewhere" or "not found". Each line after it is an
// issue of the report.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/faults/corpus.h"

namespace bvhmill::faults {

// The table of each kind, by its name. Converts each file.
std::map<std::string, std::string> GoldenReports(
    const std::vector<FaultyFile>& files);

}  // namespace bvhmill::faults
