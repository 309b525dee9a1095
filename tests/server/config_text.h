#pragma once

// A ServerConfig as text: one line "path = value" for each field. Limits follow
// their rows. Another new field does not compile in config_text.cc until its
// line is written.

#include <string>

#include "server/app/config.h"

namespace bvhmill::testing {

std::string ConfigText(const server::ServerConfig& config);

}  // namespace bvhmill::testing
